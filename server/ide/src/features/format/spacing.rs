//! The whitespace between two adjacent tokens.

use std::ops::Range;
use syntax::{ClassifiedToken, NodeKind, RopeReader, SourceFile, TokenClass, TokenEvent};

/// The whitespace that the style requires between two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spacing {
    /// The existing whitespace.
    Keep,
    /// No whitespace.
    None,
    /// One space.
    Space,
    /// Line breaks, and the indentation of the next line in levels.
    Lines { count: usize, indent: usize },
}

/// What begins with the next token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    Statement,
    Label,
    /// A directive after its label.
    AfterLabel,
    /// The parameter list of a function.
    Parameters,
    /// A parameter of the list.
    Parameter,
}

/// The token before the whitespace.
#[derive(Clone, Copy, Debug)]
struct PreviousToken {
    end: usize,
    kind: TokenClass,
    /// The first byte of punctuation or an operator; 0 for other tokens.
    sign: u8,
    line_comment: bool,
    frozen: bool,
    verbatim: bool,
}

/// Follows the token events of a text and computes the spacing before each token.
pub(super) struct Formatter<'a> {
    file: &'a SourceFile,
    reader: RopeReader<'a>,
    /// The open nodes, each with the block depth at its start.
    open: Vec<(NodeKind, usize)>,
    /// For each open parameter list, whether it spans several lines.
    split: Vec<bool>,
    depth: usize,
    begin: Option<Begin>,
    before: Option<PreviousToken>,
    /// Whether there is a syntax error between the previous token and the next.
    error: bool,
    errors: usize,
    lost: bool,
    sections: usize,
    /// The number of open brackets of addresses.
    brackets: usize,
    /// Whether the stream begins inside the text, so that there is no whitespace before its first token.
    inside: bool,
    /// The existing whitespace before the current token.
    pub gap: String,
    /// Whether the token before it ends in a carriage return.
    pub after_carriage_return: bool,
}

impl<'a> Formatter<'a> {
    pub fn new(file: &'a SourceFile, inside: bool) -> Self {
        Formatter {
            file,
            reader: RopeReader::new(file.text()),
            open: Vec::new(),
            split: Vec::new(),
            depth: 0,
            begin: None,
            before: None,
            error: false,
            errors: 0,
            lost: false,
            sections: 0,
            brackets: 0,
            inside,
            gap: String::new(),
            after_carriage_return: false,
        }
    }

    /// The range of the whitespace before a token, and its spacing.
    pub fn see(&mut self, piece: TokenEvent) -> Option<(Range<usize>, Spacing)> {
        match piece {
            TokenEvent::Enter(construct, range) => self.enter(construct, range),
            TokenEvent::Leave(construct, _) => self.leave(construct),
            TokenEvent::Token(lexeme) => return self.lexeme(lexeme),
        }
        None
    }

    /// The range of the whitespace at the end of the text, and its spacing.
    pub fn end(&mut self, len: usize) -> Option<(Range<usize>, Spacing)> {
        let before = self.before?;
        let gap = before.end..len;
        self.read_gap(&gap);
        let keep = self.error || self.lost || before.frozen || !is_blank(&self.gap);
        Some((gap, if keep { Spacing::Keep } else { Spacing::Lines { count: 1, indent: 0 } }))
    }

    fn top(&self) -> Option<NodeKind> {
        self.open.last().map(|(construct, _)| *construct)
    }

    fn within(&self, construct: NodeKind) -> bool {
        // Only blocks nest deeply.
        self.open.iter().rev().take_while(|(open, _)| *open != NodeKind::Block).any(|(open, _)| *open == construct)
    }

    fn enter(&mut self, construct: NodeKind, range: Range<usize>) {
        let top = self.top();
        match construct {
            NodeKind::Error => {
                (self.errors, self.error) = (self.errors + 1, true);
                // After an unterminated comment or string, tokens are unreliable.
                let text = self.reader.read(range).text;
                self.lost |= text.contains("/*") || text.contains('"');
            }
            NodeKind::Section => self.sections += 1,
            NodeKind::Parameters => {
                let text = self.reader.read(range);
                self.split.push(text.text.contains('\n'));
            }
            _ => {}
        }
        let statement = matches!(top, None | Some(NodeKind::Block | NodeKind::BasicBlock));
        let body = construct == NodeKind::Block && top == Some(NodeKind::Function);
        match construct {
            NodeKind::BasicBlock | NodeKind::Error => {}
            NodeKind::Parameters => self.begin = Some(Begin::Parameters),
            NodeKind::Parameter => self.begin = Some(Begin::Parameter),
            NodeKind::Label if statement => self.begin = Some(Begin::Label),
            NodeKind::Targets | NodeKind::Directive
                if statement
                    && self
                        .before
                        .is_some_and(|before| before.sign == b':' && before.kind == TokenClass::Punctuation) =>
            {
                self.begin = Some(Begin::AfterLabel);
            }
            _ if statement || body => self.begin = Some(Begin::Statement),
            _ => {}
        }
        if construct == NodeKind::Instruction {
            self.brackets = 0;
        }
        self.open.push((construct, self.depth));
        if construct == NodeKind::Block {
            self.depth += 1;
        }
    }

