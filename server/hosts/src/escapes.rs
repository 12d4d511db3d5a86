//! Literals of languages whose escapes are simple: decoding and encoding.

use crate::inline_asm::LiteralEscapes;
use crate::inline_asm::template::{TemplateChar, TemplateCharKind};
use std::ops::Range;

/// The decoded characters of a literal, from the range of its text.
pub(crate) fn decode(host: &str, inner: &Range<usize>, style: LiteralEscapes, units: &mut Vec<TemplateChar>) {
    let Some(text) = host.get(inner.clone()) else { return };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let (decoded, length) = match (c, style) {
            ('\\', LiteralEscapes::Json | LiteralEscapes::Llvm | LiteralEscapes::Rust | LiteralEscapes::Julia) => {
                escape(&text[at..], style)
            }
            ('$', LiteralEscapes::Julia) => (Some(TemplateCharKind::Placeholder), interpolated(&text[at..])),
            _ => {
                units.push(TemplateChar::exact(inner.start + at, c));
                at += c.len_utf8();
                continue;
            }
        };
        let place = inner.start + at..inner.start + at + length;
        units.extend(decoded.map(|what| TemplateChar::whole(what, place)));
        at += length;
    }
}

/// The length of an interpolated name or expression.
fn interpolated(text: &str) -> usize {
    let rest = &text[1..];
    if rest.starts_with('(') {
        let mut depth = 0usize;
        let end = rest.find(|c| {
            depth = match c {
                '(' => depth + 1,
                ')' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        return end.map_or(text.len(), |end| end + 2);
    }
    1 + rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
}

/// What an escape stands for, and its length. A backslash that begins none is written.
fn escape(text: &str, style: LiteralEscapes) -> (Option<TemplateCharKind>, usize) {
    let char = |c: char, length: usize| (Some(TemplateCharKind::Char(c)), length);
    let Some(next) = text[1..].chars().next() else { return char('\\', 1) };
    let number = |digits: Option<&str>, length: usize| {
        let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        value.map(|value| char(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER), length))
    };
    let numbered = match (next, style) {
        ('u', LiteralEscapes::Json) => surrogates(text).or_else(|| number(text.get(2..6), 6)),
        ('x', LiteralEscapes::Rust | LiteralEscapes::Julia) => number(text.get(2..4), 4),
        ('u', LiteralEscapes::Rust) => text.find('}').and_then(|end| number(text.get(3..end), end + 1)),
        (_, LiteralEscapes::Llvm) => number(text.get(1..3), 3),
        _ => None,
    };
    if let Some(found) = numbered {
        return found;
    }
    match (next, style) {
        ('n', _) => char('\n', 2),
        ('t', _) => char('\t', 2),
        ('r', _) => char('\r', 2),
        ('b', LiteralEscapes::Json) => char('\u{8}', 2),
        ('f', LiteralEscapes::Json) => char('\u{c}', 2),
        ('0', LiteralEscapes::Rust) => char('\0', 2),
        ('\\' | '"' | '\'' | '/' | '$', _) => char(next, 2),
        // The next line continues this one.
        ('\n', LiteralEscapes::Rust | LiteralEscapes::Julia) => {
            let rest = &text[2..];
            (None, 2 + rest.len() - rest.trim_start().len())
        }
        _ => char('\\', 1),
    }
}

/// A character that JSON writes as two escapes, of a high and a low surrogate.
fn surrogates(text: &str) -> Option<(Option<TemplateCharKind>, usize)> {
    let half = |at: usize, first: u32| {
        let value = u32::from_str_radix(text.get(at..at + 4)?, 16).ok()?.checked_sub(first)?;
        (value < 0x400).then_some(value)
    };
    let (high, low) =
        (half(2, 0xd800)?, text.get(6..8).filter(|second| *second == "\\u").and_then(|_| half(8, 0xdc00))?);
    let c = char::from_u32(0x10000 + (high << 10) + low)?;
    Some((Some(TemplateCharKind::Char(c)), 12))
}

/// Encodes a text for a literal, without quotes; `None` if it cannot be encoded.
pub(crate) fn encode(text: &str, style: LiteralEscapes) -> Option<String> {
    if style == LiteralEscapes::None {
        return (!text.contains('"')).then(|| text.to_owned());
    }
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match (c, style) {
            ('\n', LiteralEscapes::Llvm) => written += "\\0A",
            ('\t', LiteralEscapes::Llvm) => written += "\\09",
            ('"', LiteralEscapes::Llvm) => written += "\\22",
            ('\n', _) => written += "\\n",
            ('\t', _) => written += "\\t",
            ('"' | '\\', _) | ('$', LiteralEscapes::Julia) => written.extend(['\\', c]),
            (c, _) if c.is_control() => return None,
            (c, _) => written.push(c),
        }
    }
    Some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_and_encoded() {
        for (style, written, expected) in [
            (LiteralEscapes::Json, r#"a\n\t\"\\\/é\u00e9\ud83d\ude00"#, "a\n\t\"\\/éé😀"),
            (LiteralEscapes::Llvm, r"a\0A\09\22\5C\n", "a\n\t\"\\\n"),
            (LiteralEscapes::Rust, "a\\n\\x41\\u{42}\\\n   b", "a\nABb"),
            (LiteralEscapes::Julia, r"\$0 $a, $(f(x));", "$0 \0, \0;"),
            (LiteralEscapes::None, r"a\n", r"a\n"),
            (LiteralEscapes::Json, r"\q\", r"\q\"),
        ] {
            let mut units = Vec::new();
            decode(written, &(0..written.len()), style, &mut units);
            let text: String = units.iter().map(|unit| unit.what.char()).collect();
            assert_eq!(text, expected, "{written}");
        }
        for style in [LiteralEscapes::Json, LiteralEscapes::Llvm, LiteralEscapes::Rust, LiteralEscapes::Julia] {
            let written = encode("a\n\t\"\\$0", style).expect("can be written");
            let mut units = Vec::new();
            decode(&written, &(0..written.len()), style, &mut units);
            assert_eq!(units.iter().map(|unit| unit.what.char()).collect::<String>(), "a\n\t\"\\$0");
        }
    }
}
