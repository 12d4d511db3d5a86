//! Decodes and encodes C++ string literals.

use super::lexer::splice;
use crate::inline_asm::template::{TemplateChar, TemplateCharKind};
use std::ops::Range;

/// The decoded characters of a literal, from the range of its text.
pub(crate) fn decode(host: &str, inner: &Range<usize>, raw: bool, units: &mut Vec<TemplateChar>) {
    let bytes = host.as_bytes();
    let mut at = inner.start;
    while at < inner.end {
        let Some(c) = host[at..inner.end].chars().next() else { return };
        if c != '\\' || raw {
            units.push(TemplateChar::exact(at, c));
            at += c.len_utf8();
            continue;
        }
        let skipped = splice(bytes, at);
        if skipped > 0 {
            at += skipped;
            continue;
        }
        let (c, length) = escape(&host[at..inner.end]);
        units.push(TemplateChar::whole(TemplateCharKind::Char(c), at..at + length));
        at += length;
    }
}

/// The decoded character of an escape, and the escape's length.
fn escape(text: &str) -> (char, usize) {
    let number = |digits: &str, radix: u32, before: usize| {
        let value = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        (value.unwrap_or(char::REPLACEMENT_CHARACTER), before + digits.len())
    };
    let digits = |from: usize, most: usize, radix: u32| {
        let rest = text.get(from..).unwrap_or_default();
        let length = rest.bytes().take(most).take_while(|byte| char::from(*byte).is_digit(radix)).count();
        &rest[..length]
    };
    let Some(c) = text[1..].chars().next() else { return ('\\', 1) };
    match c {
        'n' => ('\n', 2),
        't' => ('\t', 2),
        'r' => ('\r', 2),
        'a' => ('\u{7}', 2),
        'b' => ('\u{8}', 2),
        'f' => ('\u{c}', 2),
        'v' => ('\u{b}', 2),
        'x' if !digits(2, 8, 16).is_empty() => number(digits(2, 8, 16), 16, 2),
        'u' if digits(2, 4, 16).len() == 4 => number(digits(2, 4, 16), 16, 2),
        'U' if digits(2, 8, 16).len() == 8 => number(digits(2, 8, 16), 16, 2),
        '0'..='7' => number(digits(1, 3, 8), 8, 1),
        c => (c, 1 + c.len_utf8()),
    }
}

/// Encodes a text for a literal, without quotes; `None` if it cannot be encoded.
pub(crate) fn encode(text: &str, raw: bool) -> Option<String> {
    if raw {
        return (!text.contains([')', '"'])).then(|| text.to_owned());
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => escaped += "\\n",
            '\t' => escaped += "\\t",
            '\r' => escaped += "\\r",
            '"' | '\\' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    Some(escaped)
}
