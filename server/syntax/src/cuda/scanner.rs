//! Finds the `asm` statements of a text, with the conditions of the preprocessor around and inside them.
//!
//! Must not know what the statements mean.

use super::archs::{Archs, Condition};
use super::condition::{Macros, known};
use super::lexer::{Kind, Lexeme, Lexer};
use super::paste::{Pasted, Pastes};
use super::statement::{AsmOperand, AsmStatement, Branches, Clobber, Guard, Part, PartLiteral, Via};
use std::ops::Range;

/// What was found in a text.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// In the order of their keywords.
    pub statements: Vec<AsmStatement>,
}

/// A comment of the host text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostComment {
    /// With its signs.
    pub range: Range<usize>,
    /// Whether nothing but comments stands before it.
    pub leads: bool,
}

/// Finds the statements of a text.
pub fn scan(text: &str) -> Scan {
    if !text.contains("asm") {
        return Scan::default();
    }
    let mut scanner = Scanner {
        lexer: Lexer::new(text, 0),
        frames: Vec::new(),
        macros: Macros::default(),
        calls: Vec::new(),
        depth: 0,
        again: 4096 + text.len() / 4,
        keywords: Vec::new(),
        parameters: Vec::new(),
        pastes: Pastes::new(text.len()),
        statements: Vec::new(),
    };
    scanner.run();
    let Scanner { mut statements, macros, pastes, .. } = scanner;
    pastes.settle(&mut statements, |name| macros.is_constant(name));
    Scan { statements }
}

impl Scan {
    /// The comments of a text that hold a word.
    pub fn comments(text: &str, word: &str) -> Vec<HostComment> {
        let mut found = Vec::new();
        if !text.contains(word) {
            return found;
        }
        let mut lexer = Lexer::new(text, 0);
        let (mut from, mut leads) = (0, true);
        loop {
            let lexeme = lexer.next();
            let gap = &text[from..lexeme.range.start];
            for range in comments(gap, from) {
                if text[range.clone()].contains(word) {
                    found.push(HostComment { range, leads });
                }
            }
            leads = false;
            from = lexeme.range.end;
            if lexeme.kind == Kind::End {
                return found;
            }
        }
    }
}

/// The comments in what lies between two lexemes.
fn comments(gap: &str, at: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = gap[from..].find('/').map(|start| from + start) {
        let rest = &gap[start..];
        let length = match rest.as_bytes().get(1) {
            Some(b'/') => rest.find('\n').map_or(rest.trim_end().len(), |end| rest[..end].trim_end().len()),
            Some(b'*') => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => 1,
        };
        if length > 1 {
            found.push(at + start..at + start + length);
        }
        from = start + length.max(1);
    }
    found
}

/// An `#if` with its branches.
#[derive(Clone, Debug)]
struct Frame {
    /// No branch so far was taken.
    otherwise: Condition,
    /// The branch that is read is.
    here: Condition,
    /// What holds around the `#if`.
    around: Condition,
    /// The name of an `#ifndef`, as long as nothing else stood in it: it may guard a header.
    guards: Option<Range<usize>>,
}

/// A call of a macro that compiles its arguments for some devices.
#[derive(Debug)]
struct Call {
    /// How many parentheses are open inside.
    depth: usize,
    dispatch: bool,
    argument: usize,
    here: Condition,
    /// What the calls around it say.
    around: Condition,
}

struct Scanner<'t> {
    lexer: Lexer<'t>,
    frames: Vec<Frame>,
    macros: Macros<'t>,
    calls: Vec<Call>,
    depth: usize,
    /// How many lexemes may still be read twice, for statements that share an end.
    again: usize,
    /// The macros that stand for the keyword.
    keywords: Vec<&'t str>,
    /// The parameters of the macro whose body is read.
    parameters: Vec<&'t str>,
    pastes: Pastes<'t>,
    statements: Vec<AsmStatement>,
}

/// The words of directives.
enum Directive {
    If,
    Else,
    End,
    Other,
}

