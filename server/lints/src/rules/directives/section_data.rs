//! The data of debug sections: the types of their lines, and the ranges of their numbers. As measured with the assembler.

use diagnostics::registry::INVALID_INITIAL_VALUE;
use diagnostics::{Diagnostic, replace};
use isa::types::Type;
use std::ops::{Range, RangeInclusive};
use syntax::{Item, Recovery, Rope, integer_value};

/// The directive of a debug section.
pub(super) const SECTION: &str = ".section";

/// The maximum number of digits of a number that fits in every type.
const DIGITS_OF_EVERY_TYPE: usize = 2;

/// Checks the lines of an item, if it is a debug section.
pub(in crate::rules) fn check(text: &Rope, item: &Item, recovery: &Recovery, diagnostics: &mut Vec<Diagnostic>) {
    if item.directive().text != SECTION {
        return;
    }
    let mut start = item.range().start;
    // The end of the last chunk, if it is a part of a line.
    let mut carried = String::new();
    for chunk in text.byte_slice(item.range()).chunks() {
        for line in chunk.split_inclusive('\n') {
            if !line.ends_with('\n') || !carried.is_empty() {
                carried += line;
                if !line.ends_with('\n') {
                    continue;
                }
                check_line(&carried, start, recovery, diagnostics);
                start += carried.len();
                carried.clear();
                continue;
            }
            check_line(line, start, recovery, diagnostics);
            start += line.len();
        }
    }
    check_line(&carried, start, recovery, diagnostics);
}

/// Checks a line that starts at an offset and ends with a line feed.
fn check_line(line: &str, start: usize, recovery: &Recovery, diagnostics: &mut Vec<Diagnostic>) {
    if is_plain(line.as_bytes()) {
        return;
    }
    let mut start = start;
    // A carriage return ends a line, too.
    for line in line.split_inclusive('\r') {
        let certain = |found: &Diagnostic| !recovery.is_in_statement(found.range.start);
        diagnostics.extend(line_error(line, start).filter(certain));
        start += line.len();
    }
}

/// Whether a line is as compilers write them: a type and short decimal numbers, or for 32 and 64 bits a symbol. Such a line has no error.
fn is_plain(line: &[u8]) -> bool {
    let (digits, greatest, values) = match line.trim_ascii_start() {
        [b'.', b'b', b'8', b' ', values @ ..] => (3, 255, values),
        [b'.', b'b', b'3', b'2', b' ', values @ ..] | [b'.', b'b', b'6', b'4', b' ', values @ ..] => {
            (9, 999_999_999, values)
        }
        _ => return false,
    };
    let values = values.trim_ascii_end();
    let is_number = |value: &[u8]| {
        let is_short = (1..=digits).contains(&value.len()) && value.iter().all(u8::is_ascii_digit);
        is_short && value.iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0')) <= greatest
    };
    let is_symbol = || {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$' | b'+');
        digits > 3 && matches!(values, [b'.' | b'$' | b'_', ..]) && values.iter().all(is_word)
    };
    values.split(|byte| *byte == b',').all(is_number) || is_symbol()
}

/// What is wrong with a line that starts at an offset.
fn line_error(line: &str, start: usize) -> Option<Diagnostic> {
    let code = line.split("//").next()?.trim_start();
    let (ty, values) = code.split_once(|c: char| c.is_ascii_whitespace())?;
    let name = ty.strip_prefix('.').filter(|name| !name.starts_with("section"))?;
    let place = |part: &str| {
        let at = start + (part.as_ptr() as usize - line.as_ptr() as usize);
        at..at + part.len()
    };
    let Some(data_type) = DataType::of(name) else {
        Type::parse(name)?;
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