    fn leave(&mut self, construct: NodeKind) {
        match construct {
            NodeKind::Error => (self.errors, self.error) = (self.errors.saturating_sub(1), true),
            NodeKind::Section => self.sections = self.sections.saturating_sub(1),
            NodeKind::Parameters => drop(self.split.pop()),
            _ => {}
        }
        if let Some((_, depth)) = self.open.pop() {
            self.depth = depth;
        }
    }

    fn lexeme(&mut self, lexeme: ClassifiedToken) -> Option<(Range<usize>, Spacing)> {
        let range = lexeme.range.clone();
        let (mut sign, mut line_comment) = (0, false);
        match lexeme.kind {
            TokenClass::Punctuation | TokenClass::Operator => sign = self.reader.read(range.clone()).text.as_bytes()[0],
            TokenClass::Comment => line_comment = self.reader.read(range.start..range.start + 2).text == "//",
            _ => {}
        }
        let brace = lexeme.kind == TokenClass::Punctuation && self.top() == Some(NodeKind::Block);
        let closes = brace && sign == b'}';
        let opens = brace && sign == b'{' && self.begin == Some(Begin::Statement);
        if (closes || opens)
            && let Some((_, depth)) = self.open.last()
        {
            self.depth = *depth;
        }
        let frozen = self.errors > 0;
        let verbatim = self.sections > 0;
        let start = self.before.map_or(0, |before| before.end);
        let gap = start..range.start.max(start);
        let answer = match self.before {
            None if self.inside => None,
            _ => {
                self.read_gap(&gap);
                let keep = frozen
                    || self.lost
                    || self.error
                    || self.before.is_some_and(|before| before.frozen || (before.verbatim && verbatim));
                let marker = lexeme.kind == TokenClass::LineMarker
                    || self.before.is_some_and(|before| before.kind == TokenClass::LineMarker);
                let spacing = if keep || marker || !is_blank(&self.gap) {
                    Spacing::Keep
                } else {
                    self.spacing(&lexeme, sign, closes)
                };
                Some((gap, spacing))
            }
        };
        self.after(&lexeme, sign);
        self.depth += usize::from(opens);
        // The token after a comment begins the node.
        if lexeme.kind != TokenClass::Comment {
            self.begin = None;
        }
        self.before = Some(PreviousToken { end: range.end, kind: lexeme.kind, sign, line_comment, frozen, verbatim });
        self.error = false;
        answer
    }