impl<'t> Scanner<'t> {
    fn run(&mut self) {
        loop {
            let lexeme = self.lexer.next();
            if lexeme.kind != Kind::Directive
                && let Some(frame) = self.frames.last_mut()
            {
                frame.guards = None;
            }
            match lexeme.kind {
                Kind::End if self.lexer.in_line => {
                    self.lexer.in_line = false;
                    self.parameters.clear();
                }
                Kind::End => return,
                Kind::Directive => {
                    self.directive(true);
                }
                Kind::Word => match self.lexer.read(&lexeme.range) {
                    "asm" | "__asm__" | "__asm" => self.statement(lexeme.range),
                    "NV_IF_TARGET" | "NV_IF_ELSE_TARGET" | "NV_DISPATCH_TARGET" => self.call(&lexeme.range),
                    word if self.keywords.contains(&word) => self.statement(lexeme.range),
                    _ => {}
                },
                Kind::Sign(b'(') => self.depth += 1,
                Kind::Sign(b')') => {
                    self.depth = self.depth.saturating_sub(1);
                    while self.calls.last().is_some_and(|call| call.depth > self.depth) {
                        self.calls.pop();
                    }
                }
                Kind::Sign(b',') => self.next_argument(),
                _ => {}
            }
        }
    }

    /// Reads a directive behind its `#`. The body of a `#define` is left to be read as code if that is wanted.
    fn directive(&mut self, look_inside: bool) -> Directive {
        self.lexer.in_line = true;
        let word = self.lexer.next();
        let name = if word.kind == Kind::Word { self.lexer.read(&word.range) } else { "" };
        if name != "define"
            && let Some(frame) = self.frames.last_mut()
        {
            frame.guards = None;
        }
        let kind = match name {
            "if" | "ifdef" | "ifndef" => {
                let rest = self.rest();
                let (condition, guards) = self.condition(name, rest);
                let around = self.conditions();
                self.frames.push(Frame { otherwise: condition.clone().not(), here: condition, around, guards });
                Directive::If
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let rest = self.rest();
                let condition = match name {
                    "else" => Condition::exactly(&Archs::all()),
                    _ => self.condition(&name[2..], rest).0,
                };
                if let Some(frame) = self.frames.last_mut() {
                    frame.here = frame.otherwise.and(&condition);
                    frame.otherwise = frame.otherwise.and(&condition.not());
                }
                Directive::Else
            }
            "endif" => {
                self.rest();
                self.frames.pop();
                Directive::End
            }
            "define" => {
                self.define();
                if look_inside {
                    return Directive::Other;
                }
                self.rest();
                self.parameters.clear();
                Directive::Other
            }
            "undef" => {
                let rest = self.rest();
                let name = self.lexer.text[rest].trim();
                self.macros.undefine(name);
                self.keywords.retain(|keyword| *keyword != name);
                Directive::Other
            }
            _ => {
                self.rest();
                Directive::Other
            }
        };
        self.lexer.in_line = false;
        kind
    }

    /// The rest of the line; the reader stands behind it.
    fn rest(&mut self) -> Range<usize> {
        let start = self.lexer.at;
        let mut end = start;
        loop {
            let lexeme = self.lexer.next();
            if lexeme.kind == Kind::End {
                return start..end;
            }
            end = lexeme.range.end;
        }
    }

    fn condition(&self, name: &str, rest: Range<usize>) -> (Condition, Option<Range<usize>>) {
        let text = &self.lexer.text[rest.clone()];
        match name {
            "ifdef" | "def" => (self.macros.defined(first_word(text)), None),
            "ifndef" | "ndef" => {
                let word = first_word(text);
                let start = rest.start + text.find(word).unwrap_or(0);
                (self.macros.defined(word).not(), Some(start..start + word.len()))
            }
            _ => (self.macros.condition(text), None),
        }
    }

