//! The data of debug sections: the types of their lines, and the ranges of their numbers. As measured with the assembler.

use crate::directives::section_labels;
use diagnostics::registry::INVALID_INITIAL_VALUE;
use diagnostics::{Context, Diagnostic, replace};
use isa::types::{Type, is_opaque};
use std::ops::{Range, RangeInclusive};
use syntax::{Item, Recovery, Rope, byte_lines, instruction_type, integer_value};

/// The directive of a debug section.
pub(super) const SECTION: &str = ".section";

/// The maximum number of digits of a number that fits in every type.
const DIGITS_OF_EVERY_TYPE: usize = 2;

/// The maximum number of digits of a number that fits in 32 bits.
const DIGITS_OF_32_BITS: usize = 9;

/// Checks the lines of an item, if it is a debug section. Returns whether it is one that has certainly no invalid constant.
pub fn check(
    text: &Rope,
    item: &Item,
    (recovery, context): (&Recovery, &Context),
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    if item.directive().text != SECTION {
        return false;
    }
    section_labels::check(text, item, context, diagnostics);
    let (mut start, mut all_plain) = (item.range().start, true);
    let mut check_line = |line: &str, start: usize| {
        if !is_plain(line.as_bytes()) {
            all_plain &= has_no_constant(line);
            check_other_line(line, start, recovery, diagnostics);
        }
    };
    // The end of the last chunk, if it is a part of a line.
    let mut carried = String::new();
    for chunk in text.byte_slice(item.range()).chunks() {
        let mut rest = chunk;
        while !rest.is_empty() {
            if carried.is_empty() {
                let bytes = byte_lines(rest.as_bytes());
                start += bytes;
                rest = &rest[bytes..];
            }
            let plain = if carried.is_empty() { plain_line(rest.as_bytes()) } else { None };
            let length = plain.unwrap_or_else(|| rest.find('\n').map_or(rest.len(), |end| end + 1));
            let (line, after) = rest.split_at(length);
            rest = after;
            if plain.is_some() {
                start += length;
            } else if carried.is_empty() && line.ends_with('\n') {
                check_line(line, start);
                start += length;
            } else {
                carried += line;
                if line.ends_with('\n') {
                    check_line(&carried, start);
                    start += carried.len();
                    carried.clear();
                }
            }
        }
    }
    check_line(&carried, start);
    all_plain
}

/// Whether a line is the head of a section, a brace or a label.
fn has_no_constant(line: &str) -> bool {
    let line = line.trim();
    let name = line.strip_prefix(SECTION).map_or(line, str::trim_start);
    matches!(name, "" | "{" | "}") || is_symbol(name.strip_suffix(':').unwrap_or(name).as_bytes())
}

/// Checks a line that starts at an offset and ends with a line feed, and that is not as compilers write them.
fn check_other_line(line: &str, start: usize, recovery: &Recovery, diagnostics: &mut Vec<Diagnostic>) {
    let mut start = start;
    // A carriage return ends a line, too.
    for line in line.split_inclusive('\r') {
        let certain = |found: &Diagnostic| !recovery.is_in_statement(found.range.start);
        diagnostics.extend(line_error(line, start).filter(certain));
        start += line.len();
    }
}

/// Whether a line is as compilers write them: a type and short decimal numbers, or for 32 and 64 bits a symbol or the difference of two. Such a
/// line has no error.
fn is_plain(line: &[u8]) -> bool {
    let is_address = match line.trim_ascii() {
        [b'.', b'b', b'3', b'2', b' ', values @ ..] | [b'.', b'b', b'6', b'4', b' ', values @ ..] => {
            values.splitn(2, |byte| *byte == b'-').all(is_symbol)
        }
        _ => false,
    };
    is_address || plain_numbers(line) == Some(line.len())
}

/// The length of the line at the beginning of a text, if it is as compilers write most: numbers, or an address. It ends with a line feed.
fn plain_line(text: &[u8]) -> Option<usize> {
    plain_numbers(text).or_else(|| plain_address(text))
}

/// The length of the line at the beginning of a text, if it is a type of 32 or 64 bits and a symbol, or the difference of two. A symbol with a
/// period after its first character is left to [`is_symbol`].
fn plain_address(text: &[u8]) -> Option<usize> {
    let mut end = match text {
        [b'.', b'b', b'3', b'2', b' ', ..] | [b'.', b'b', b'6', b'4', b' ', ..] => 5,
        _ => return None,
    };
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let symbol = |text: &[u8]| {
        let length = text.iter().take_while(is_word).count();
        matches!(text.first(), Some(b'_' | b'$')).then_some(length)
    };
    end += symbol(&text[end..])?;
    if text.get(end) == Some(&b'-') {
        end += 1 + symbol(&text[end + 1..])?;
    }
    (text.get(end) == Some(&b'\n')).then_some(end + 1)
}

