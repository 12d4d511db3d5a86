//! Words, numbers and signs of a litmus test, each with its place.
//!
//! Must not know what they mean.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LitmusTokenKind {
    /// A name, an opcode with its modifiers, a register.
    Word,
    /// A number with its sign.
    Number,
    /// A sign.
    Sign,
    /// A quoted text.
    Quoted,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LitmusToken<'t> {
    /// What it is.
    pub kind: LitmusTokenKind,
    /// Its text.
    pub text: &'t str,
    /// Its place in the text, in bytes.
    pub range: Range<usize>,
}

const SIGNS: [&str; 13] = ["==", "!=", "<=", ">=", "/\\", "\\/", "&&", "||", "<", ">", "=", "~", "&"];

/// The tokens of a text from an offset on, comments left out.
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

/// The length of a word: dots and `::` belong to it, a single colon ends it.
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