    /// Takes a macro's name and parameters up; its body comes next.
    fn define(&mut self) {
        let name = self.lexer.next();
        if name.kind != Kind::Word {
            return;
        }
        let text = self.lexer.text;
        let guards = self.frames.last_mut().and_then(|frame| frame.guards.take());
        let is_guard = guards.is_some_and(|guards| text[guards] == text[name.range.clone()]);
        if is_guard {
            // The header's own guard says nothing.
            if let Some(frame) = self.frames.last_mut() {
                (frame.here, frame.otherwise) = (Condition::exactly(&Archs::all()), Condition::exactly(&Archs::none()));
            }
        }
        let takes_arguments = text.as_bytes().get(name.range.end) == Some(&b'(');
        let mut at = name.range.end;
        let body = match takes_arguments {
            true => {
                loop {
                    let lexeme = self.lexer.peek();
                    match lexeme.kind {
                        Kind::End => break,
                        Kind::Word => self.parameters.push(self.lexer.read(&lexeme.range)),
                        _ => {}
                    }
                    self.lexer.next();
                    if lexeme.is(b')') {
                        break;
                    }
                }
                None
            }
            false => {
                let mut ahead = self.lexer.clone();
                at = ahead.peek().range.start;
                let mut end = at;
                // A condition is short, and so is a text; what is long is none.
                let mut ended = false;
                for _ in 0..LONGEST_BODY {
                    let lexeme = ahead.next();
                    ended = lexeme.kind == Kind::End;
                    if ended {
                        break;
                    }
                    end = lexeme.range.end;
                }
                ended.then(|| &text[at..end])
            }
        };
        if body.is_some_and(is_keyword) {
            self.keywords.push(&text[name.range.clone()]);
        }
        // What is defined unless it is already may have been.
        let under = if is_guard { Condition::unknown() } else { self.here() };
        self.macros.define(&text[name.range], body, at, under);
    }

    /// The literals that a macro certainly stands for.
    fn pasted(&mut self, name: &Range<usize>) -> Option<Pasted<'t>> {
        let text = self.lexer.text;
        let word = &text[name.clone()];
        // What is made text or glued is no macro any more.
        let glued = text[..name.start].trim_end().ends_with('#') || self.lexer.peek().is(b'#');
        if glued || self.parameters.contains(&word) {
            return None;
        }
        self.pastes.literals(text, word, &self.macros, &self.parameters)
    }

    /// What holds where the reader stands.
    fn here(&self) -> Condition {
        self.conditions().and(&self.targets())
    }

    fn conditions(&self) -> Condition {
        self.frames.last().map_or(Condition::exactly(&Archs::all()), |frame| frame.around.and(&frame.here))
    }

    fn targets(&self) -> Condition {
        self.calls.last().map_or(Condition::exactly(&Archs::all()), |call| call.around.and(&call.here))
    }

    /// A call whose arguments are compiled for some devices only, behind its name.
    fn call(&mut self, name: &Range<usize>) {
        if !self.lexer.peek().is(b'(') {
            return;
        }
        let dispatch = self.lexer.read(name) == "NV_DISPATCH_TARGET";
        self.lexer.next();
        self.depth += 1;
        let here = self.target();
        let around = self.targets();
        self.calls.push(Call { depth: self.depth, dispatch, argument: 0, here, around });
    }

    /// The condition that an argument is.
    fn target(&self) -> Condition {
        let word = self.lexer.peek();
        let name = if word.kind == Kind::Word { self.lexer.read(&word.range) } else { "" };
        known(name).unwrap_or_else(Condition::unknown)
    }

    fn next_argument(&mut self) {
        let target = self.target();
        let Some(call) = self.calls.last_mut().filter(|call| call.depth == self.depth) else { return };
        call.argument += 1;
        match (call.dispatch, call.argument) {
            (true, argument) if argument % 2 == 0 => call.here = target,
            (false, 2) => call.here = call.here.clone().not(),
            _ => {}
        }
    }

    fn statement(&mut self, keyword: Range<usize>) {
        let mut ahead = self.lexer.clone();
        let mut volatile = false;
        loop {
            let lexeme = ahead.next();
            match &lexeme.kind {
                Kind::Word => match ahead.read(&lexeme.range) {
                    "volatile" | "__volatile__" | "__volatile" => volatile = true,
                    "inline" | "__inline__" | "__inline" | "goto" | "const" | "__const__" => {}
                    word => match self.macros.certain(word) {
                        Some(("volatile" | "__volatile__" | "__volatile", _)) => volatile = true,
                        Some(("", _)) => {}
                        _ => return,
                    },
                },
                Kind::Sign(b'(') => break,
                _ => return,
            }
        }
        self.lexer = ahead;
        volatile |= self.macros.certain(self.lexer.read(&keyword)).is_some_and(|(body, _)| body.contains("volatile"));
        let made = AsmStatement { range: keyword.clone(), keyword, volatile, ..AsmStatement::default() };
        let depth = self.frames.len();
        let here = self.here();
        let guard = Guard { may: here.holds().may.clone(), must: here.holds().must.clone(), host: here.holds().host };
        let mut reader = Reader {
            scanner: self,
            made: AsmStatement { guard, ..made },
            base: depth,
            branches: Vec::new(),
            open_groups: Vec::new(),
            section: 0,
            resume: None,
            lost: false,
        };
        reader.read();
        let Reader { mut made, resume, .. } = reader;
        made.range.end = self.lexer.at.max(made.keyword.end);
        // What was begun inside and not ended is none of what follows.
        if let Some((lexer, frames)) = resume {
            self.lexer = lexer;
            self.frames = frames;
        }
        self.statements.push(made);
    }
}