/// The length of the line at the beginning of a text, if it consists of a type and short decimal numbers, and ends with a line feed.
fn plain_numbers(text: &[u8]) -> Option<usize> {
    let start = text.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let (ty, digits, greatest) = match &text[start..] {
        [b'.', b'b', b'8', b' ', ..] => (4, 3, 255),
        [b'.', b'b', b'3', b'2', b' ', ..] | [b'.', b'b', b'6', b'4', b' ', ..] => (5, DIGITS_OF_32_BITS, u32::MAX),
        _ => return None,
    };
    let end = start + ty + numbers_length(&text[start + ty..], digits, greatest)?;
    let space = text[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    (text.get(end + space) == Some(&b'\n')).then_some(end + space + 1)
}

/// The length of the list of decimal numbers at the beginning of a text, given their maximum number of digits and their maximum.
fn numbers_length(text: &[u8], digits: usize, greatest: u32) -> Option<usize> {
    let (mut number, mut length) = (0, 0);
    let mut end = 0;
    loop {
        match text.get(end) {
            Some(digit @ b'0'..=b'9') if length < digits => {
                number = 10 * number + u32::from(digit - b'0');
                length += 1;
            }
            _ if length == 0 || number > greatest => return None,
            Some(b',') => (number, length) = (0, 0),
            Some(b'0'..=b'9') => return None,
            _ => return Some(end),
        }
        end += 1;
    }
}

/// Whether a text is a name that begins with a sign, with an offset or without. No part of it can be read as a number that is out of range.
fn is_symbol(text: &[u8]) -> bool {
    let (name, offset) = match text.iter().position(|byte| *byte == b'+') {
        Some(plus) => (&text[..plus], Some(&text[plus + 1..])),
        None => (text, None),
    };
    let begins_number = |two: &[u8]| two[0] == b'.' && !two[1].is_ascii_alphabetic() && !matches!(two[1], b'_' | b'$');
    matches!(name, [b'.' | b'$' | b'_', ..])
        && name.iter().all(|byte| is_word(*byte) && *byte != b'%')
        && !name.windows(2).any(begins_number)
        && offset.is_none_or(|offset| {
            (1..=DIGITS_OF_32_BITS).contains(&offset.len()) && offset.iter().all(u8::is_ascii_digit)
        })
}

/// The data of a line: what is between the head of its section or a label, and the end of the section.
fn data(line: &str) -> &str {
    let line = line.trim_start();
    let body = if line.starts_with(SECTION) { line.split_once('{').map_or(line, |(_, body)| body) } else { line };
    let body = body.trim_start().trim_start_matches('{').trim_start();
    let is_label = |name: &str| !name.is_empty() && name.bytes().all(is_word);
    let data = match body.split_once(':') {
        Some((name, data)) if is_label(name.trim_end()) => data.trim_start(),
        _ => body,
    };
    data.trim_end().trim_end_matches('}')
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$' | b'%')
}

/// What is wrong with a line that starts at an offset.
fn line_error(line: &str, start: usize) -> Option<Diagnostic> {
    let code = data(line.split("//").next()?);
    let (ty, values) = code.split_once(|c: char| c.is_ascii_whitespace())?;
    let name = ty.strip_prefix('.').filter(|name| !name.starts_with("section"))?;
    let place = |part: &str| {
        let at = start + (part.as_ptr() as usize - line.as_ptr() as usize);
        at..at + part.len()
    };
    let Some(data_type) = DataType::of(name) else {
        if Type::parse(name).is_none() && !is_opaque(ty) && instruction_type(ty).is_none() {
            return None;
        }
        let message = format!("invalid type `{ty}` of debug data");
        let found =
            Diagnostic::new(&INVALID_INITIAL_VALUE, place(ty), message).help("use `.b8`, `.b16`, `.b32` or `.b64`");
        return Some(
            match name.strip_prefix(['u', 's', 'f']).filter(|bits| DataType::of(&format!("b{bits}")).is_some()) {
                Some(bits) => found.fix(format!("Replace with `.b{bits}`"), [replace(place(ty), format!(".b{bits}"))]),
                None => found,
            },
        );
    };
    values.split(',').map(str::trim).find_map(|value| data_type.error(value, ty, place(value)))
}

/// The values that a line of a type may have.
struct DataType {
    numbers: RangeInclusive<i128>,
    /// Whether addresses are valid.
    addresses: bool,
}

impl DataType {
    fn of(name: &str) -> Option<DataType> {
        let (numbers, addresses) = match name {
            "b8" | "byte" => (-128..=255, false),
            "b16" => (-32_768..=65_535, false),
            // The assembler accepts numbers of more than 32 bits.
            "b32" | "4byte" => (-2_147_483_648..=i128::from(u64::MAX), true),
            "b64" | "quad" => (i128::from(i64::MIN)..=i128::from(u64::MAX), true),
            _ => return None,
        };
        Some(DataType { numbers, addresses })
    }

    fn error(&self, value: &str, ty: &str, range: Range<usize>) -> Option<Diagnostic> {
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        if digits && value.len() <= DIGITS_OF_EVERY_TYPE {
            return None;
        }
        let Some(number) = integer_value(value) else {
            let is_address = value.starts_with(|c: char| c.is_ascii_alphabetic() || "_$%.".contains(c));
            return (is_address && !self.addresses).then(|| {
                Diagnostic::new(&INVALID_INITIAL_VALUE, range, format!("expected a number for `{ty}`, found `{value}`"))
                    .help("use `.b32` or `.b64` for an address")
            });
        };
        // Measured: of a positive number, the low 32 bits count.
        if self.numbers.contains(&number) || number > 0 && self.numbers.contains(&(number & 0xFFFF_FFFF)) {
            return None;
        }
        let (least, greatest) = (self.numbers.start(), self.numbers.end());
        let message = format!("`{value}` is out of range for `{ty}`");
        Some(
            Diagnostic::new(&INVALID_INITIAL_VALUE, range, message)
                .help(format!("use a number from {least} to {greatest}, or a wider type")),
        )
    }
}
