//! The tokens of litmus tests.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LitmusTokenKind {
    /// A name, an opcode with its modifiers, a register.
    Word,
    /// A number, perhaps negative.
    Number,
    /// An operator or a delimiter.
    Sign,
    /// A string.
    Quoted,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LitmusToken<'t> {
    /// The kind.
    pub kind: LitmusTokenKind,
    /// The text.
    pub text: &'t str,
    /// The byte range.
    pub range: Range<usize>,
}

const SIGNS: [&str; 13] = ["==", "!=", "<=", ">=", "/\\", "\\/", "&&", "||", "<", ">", "=", "~", "&"];

/// The tokens of a text from an offset on, without comments.
pub fn tokens(text: &str, start: usize) -> Vec<LitmusToken<'_>> {
    let mut all = Vec::new();
    let mut at = start;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or(' ');
        let (kind, len) = if first.is_whitespace() {
            (None, first.len_utf8())
        } else if rest.starts_with("//") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("(*") {
            (None, rest.find("*)").map_or(rest.len(), |end| end + 2))
        } else if first == '"' {
            (Some(LitmusTokenKind::Quoted), rest[1..].find('"').map_or(rest.len(), |end| end + 2))
        } else if starts_word(first) {
            (Some(LitmusTokenKind::Word), word(rest))
        } else if first.is_ascii_digit() || first == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            let more = |c: char| c.is_ascii_alphanumeric();
            (Some(LitmusTokenKind::Number), rest[1..].find(|c| !more(c)).map_or(rest.len(), |end| end + 1))
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (Some(LitmusTokenKind::Sign), sign.map_or(first.len_utf8(), |sign| sign.len()))
        };
        if let Some(kind) = kind {
            all.push(LitmusToken { kind, text: &rest[..len], range: at..at + len });
        }
        at += len;
    }
    all
}

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '%' | '$')
}

/// The length of a word. Dots and `::` are part of it, a single colon ends it.
fn word(rest: &str) -> usize {
    let mut len = 0;
    while let Some(c) = rest[len..].chars().next() {
        if c.is_alphanumeric() || matches!(c, '_' | '%' | '$' | '.') {
            len += c.len_utf8();
        } else if rest[len..].starts_with("::") {
            len += 2;
        } else {
            break;
        }
    }
    len
}