/// No condition, and no text that a macro stands for, has more lexemes.
const LONGEST_BODY: usize = 64;

/// Whether a macro's body is the keyword of a statement, with what may stand behind it.
fn is_keyword(body: &str) -> bool {
    let mut words = body.split_ascii_whitespace();
    matches!(words.next(), Some("asm" | "__asm__" | "__asm"))
        && words.all(|word| matches!(word, "volatile" | "__volatile__" | "__volatile" | "inline" | "goto"))
}

fn first_word(text: &str) -> &str {
    text.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).next().unwrap_or_default()
}

/// Reads a statement behind its opening parenthesis.
struct Reader<'s, 't> {
    scanner: &'s mut Scanner<'t>,
    made: AsmStatement,
    /// How many `#if`s were open where it begins.
    base: usize,
    branches: Branches,
    /// The `#if`s that are open inside: their groups, and the section that each begins in.
    open_groups: Vec<(usize, usize)>,
    /// How many colons stand before the reader.
    section: usize,
    /// Where to go on if a statement shares its end with another one in the next branch of an `#if` around its beginning.
    resume: Option<(Lexer<'t>, Vec<Frame>)>,
    /// It cannot be followed any further.
    lost: bool,
}

/// No statement has more lexemes, and no beginning that shares its end with another lies under so many `#if`s.
const LONGEST: usize = 60_000;
const DEEPEST: usize = 64;

impl<'t> Reader<'_, 't> {
    fn read(&mut self) {
        for _ in 0..LONGEST {
            let lexeme = self.next();
            match &lexeme.kind {
                Kind::Sign(b')') => {
                    self.made.finished = true;
                    // A macro behind the text may bring colons along.
                    let bare = self.section == 0 && self.made.template.len() > 1;
                    self.made.open |= bare && self.made.template.last().is_some_and(|part| part.literal.is_none());
                    return;
                }
                Kind::End | Kind::Sign(b';' | b'{' | b'}') => {
                    // Whoever goes on needs it.
                    self.scanner.lexer.at = lexeme.range.start;
                    return;
                }
                Kind::Sign(b':') => {
                    self.section += 1;
                    self.made.colons.push(lexeme.range.start);
                }
                Kind::Sign(b',') => {}
                _ => {
                    let went_well = match self.section {
                        0 => self.part(lexeme),
                        section @ (1 | 2) => self.operand(lexeme, section == 1),
                        3 => self.clobber(lexeme),
                        _ => true,
                    };
                    if !went_well {
                        return;
                    }
                }
            }
        }
    }

