//! A text in words, numbers and signs; comments, strings and line markers are left out.

use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    /// A decimal one.
    Float,
    /// A name, or a word with a dot; also a floating-point number by its bits.
    Word,
    Sign,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    start: usize,
}

impl Token<'_> {
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// Signs of two characters, as far as expressions have them.
const DOUBLE: [&str; 8] = ["||", "&&", "==", "!=", "<=", ">=", "<<", ">>"];

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        let (kind, end) = token(text, at, sign);
        found.extend(kind.map(|kind| Token { kind, text: &text[at..end], start: at }));
        at = end;
    }
    found
}

/// What begins at a place, and where it ends; without a kind what nothing is said of.
fn token(text: &str, at: usize, sign: char) -> (Option<Kind>, usize) {
    let rest = &text[at..];
    let until = |end: Option<usize>| end.map_or(text.len(), |end| at + end);
    let second = rest.as_bytes().get(1).copied().unwrap_or(0);
    match (sign, second) {
        ('/', b'/') | ('#', _) => (None, until(rest.find('\n'))),
        ('/', b'*') => (None, until(rest[2..].find("*/").map(|end| end + 4))),
        ('"', _) => (None, until(rest[1..].find('"').map(|end| end + 2))),
        ('0'..='9', _) | ('.', b'0'..=b'9') => {
            let (kind, length) = number(rest.as_bytes());
            (Some(kind), at + length)
        }
        ('A'..='Z' | 'a'..='z' | '_' | '$' | '.', _) => (Some(Kind::Word), at + 1 + word(&rest.as_bytes()[1..])),
        ('%', second) if is_word(second) => (Some(Kind::Word), at + 1 + word(&rest.as_bytes()[1..])),
        _ if sign.is_ascii_whitespace() || !sign.is_ascii() || sign == '\x1a' => (None, at + sign.len_utf8()),
        _ if DOUBLE.iter().any(|double| rest.starts_with(double)) => (Some(Kind::Sign), at + 2),
        _ => (Some(Kind::Sign), at + 1),
    }
}

fn word(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_word(**byte)).count()
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// A number with its length.
fn number(bytes: &[u8]) -> (Kind, usize) {
    match bytes {
        [b'0', b'f' | b'F' | b'd' | b'D', ..] => return (Kind::Word, word(bytes)),
        [b'0', b'x' | b'X' | b'b' | b'B', ..] => return (Kind::Integer, word(bytes)),
        _ => {}
    }
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    let mut end = if bytes.get(whole) == Some(&b'.') { digits(whole + 1) } else { whole };
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let first = end + 1 + sign;
        if bytes.get(first).is_some_and(u8::is_ascii_digit) {
            end = digits(first);
        }
    }
    match end == whole {
        true => (Kind::Integer, word(bytes)),
        false => (Kind::Float, end),
    }
}
