//! The whitespace between two adjacent tokens.

use super::token_gap::{PreviousToken, TokenGap};
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
    /// For token events that begin at an offset.
    pub fn new(file: &'a SourceFile, start: usize) -> Self {
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
            inside: start > 0,
            gap: String::new(),
            after_carriage_return: false,
        }
    }

    /// The range of the whitespace before a token, and its spacing.
    pub fn process(&mut self, event: TokenEvent) -> Option<(Range<usize>, Spacing)> {
        match event {
            TokenEvent::Enter(kind, range) => self.enter(kind, range),
            TokenEvent::Leave(kind, _) => self.leave(kind),
            TokenEvent::Token(token) => return self.token(token),
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
        self.open.last().map(|(kind, _)| *kind)
    }

    fn within(&self, kind: NodeKind) -> bool {
        // Only blocks nest deeply.
        self.open.iter().rev().take_while(|(open, _)| *open != NodeKind::Block).any(|(open, _)| *open == kind)
    }

    fn enter(&mut self, kind: NodeKind, range: Range<usize>) {
        let top = self.top();
        match kind {
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
        let body = kind == NodeKind::Block && top == Some(NodeKind::Function);
        match kind {
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
        if kind == NodeKind::Instruction {
            self.brackets = 0;
        }
        self.open.push((kind, self.depth));
        if kind == NodeKind::Block {
            self.depth += 1;
        }
    }

    fn leave(&mut self, kind: NodeKind) {
        match kind {
            NodeKind::Error => (self.errors, self.error) = (self.errors.saturating_sub(1), true),
            NodeKind::Section => self.sections = self.sections.saturating_sub(1),
            NodeKind::Parameters => drop(self.split.pop()),
            _ => {}
        }
        if let Some((_, depth)) = self.open.pop() {
            self.depth = depth;
        }
    }

    fn token(&mut self, token: ClassifiedToken) -> Option<(Range<usize>, Spacing)> {
        let range = token.range.clone();
        let (mut sign, mut line_comment) = (0, false);
        match token.kind {
            TokenClass::Punctuation | TokenClass::Operator => sign = self.reader.read(range.clone()).text.as_bytes()[0],
            TokenClass::Comment => line_comment = self.reader.read(range.start..range.start + 2).text == "//",
            _ => {}
        }
        let brace = token.kind == TokenClass::Punctuation && self.top() == Some(NodeKind::Block);
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
                let marker = token.kind == TokenClass::LineMarker
                    || self.before.is_some_and(|before| before.kind == TokenClass::LineMarker);
                let spacing = if keep || marker || !is_blank(&self.gap) {
                    Spacing::Keep
                } else {
                    self.before.map_or(Spacing::None, |before| {
                        let newlines = self.gap.bytes().filter(|byte| *byte == b'\n').count();
                        self.spacing(&TokenGap { before, kind: token.kind, sign, closes_block: closes, newlines })
                    })
                };
                Some((gap, spacing))
            }
        };
        self.after(&token, sign);
        self.depth += usize::from(opens);
        // The token after a comment begins the node.
        if token.kind != TokenClass::Comment {
            self.begin = None;
        }
        self.before = Some(PreviousToken { end: range.end, kind: token.kind, sign, line_comment, frozen, verbatim });
        self.error = false;
        answer
    }

    fn after(&mut self, token: &ClassifiedToken, sign: u8) {
        if token.kind != TokenClass::Punctuation {
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

    fn spacing(&self, gap: &TokenGap) -> Spacing {
        self.comment(gap)
            .or_else(|| self.line(gap))
            .or_else(|| self.list(gap))
            .unwrap_or_else(|| self.within_statement(gap))
    }

    /// The spacing beside a comment, or between words that may be one word.
    fn comment(&self, gap: &TokenGap) -> Option<Spacing> {
        let before = gap.before;
        if gap.kind == TokenClass::Comment {
            return Some(if gap.is_broken() {
                Spacing::Lines { count: gap.line_breaks(), indent: self.continued() }
            } else {
                Spacing::Keep
            });
        }
        // A block comment belongs to the statement after it on its line.
        let attached = before.kind == TokenClass::Comment && !gap.is_broken();
        // Two words without whitespace between them (`ld.param` and `.2`) may be a mistake, so they are kept.
        let joined = self.gap.is_empty() && is_word(before.kind) && is_word(gap.kind);
        (attached || joined).then_some(Spacing::Keep)
    }

    /// The spacing before a token that begins a line.
    fn line(&self, gap: &TokenGap) -> Option<Spacing> {
        let indent = match self.begin {
            Some(Begin::Statement) => self.depth,
            Some(Begin::Label) => self.depth.saturating_sub(1),
            Some(Begin::AfterLabel) if gap.newlines == 0 => return Some(Spacing::Space),
            Some(Begin::AfterLabel) => self.depth,
            _ if gap.closes_block => self.depth,
            _ => return None,
        };
        Some(Spacing::Lines { count: gap.line_breaks(), indent })
    }

    /// The spacing in a parameter list: all parameters on one line, or each on its own.
    fn list(&self, gap: &TokenGap) -> Option<Spacing> {
        let begins = self.begin == Some(Begin::Parameter);
        let split = *self.split.last().filter(|_| begins || self.top() == Some(NodeKind::Parameters))?;
        let line = |indent: usize| Some(Spacing::Lines { count: 1, indent });
        let opened = gap.follows(b"(");
        if begins {
            return match split {
                true => line(self.depth + 1),
                false if opened => Some(Spacing::None),
                false => Some(Spacing::Space),
            };
        }
        match gap.precedes(b")") {
            true if split && !opened => line(self.depth),
            true => Some(Spacing::None),
            false => None,
        }
    }

    fn within_statement(&self, gap: &TokenGap) -> Spacing {
        let before = gap.before;
        if before.line_comment || before.kind == TokenClass::Comment && gap.is_broken() {
            return self.wrapped();
        }
        if gap.precedes(b",;") {
            return Spacing::None;
        }
        let after_list = gap.follows(b")") && self.top() == Some(NodeKind::Function);
        if gap.follows(b",") || after_list && gap.kind == TokenClass::Name {
            return self.unless_broken(gap, Spacing::Space);
        }
        if self.begin == Some(Begin::Parameters) {
            return if before.kind == TokenClass::Name { Spacing::None } else { Spacing::Space };
        }
        let is_declaration =
            || [NodeKind::Declaration, NodeKind::Parameter, NodeKind::Targets].iter().any(|kind| self.within(*kind));
        let spacing = if self.within(NodeKind::Instruction) {
            self.instruction(gap)
        } else if self.within(NodeKind::Label) && gap.sign == b':' {
            Some(Spacing::None)
        } else if is_declaration() {
            self.declaration(gap)
        } else {
            None
        };
        // Otherwise whitespace becomes one space; line breaks stay.
        let default = if self.gap.is_empty() { Spacing::Keep } else { Spacing::Space };
        spacing.unwrap_or_else(|| self.unless_broken(gap, default))
    }

    /// A line break before a continuation line.
    fn wrapped(&self) -> Spacing {
        Spacing::Lines { count: 1, indent: self.continued() }
    }

    /// A spacing within a line; an existing line break stays.
    fn unless_broken(&self, gap: &TokenGap, spacing: Spacing) -> Spacing {
        if gap.is_broken() { self.wrapped() } else { spacing }
    }

    /// The spacing in a declaration, where it differs from the default.
    fn declaration(&self, gap: &TokenGap) -> Option<Spacing> {
        if gap.precedes(b"<>[]") || gap.follows(b"<[") {
            Some(Spacing::None)
        } else if gap.precedes(b"=") || gap.follows(b"=") {
            Some(self.unless_broken(gap, Spacing::Space))
        } else if gap.precedes(b"})") || gap.follows(b"{(") {
            Some(self.unless_broken(gap, Spacing::None))
        } else {
            None
        }
    }

    /// The spacing in an instruction, where it differs from the default.
    fn instruction(&self, gap: &TokenGap) -> Option<Spacing> {
        let before = gap.before.kind;
        if gap.follows(b"@") {
            return Some(Spacing::None);
        }
        let after_opcode = matches!(before, TokenClass::Mnemonic | TokenClass::Modifier);
        if gap.kind == TokenClass::Mnemonic || after_opcode && gap.kind != TokenClass::Modifier {
            return Some(self.unless_broken(gap, Spacing::Space));
        }
        let bracket = gap.follows(b"[({") || gap.precedes(b"])}");
        let pair = gap.precedes(b"|") || gap.follows(b"|");
        if bracket || pair || gap.precedes(b"[") && before == TokenClass::Name {
            return Some(self.unless_broken(gap, Spacing::None));
        }
        if gap.kind == TokenClass::Operator || before == TokenClass::Operator {
            return Some(if self.brackets > 0 && !gap.is_broken() { Spacing::None } else { Spacing::Keep });
        }
        None
    }
}

fn is_word(kind: TokenClass) -> bool {
    !matches!(kind, TokenClass::Punctuation | TokenClass::Operator | TokenClass::Comment | TokenClass::String)
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0c))
}
