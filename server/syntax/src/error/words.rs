//! The words of a statement: names with their parts, numbers well-formed and not, signs.
//!
//! Must not know which word may follow which, nor the tree.

use crate::trivia;
use std::ops::Range;

/// What kind of word stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, an opcode, a part of a register.
    Word,
    /// A well-formed number.
    Number,
    /// Digits with something behind them that makes no number.
    BadNumber,
    /// A sign, or several that belong together.
    Sign,
    /// A character that PTX does not know.
    Foreign,
}

/// A word of a statement; ranges are bytes in the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// The words of a text, blanks and comments left out.
pub(super) fn words(text: &str) -> Vec<Word> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = trivia::skip(text, 0);
    while at < bytes.len() {
        let start = at;
        let rest = &text[at..];
        let kind = match bytes[at] {
            b'0'..=b'9' => number(rest),
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => number(rest),
            b if is_word(b) || b == b'.' => (Kind::Word, word_length(rest)),
            b if b.is_ascii() => (Kind::Sign, sign_length(rest)),
            _ => (Kind::Foreign, rest.chars().next().map_or(1, char::len_utf8)),
        };
        at += kind.1;
        words.push(Word { kind: kind.0, range: start..at });
        at = trivia::skip(text, at);
    }
    words
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

/// A name with the parts that hang on it by `.` and `::`.
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += bytes[at..].iter().take_while(|b| is_word(**b)).count();
        let joint = if text[at..].starts_with("::") { 2 } else { usize::from(text[at..].starts_with('.')) };
        if joint == 0 || !bytes.get(at + joint).is_some_and(|b| is_word(*b)) {
            // A dot that nothing follows is still part of what is being written.
            return at.max(1);
        }
        at += joint;
    }
}

fn sign_length(text: &str) -> usize {
    ["||", "&&", "==", "!=", "<=", ">=", "<<", ">>"]
        .iter()
        .find(|sign| text.starts_with(**sign))
        .map_or(1, |sign| sign.len())
}

fn number(text: &str) -> (Kind, usize) {
    let length = number_length(text);
    let kind = if is_number(&text[..length]) { Kind::Number } else { Kind::BadNumber };
    (kind, length)
}

/// As far as it looks like one number, whether it is well-formed or not.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let plain =
        !matches!(bytes.get(1), Some(b'x' | b'X' | b'f' | b'F' | b'd' | b'D' | b'b' | b'B')) || bytes[0] != b'0';
    let mut at = 0;
    while at < bytes.len() && (is_word(bytes[at]) || (bytes[at] == b'.' && plain)) {
        let exponent = plain && matches!(bytes[at], b'e' | b'E') && matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        at += 1 + usize::from(exponent);
    }
    at
}

fn is_number(text: &str) -> bool {
    let all = |digits: &str, fits: fn(&u8) -> bool| !digits.is_empty() && digits.as_bytes().iter().all(fits);
    let integer = text.strip_suffix('U').unwrap_or(text);
    let (head, tail) = text.split_at(text.len().min(2));
    match head {
        "0x" | "0X" => all(&integer[2..], u8::is_ascii_hexdigit),
        "0b" | "0B" => all(&integer[2..], |b| matches!(b, b'0' | b'1')),
        "0f" | "0F" => tail.len() == 8 && all(tail, u8::is_ascii_hexdigit),
        "0d" | "0D" => tail.len() == 16 && all(tail, u8::is_ascii_hexdigit),
        _ if text.contains(['.', 'e', 'E']) => text.parse::<f64>().is_ok(),
        _ if integer.len() > 1 && integer.starts_with('0') => all(integer, |b| matches!(b, b'0'..=b'7')),
        _ => all(integer, u8::is_ascii_digit),
    }
}
