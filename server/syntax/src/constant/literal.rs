//! Whether the assembler accepts a number.

use crate::lexer::Number;

/// Why a number is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It is an integer of more than 64 bits.
    Wide,
    /// It is an integer of more than 32 bits where only 32 are allowed.
    Narrow,
    /// It is larger than any finite `double`.
    Large,
    /// It is not zero, but smaller than any normal `double`.
    Small,
}

/// An integer of at most this many characters has no more than 64 bits in any base.
const SURELY_WIDE: usize = 17;

/// An integer of 64 bits.
pub(super) fn wide(text: &str) -> Option<Overflow> {
    if text.len() <= SURELY_WIDE {
        return None;
    }
    Number::integer(text).is_none().then_some(Overflow::Wide)
}

/// An integer of 32 bits, compared as a signed number of 64.
pub(super) fn narrow(text: &str) -> Option<Overflow> {
    match Number::integer(text) {
        None => Some(Overflow::Wide),
        Some(value) => (value.cast_signed() > i64::from(u32::MAX)).then_some(Overflow::Narrow),
    }
}

/// A decimal floating-point number.
pub(super) fn float(text: &str) -> Option<Overflow> {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let value = Number::float(text)?;
    match value.abs() {
        size if size.is_infinite() => Some(Overflow::Large),
        size if size < f64::MIN_POSITIVE && mantissa.contains(|c| matches!(c, '1'..='9')) => Some(Overflow::Small),
        _ => None,
    }
}
