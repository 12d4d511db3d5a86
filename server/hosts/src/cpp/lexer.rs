//! A lexer of C++ that suffices to find statements: words, literals, comments, line continuations and the starts of directives.

use crate::inline_asm::source::LiteralSourceCode;
use crate::inline_asm::{LiteralForm, PartLiteral};
use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CppTokenKind {
    Word,
    Number,
    Text(Literal),
    Character,
    Sign(u8),
    /// The `#` that begins a directive.
    Directive,
    /// The end of the text, or of the line inside a directive.
    End,
}

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    /// `R"(…)"`: it has no escapes.
    pub raw: bool,
    /// Whether it has no prefix or `u8`.
    pub narrow: bool,
    /// The text between the quotes, or between the parentheses of a raw literal.
    pub inner: Range<usize>,
    /// Whether it is terminated.
    pub closed: bool,
}

/// What raw literals may contain. Those in the source in a raw literal are text, so that reading them takes linear time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RawLiterals {
    MayBeSource,
    Text,
}

impl Literal {
    /// The source code in a raw literal, if it is one.
    pub fn source(&self, text: &str, raw_literals: RawLiterals) -> Option<LiteralSourceCode> {
        let may_be_source = raw_literals == RawLiterals::MayBeSource && self.raw && self.closed;
        if may_be_source { LiteralSourceCode::of(&text[self.inner.clone()]) } else { None }
    }
}

impl From<Literal> for PartLiteral {
    fn from(Literal { inner, raw, narrow, closed }: Literal) -> Self {
        PartLiteral { inner, form: LiteralForm::Cpp { raw, narrow }, closed }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CppToken {
    pub kind: CppTokenKind,
    pub range: Range<usize>,
}

impl CppToken {
    pub fn is(&self, sign: u8) -> bool {
        self.kind == CppTokenKind::Sign(sign)
    }
}

/// Reads tokens in order.
#[derive(Clone, Debug)]
pub(super) struct CppLexer<'t> {
    pub text: &'t str,
    pub at: usize,
    /// Whether a line break is the end, as inside a directive.
    pub in_line: bool,
    line_start: bool,
}

impl<'t> CppLexer<'t> {
    pub fn new(text: &'t str, at: usize) -> Self {
        CppLexer { text, at, in_line: false, line_start: true }
    }

    /// The text of a range.
    pub fn read(&self, range: &Range<usize>) -> &'t str {
        &self.text[range.clone()]
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The length of a line continuation at an offset, 0 if there is none.
    fn splice(&self, at: usize) -> usize {
        splice(self.text.as_bytes(), at)
    }

    pub fn peek(&self) -> CppToken {
        self.clone().next()
    }

    pub fn next(&mut self) -> CppToken {
        loop {
            let at = self.at;
            if at >= self.text.len() {
                return CppToken { kind: CppTokenKind::End, range: self.text.len()..self.text.len() };
            }
            match self.byte(at) {
                b'\n' if self.in_line => return CppToken { kind: CppTokenKind::End, range: at..at },
                b'\n' => {
                    self.at += 1;
                    self.line_start = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.splice(at) > 0 => self.at += self.splice(at),
                b'/' if self.byte(at + 1) == b'/' => self.at = self.line_end(at),
                b'/' if self.byte(at + 1) == b'*' => {
                    self.at = self.text[at + 2..].find("*/").map_or(self.text.len(), |end| at + 2 + end + 2);
                }
                _ => break,
            }
        }
        let at = self.at;
        let begins_line = std::mem::take(&mut self.line_start);
        let kind = match self.byte(at) {
            b'"' => CppTokenKind::Text(self.string(at, true)),
            b'\'' => {
                self.at = self.quoted(at + 1, b'\'').0;
                CppTokenKind::Character
            }
            b'0'..=b'9' => {
                self.number();
                CppTokenKind::Number
            }
            b'#' if begins_line && !self.in_line => {
                self.at += 1;
                CppTokenKind::Directive
            }
            byte if is_word(byte) => {
                while is_word(self.byte(self.at)) {
                    self.at += 1;
                }
                match (&self.text[at..self.at], self.byte(self.at)) {
                    ("u8", b'"') => CppTokenKind::Text(self.string(self.at, true)),
                    ("u" | "U" | "L", b'"') => CppTokenKind::Text(self.string(self.at, false)),
                    ("R" | "u8R", b'"') => CppTokenKind::Text(self.raw(self.at, true)),
                    ("uR" | "UR" | "LR", b'"') => CppTokenKind::Text(self.raw(self.at, false)),
                    _ => CppTokenKind::Word,
                }
            }
            sign => {
                self.at += 1;
                CppTokenKind::Sign(sign)
            }
        };
        CppToken { kind, range: at..self.at }
    }

    /// The end of a line, continuations included.
    fn line_end(&self, from: usize) -> usize {
        let mut at = from;
        loop {
            let Some(end) = self.text[at..].find('\n').map(|end| at + end) else { return self.text.len() };
            let before = self.text[from..end].trim_end_matches('\r');
            if !before.ends_with('\\') {
                return end;
            }
            at = end + 1;
        }
    }

    fn number(&mut self) {
        loop {
            let (byte, next) = (self.byte(self.at), self.byte(self.at + 1));
            if is_word(byte) || byte == b'.' || (byte == b'\'' && next.is_ascii_alphanumeric()) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn string(&mut self, quote: usize, narrow: bool) -> Literal {
        let (end, closed) = self.quoted(quote + 1, b'"');
        self.at = end;
        Literal { raw: false, narrow, inner: quote + 1..end - usize::from(closed), closed }
    }

    /// The end of a quoted literal, at a line break at the latest, and whether it is terminated.
    fn quoted(&self, mut at: usize, quote: u8) -> (usize, bool) {
        while at < self.text.len() {
            match self.byte(at) {
                b'\\' if self.splice(at) > 0 => at += self.splice(at),
                b'\\' => at += 2,
                b'\n' => return (at, false),
                byte if byte == quote => return (at + 1, true),
                _ => at += 1,
            }
        }
        (floor(self.text, at), false)
    }

    fn raw(&mut self, quote: usize, narrow: bool) -> Literal {
        let rest = &self.text[quote + 1..];
        let is_delimiter = |text: &str| text.len() <= 16 && !text.contains([' ', '\\', ')', '\n', '\t', '"']);
        let Some(open) = rest.find('(').filter(|at| is_delimiter(&rest[..*at])) else {
            return Literal { raw: true, ..self.string(quote, narrow) };
        };
        let start = quote + 1 + open + 1;
        let close = format!("){}\"", &rest[..open]);
        match self.text[start..].find(&close) {
            Some(end) => {
                self.at = start + end + close.len();
                Literal { raw: true, narrow, inner: start..start + end, closed: true }
            }
            None => {
                self.at = self.text.len();
                Literal { raw: true, narrow, inner: start..self.text.len(), closed: false }
            }
        }
    }
}

/// The length of a line continuation at an offset, 0 if there is none.
pub(super) fn splice(text: &[u8], at: usize) -> usize {
    match (text.get(at), text.get(at + 1), text.get(at + 2)) {
        (Some(b'\\'), Some(b'\n'), _) => 2,
        (Some(b'\\'), Some(b'\r'), Some(b'\n')) => 3,
        _ => 0,
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}