    /// The next lexeme that is none of a directive.
    fn next(&mut self) -> Lexeme {
        loop {
            let lexeme = self.scanner.lexer.next();
            self.lost |= self.resume.is_some() && !self.may_read_again();
            if self.lost {
                return Lexeme { kind: Kind::End, range: lexeme.range };
            }
            if lexeme.kind != Kind::Directive {
                return lexeme;
            }
            self.directive(lexeme);
        }
    }

    fn may_read_again(&mut self) -> bool {
        self.scanner.again = self.scanner.again.saturating_sub(1);
        self.scanner.again > 0
    }

    fn peek(&mut self) -> Lexeme {
        // Directives are gone through for good: what stands before them has been taken up.
        loop {
            let lexeme = self.scanner.lexer.peek();
            if lexeme.kind != Kind::Directive {
                return lexeme;
            }
            self.scanner.lexer.next();
            self.directive(lexeme);
        }
    }

    fn directive(&mut self, sign: Lexeme) {
        let crossing = self.scanner.frames.len() <= self.base;
        let saved = (crossing && self.resume.is_none() && self.base <= DEEPEST).then(|| self.scanner.frames.clone());
        match self.scanner.directive(false) {
            Directive::If => {
                let group = self.made.groups.len();
                self.made.groups.push(1);
                self.open_groups.push((group, self.section));
                self.branches.push((group, 0));
            }
            Directive::Else if crossing => {
                let here = Lexer::new(self.scanner.lexer.text, sign.range.start);
                self.resume = self.resume.take().or(saved.map(|frames| (here, frames)));
                self.lost |= self.resume.is_none();
                self.skip_branches();
            }
            Directive::Else => {
                if let (Some((group, section)), Some(branch)) = (self.open_groups.last(), self.branches.last_mut()) {
                    self.section = *section;
                    branch.1 = self.made.groups[*group];
                    self.made.groups[*group] += 1;
                }
            }
            Directive::End if crossing => self.base = self.base.saturating_sub(1),
            Directive::End => {
                // Without an `#else` there is the case that nothing is taken.
                if let Some((group, _)) = self.open_groups.pop()
                    && self.made.groups[group] == 1
                {
                    self.made.groups[group] = 2;
                }
                self.branches.pop();
            }
            Directive::Other => {}
        }
    }

    /// Passes over the branches behind the one that the statement begins in.
    fn skip_branches(&mut self) {
        let mut depth = 0usize;
        while !self.lost {
            let lexeme = self.scanner.lexer.next();
            self.lost |= !self.may_read_again();
            match lexeme.kind {
                Kind::End => return,
                Kind::Directive => match self.scanner.directive(false) {
                    Directive::If => depth += 1,
                    Directive::End if depth == 0 => {
                        self.base = self.base.saturating_sub(1);
                        return;
                    }
                    Directive::End => depth -= 1,
                    Directive::Else | Directive::Other => {}
                },
                _ => {}
            }
        }
    }

    /// A piece of the template.
    fn part(&mut self, lexeme: Lexeme) -> bool {
        let mut range = lexeme.range.clone();
        let branches = self.branches.clone();
        let mut went_well = true;
        let literal = match lexeme.kind {
            Kind::Text(literal) => Some(PartLiteral::from(literal)),
            Kind::Sign(b'(') => {
                went_well = self.group(&mut range);
                None
            }
            Kind::Word if self.peek().is(b'(') => {
                self.next();
                went_well = self.group(&mut range);
                None
            }
            Kind::Word => {
                if let Some(pasted) = self.scanner.pasted(&range) {
                    let number = self.scanner.statements.len();
                    // In the body of a macro a name counts when that is used, which may be later.
                    self.scanner.pastes.note(number, &range, &pasted, self.scanner.lexer.in_line);
                    let part = |literal| Part {
                        range: range.clone(),
                        literal: Some(literal),
                        branches: branches.clone(),
                        via: Via::SharedMacro,
                    };
                    self.made.template.extend(pasted.literals.into_iter().map(part));
                    return true;
                }
                None
            }
            _ => None,
        };
        self.made.template.push(Part { range, literal, branches, via: Via::Itself });
        went_well
    }