    fn after(&mut self, lexeme: &ClassifiedToken, sign: u8) {
        if lexeme.kind != TokenClass::Punctuation {
            return;
        }
        match sign {
            b'[' => self.brackets += 1,
            b']' => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
    }

    fn read_gap(&mut self, gap: &Range<usize>) {
        self.gap.clear();
        self.gap.push_str(&self.reader.read(gap.clone()).text);
        self.after_carriage_return = self.before.is_some_and(|before| before.line_comment)
            && gap.start > 0
            && self.file.text().byte(gap.start - 1) == b'\r';
    }

    /// The indentation of a continuation line, or of a comment between statements.
    fn continued(&self) -> usize {
        match self.top() {
            None | Some(NodeKind::Block | NodeKind::BasicBlock) => self.depth,
            // The head of a function is not indented.
            Some(NodeKind::Function) => self.depth,
            _ => self.depth + 1,
        }
    }

    fn spacing(&self, lexeme: &ClassifiedToken, sign: u8, closes: bool) -> Spacing {
        let Some(before) = self.before else { return Spacing::None };
        let newlines = self.gap.bytes().filter(|b| *b == b'\n').count();
        let line_breaks = newlines.clamp(1, 2);
        if lexeme.kind == TokenClass::Comment {
            let own_line = before.line_comment || newlines > 0;
            return if own_line {
                Spacing::Lines { count: line_breaks, indent: self.continued() }
            } else {
                Spacing::Keep
            };
        }
        // A block comment belongs to the statement after it on its line.
        let attached = before.kind == TokenClass::Comment && !before.line_comment && newlines == 0;
        if attached {
            return Spacing::Keep;
        }
        // Two words without whitespace between them (`ld.param` and `.2`) may be a mistake, so they are kept.
        if self.gap.is_empty() && is_word(before.kind) && is_word(lexeme.kind) {
            return Spacing::Keep;
        }
        match self.begin {
            Some(Begin::Statement) => return Spacing::Lines { count: line_breaks, indent: self.depth },
            Some(Begin::Label) => return Spacing::Lines { count: line_breaks, indent: self.depth.saturating_sub(1) },
            Some(Begin::AfterLabel) if newlines == 0 => return Spacing::Space,
            Some(Begin::AfterLabel) => return Spacing::Lines { count: line_breaks, indent: self.depth },
            _ => {}
        }
        if closes {
            return Spacing::Lines { count: line_breaks, indent: self.depth };
        }
        let broken = before.line_comment || newlines > 0;
        if let Some(spacing) = self.list(&before, sign, lexeme.kind) {
            return spacing;
        }
        let wrapped = Spacing::Lines { count: 1, indent: self.continued() };
        if before.line_comment || before.kind == TokenClass::Comment && broken {
            return wrapped;
        }
        if punctuation(sign, lexeme.kind, b",;") {
            return Spacing::None;
        }
        if punctuation(before.sign, before.kind, b",") {
            return if broken { wrapped } else { Spacing::Space };
        }
        let after_list = punctuation(before.sign, before.kind, b")") && self.top() == Some(NodeKind::Function);
        if after_list && lexeme.kind == TokenClass::Name {
            return if broken { wrapped } else { Spacing::Space };
        }
        if self.begin == Some(Begin::Parameters) {
            return if before.kind == TokenClass::Name { Spacing::None } else { Spacing::Space };
        }
        if self.within(NodeKind::Instruction) {
            return self.instruction(&before, sign, lexeme.kind, broken).unwrap_or_else(|| self.usual(broken));
        }
        if self.within(NodeKind::Label) && sign == b':' {
            return Spacing::None;
        }
        let declares =
            [NodeKind::Declaration, NodeKind::Parameter, NodeKind::Targets].iter().any(|one| self.within(*one));
        let spacing = if declares { self.declaration(&before, sign, lexeme.kind, broken) } else { None };
        spacing.unwrap_or_else(|| self.usual(broken))
    }

    /// The spacing in a declaration, where it differs from the usual one.
    fn declaration(&self, before: &PreviousToken, sign: u8, kind: TokenClass, broken: bool) -> Option<Spacing> {
        let wrapped_or = |spacing: Spacing| if broken { self.usual(broken) } else { spacing };
        if punctuation(sign, kind, b"<>[]") || punctuation(before.sign, before.kind, b"<[") {
            Some(Spacing::None)
        } else if punctuation(sign, kind, b"=") || punctuation(before.sign, before.kind, b"=") {
            Some(wrapped_or(Spacing::Space))
        } else if punctuation(sign, kind, b"})") || punctuation(before.sign, before.kind, b"{(") {
            Some(wrapped_or(Spacing::None))
        } else {
            None
        }
    }

    /// Whitespace becomes one space; line breaks stay.
    fn usual(&self, broken: bool) -> Spacing {
        match (broken, self.gap.is_empty()) {
            (true, _) => Spacing::Lines { count: 1, indent: self.continued() },
            (_, true) => Spacing::Keep,
            _ => Spacing::Space,
        }
    }

    /// The spacing in a parameter list: all parameters on one line, or each on its own.
    fn list(&self, before: &PreviousToken, sign: u8, kind: TokenClass) -> Option<Spacing> {
        let begins = self.begin == Some(Begin::Parameter);
        let split = *self.split.last().filter(|_| begins || self.top() == Some(NodeKind::Parameters))?;
        let line = |indent: usize| Some(Spacing::Lines { count: 1, indent });
        let opened = before.sign == b'(' && before.kind == TokenClass::Punctuation;
        if begins {
            return match split {
                true => line(self.depth + 1),
                false if opened => Some(Spacing::None),
                false => Some(Spacing::Space),
            };
        }
        match sign {
            b')' if kind == TokenClass::Punctuation && opened => Some(Spacing::None),
            b')' if kind == TokenClass::Punctuation && split => line(self.depth),
            b')' if kind == TokenClass::Punctuation => Some(Spacing::None),
            _ => None,
        }
    }

    fn instruction(&self, before: &PreviousToken, sign: u8, kind: TokenClass, broken: bool) -> Option<Spacing> {
        let close = if broken { self.usual(true) } else { Spacing::None };
        if punctuation(before.sign, before.kind, b"@") {
            return Some(Spacing::None);
        }
        if kind == TokenClass::Mnemonic {
            return Some(if broken { self.usual(true) } else { Spacing::Space });
        }
        if matches!(before.kind, TokenClass::Mnemonic | TokenClass::Modifier) && kind != TokenClass::Modifier {
            return Some(if broken { self.usual(true) } else { Spacing::Space });
        }
        if punctuation(before.sign, before.kind, b"[({") || punctuation(sign, kind, b"])}") {
            return Some(close);
        }
        if punctuation(sign, kind, b"|")
            || punctuation(before.sign, before.kind, b"|")
            || (punctuation(sign, kind, b"[") && before.kind == TokenClass::Name)
        {
            return Some(close);
        }
        let operator = kind == TokenClass::Operator || before.kind == TokenClass::Operator;
        if operator {
            return Some(if self.brackets > 0 && !broken { Spacing::None } else { Spacing::Keep });
        }
        None
    }
}

/// Whether a token is one of some punctuation characters.
fn punctuation(sign: u8, kind: TokenClass, signs: &[u8]) -> bool {
    kind == TokenClass::Punctuation && signs.contains(&sign)
}

fn is_word(kind: TokenClass) -> bool {
    !matches!(kind, TokenClass::Punctuation | TokenClass::Operator | TokenClass::Comment | TokenClass::String)
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0c))
}
