//! Decodes and encodes Python's string literals.

use crate::inline_asm::template::{TemplateChar, TemplateCharKind};
use crate::inline_asm::{Formatting, PythonLiteral};
use std::ops::Range;

/// The decoded characters of a literal, from the range of its text.
pub(crate) fn decode(host: &str, inner: &Range<usize>, form: PythonLiteral, units: &mut Vec<TemplateChar>) {
    let Some(text) = host.get(inner.clone()) else { return };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let place = |length: usize| inner.start + at..inner.start + at + length;
        let length = match c {
            '\\' if !form.raw => {
                let (decoded, length) = escape(rest);
                match decoded {
                    Decoded::Nothing => {}
                    Decoded::Char(c) => units.push(TemplateChar::whole(TemplateCharKind::Char(c), place(length))),
                    Decoded::Written => units.push(TemplateChar::exact(inner.start + at, '\\')),
                }
                length
            }
            '\r' if rest.starts_with("\r\n") => {
                units.push(TemplateChar::whole(TemplateCharKind::Char('\n'), place(2)));
                2
            }
            _ => match replaced(rest, form.formatting) {
                Some((what, length)) => {
                    units.push(TemplateChar::whole(what, place(length)));
                    length
                }
                None => {
                    units.push(TemplateChar::exact(inner.start + at, c));
                    c.len_utf8()
                }
            },
        };
        at += length;
    }
}

/// What formatting makes of the beginning of a text, and the length of that beginning; `None` if it stays.
fn replaced(text: &str, formatting: Formatting) -> Option<(TemplateCharKind, usize)> {
    let doubled = |c: char| {
        let mut chars = text.chars();
        (chars.next() == Some(c) && chars.next() == Some(c)).then_some((TemplateCharKind::Char(c), 2))
    };
    match formatting {
        Formatting::None => None,
        Formatting::Interpolated => doubled('{').or_else(|| doubled('}')),
        Formatting::Braces => doubled('{').or_else(|| doubled('}')).or_else(|| {
            let field = text.strip_prefix('{')?;
            let mut depth = 1usize;
            let end = field.find(|c| {
                depth = match c {
                    '{' => depth + 1,
                    '}' => depth - 1,
                    _ => depth,
                };
                depth == 0
            });
            Some((TemplateCharKind::Placeholder, end.map_or(text.len(), |end| end + 2)))
        }),
        Formatting::Percent => doubled('%').or_else(|| {
            let field = text.strip_prefix('%')?;
            let key = field.strip_prefix('(').map_or(Some(0), |key| key.find(')').map(|end| end + 2))?;
            let flags = field[key..].find(|c: char| !matches!(c, '#' | '0'..='9' | '-' | ' ' | '+' | '.' | '*'))?;
            let kind = field[key + flags..].chars().next()?;
            kind.is_ascii_alphabetic().then_some((TemplateCharKind::Placeholder, 1 + key + flags + 1))
        }),
    }
}

/// What an escape stands for.
enum Decoded {
    Char(char),
    /// The end of the line is joined with the next one.
    Nothing,
    /// No escape: the backslash itself.
    Written,
}

/// What an escape stands for, and its length.
fn escape(text: &str) -> (Decoded, usize) {
    let digits = |from: usize, most: usize, radix: u32| {
        let rest = text.get(from..).unwrap_or_default();
        let length = rest.bytes().take(most).take_while(|byte| char::from(*byte).is_digit(radix)).count();
        &rest[..length]
    };
    let number = |digits: &str, radix: u32, before: usize| {
        let value = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        (Decoded::Char(value.unwrap_or(char::REPLACEMENT_CHARACTER)), before + digits.len())
    };
    let Some(c) = text[1..].chars().next() else { return (Decoded::Written, 1) };
    let decoded = match c {
        '\n' => return (Decoded::Nothing, 2),
        '\r' => return (Decoded::Nothing, if text[1..].starts_with("\r\n") { 3 } else { 2 }),
        'x' if digits(2, 2, 16).len() == 2 => return number(digits(2, 2, 16), 16, 2),
        'u' if digits(2, 4, 16).len() == 4 => return number(digits(2, 4, 16), 16, 2),
        'U' if digits(2, 8, 16).len() == 8 => return number(digits(2, 8, 16), 16, 2),
        '0'..='7' => return number(digits(1, 3, 8), 8, 1),
        'N' if text[2..].starts_with('{') && text.contains('}') => {
            return (Decoded::Char(char::REPLACEMENT_CHARACTER), text.find('}').unwrap_or(2) + 1);
        }
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '\\' | '\'' | '"' => c,
        _ => return (Decoded::Written, 1),
    };
    (Decoded::Char(decoded), 2)
}

/// Encodes a text for a literal, without quotes; `None` if it cannot be encoded.
pub(crate) fn encode(text: &str, form: PythonLiteral) -> Option<String> {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' if form.triple => written.push(c),
            '\n' | '\t' | '\r' | '\\' if form.raw => return None,
            '\n' => written += "\\n",
            '\t' => written += "\\t",
            '\r' => written += "\\r",
            c if c == form.quote => {
                if form.raw {
                    return None;
                }
                written.extend(['\\', c]);
            }
            '\\' => written += "\\\\",
            '{' | '}' if matches!(form.formatting, Formatting::Interpolated | Formatting::Braces) => {
                written.extend([c, c]);
            }
            '%' if form.formatting == Formatting::Percent => written += "%%",
            c => written.push(c),
        }
    }
    Some(written)
}