    /// The rest of a group behind its opening parenthesis; `false` where it does not end.
    fn group(&mut self, range: &mut Range<usize>) -> bool {
        let (mut depth, mut braces) = (1usize, 0usize);
        for _ in 0..LONGEST {
            let lexeme = self.next();
            match lexeme.kind {
                Kind::Sign(b'(' | b'[') => depth += 1,
                Kind::Sign(b')' | b']') => {
                    depth -= 1;
                    if depth == 0 {
                        range.end = lexeme.range.end;
                        return true;
                    }
                }
                Kind::Sign(b'{') => braces += 1,
                Kind::Sign(b'}') if braces > 0 => braces -= 1,
                Kind::Sign(b';') if braces > 0 => {}
                Kind::End | Kind::Sign(b';' | b'}') => {
                    self.scanner.lexer.at = lexeme.range.start;
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    /// An operand that begins with a lexeme, and what stands there in its place.
    fn operand(&mut self, first: Lexeme, output: bool) -> bool {
        let mut lexeme = first;
        let branches = self.branches.clone();
        let mut name = None;
        if lexeme.is(b'[') {
            let mut range = lexeme.range.clone();
            if !self.group(&mut range) {
                return false;
            }
            name = Some(range);
            if matches!(self.peek().kind, Kind::Sign(_) | Kind::End) {
                self.made.open = true;
                return true;
            }
            lexeme = self.next();
        }
        let mut at = lexeme.range.clone();
        let mut constraint = Some(String::new());
        loop {
            at.end = lexeme.range.end;
            match &lexeme.kind {
                Kind::Text(literal) => {
                    let text = self.scanner.lexer.read(&literal.inner);
                    constraint.iter_mut().for_each(|constraint| constraint.push_str(text));
                }
                _ => constraint = None,
            }
            let next = self.peek();
            match next.kind {
                Kind::Sign(b'(') => break,
                Kind::Text(_) | Kind::Word | Kind::Number | Kind::Sign(b'#') => lexeme = self.next(),
                _ => {
                    self.made.open = true;
                    return true;
                }
            }
        }
        let mut expression = self.next().range;
        let only_words = !self.scanner.lexer.read(&at).contains('"');
        if !self.group(&mut expression) {
            return false;
        }
        // `MACRO(x)` may be any number of operands; `"r"(x)` is one, and so is `MACRO(c)(x)`.
        if only_words {
            if !self.peek().is(b'(') {
                self.made.open = true;
                return true;
            }
            at.end = expression.end;
            expression = self.next().range;
            if !self.group(&mut expression) {
                return false;
            }
        }
        // Behind what may be any number of operands nobody knows the number of one.
        if self.made.open {
            return true;
        }
        self.made.operands.push(AsmOperand { output, name, constraint_at: at, constraint, expression, branches });
        true
    }

    fn clobber(&mut self, lexeme: Lexeme) -> bool {
        let branches = self.branches.clone();
        let name = match &lexeme.kind {
            Kind::Text(literal) => Some(self.scanner.lexer.read(&literal.inner).to_owned()),
            _ => None,
        };
        let mut range = lexeme.range.clone();
        // Literals side by side are one.
        if let (Kind::Text(_), Some(before)) = (&lexeme.kind, self.made.clobbers.last_mut())
            && before.branches == branches
            && self.scanner.lexer.read(&(before.range.end..range.start)).find(',').is_none()
        {
            before.range.end = range.end;
            before.name = before.name.take().zip(name).map(|(a, b)| a + &b);
            return true;
        }
        if lexeme.kind == Kind::Word && self.peek().is(b'(') {
            self.next();
            if !self.group(&mut range) {
                return false;
            }
        }
        self.made.clobbers.push(Clobber { range, name, branches });
        true
    }
}
