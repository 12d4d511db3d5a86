//! Reads the tokens of a language: words, string literals and signs, without comments.

use super::HostSyntax;
use crate::inline_asm::{Formatting, LiteralEscapes, LiteralForm, PartLiteral, PythonLiteral};
use std::ops::Range;
use std::rc::Rc;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HostToken {
    pub kind: HostTokenKind,
    pub range: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum HostTokenKind {
    Word,
    Text(PartLiteral),
    Sign(char),
    End,
}

impl HostToken {
    pub fn is(&self, sign: char) -> bool {
        self.kind == HostTokenKind::Sign(sign)
    }
}

/// A name with the literals that it certainly stands for.
#[derive(Debug)]
pub(super) struct NamedLiterals {
    pub name: String,
    /// The offset after its definition.
    pub end: usize,
    pub literals: Vec<HostToken>,
}

/// Reads tokens in order.
#[derive(Clone)]
pub(super) struct HostTokenReader<'t> {
    pub text: &'t str,
    pub at: usize,
    syntax: &'static HostSyntax,
    /// The comments so far.
    pub comments: Vec<Range<usize>>,
    /// The names of literals.
    pub named: Rc<[NamedLiterals]>,
}

impl<'t> HostTokenReader<'t> {
    pub fn new(text: &'t str, syntax: &'static HostSyntax) -> Self {
        HostTokenReader { text, at: 0, syntax, comments: Vec::new(), named: Rc::default() }
    }

    /// The text of a token.
    pub fn read(&self, token: &HostToken) -> &'t str {
        &self.text[token.range.clone()]
    }

    /// Reads a sign if it is the next token.
    pub fn take(&mut self, sign: char) -> bool {
        let mut ahead = self.clone();
        let is_next = ahead.next().is(sign);
        if is_next {
            *self = ahead;
        }
        is_next
    }

    pub fn next(&mut self) -> HostToken {
        self.skip_blank();
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return HostToken { kind: HostTokenKind::End, range: start..start };
        };
        if let Some(literal) = self.literal(rest) {
            return HostToken { kind: HostTokenKind::Text(literal), range: start..self.at };
        }
        let is_word =
            |c: char| c.is_alphanumeric() || c == '_' || c == '.' && self.syntax.escapes == LiteralEscapes::Llvm;
        let kind = if is_word(first) { HostTokenKind::Word } else { HostTokenKind::Sign(first) };
        self.at += match kind {
            HostTokenKind::Word => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => character(rest).unwrap_or(first.len_utf8()),
        };
        HostToken { kind, range: start..self.at }
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            let rest = &rest[blank..];
            self.at += blank;
            let length = if rest.starts_with(self.syntax.line_comment) {
                rest.find('\n').unwrap_or(rest.len())
            } else if self.syntax.escapes == LiteralEscapes::Rust && rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.comments.push(self.at..self.at + length);
            self.at += length;
        }
    }

    /// Reads a string literal, if one is next.
    fn literal(&mut self, rest: &str) -> Option<PartLiteral> {
        if self.syntax.escapes == LiteralEscapes::Rust
            && let Some(raw) = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))
        {
            let opening = raw.trim_start_matches('#');
            if opening.starts_with('"') {
                let closing = format!("\"{}", &raw[..raw.len() - opening.len()]);
                let start = rest.len() - opening.len() + 1;
                return Some(self.until(rest, start, &closing, LiteralForm::Escaped(LiteralEscapes::None)));
            }
        }
        let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'' && self.syntax.is_python())?;
        let three = quote.to_string().repeat(3);
        let has_triple = self.syntax.escapes == LiteralEscapes::Julia || self.syntax.is_python();
        let triple = has_triple && rest.starts_with(&three);
        let form = if self.syntax.is_python() {
            LiteralForm::Python(PythonLiteral { raw: false, quote, triple, formatting: Formatting::None })
        } else {
            LiteralForm::Escaped(self.syntax.escapes)
        };
        let closing = if triple { three } else { quote.to_string() };
        Some(self.until(rest, closing.len(), &closing, form))
    }

    /// Reads a literal up to its closing quote.
    fn until(&mut self, rest: &str, start: usize, closing: &str, form: LiteralForm) -> PartLiteral {
        // In LLVM IR, a backslash is no escape for a quote.
        let has_escapes = form != LiteralForm::Escaped(LiteralEscapes::None) && self.syntax.line_comment != ";";
        let mut end = start;
        while let Some(c) = rest[end..].chars().next() {
            if rest[end..].starts_with(closing) {
                break;
            }
            end += c.len_utf8();
            if has_escapes && c == '\\' {
                end += rest[end..].chars().next().map_or(0, char::len_utf8);
            }
        }
        let closed = end < rest.len();
        let from = self.at;
        self.at += if closed { end + closing.len() } else { rest.len() };
        PartLiteral { inner: from + start..from + end, form, closed }
    }
}

/// The length of a character literal such as `'"'`.
fn character(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    let escape = usize::from(inside.starts_with('\\'));
    let c = inside[escape..].chars().next()?;
    inside[escape + c.len_utf8()..].starts_with('\'').then_some(1 + escape + c.len_utf8() + 1)
}
