//! What a number is worth, as the assembler reads it, and whether it takes it.

/// In which way a number does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It is an integer of more than 64 bits.
    Wide,
    /// It is an integer of more than 32 bits, where it may have no more.
    Narrow,
    /// It is larger than any finite `double`.
    Large,
    /// It is not zero, and smaller than any normal `double`.
    Small,
}

/// An integer of 64 bits. The assembler minds only that a digit follows what has its highest bit set already: one bit more than 64
/// goes unnoticed at the end, and wraps.
pub(super) fn wide(text: &str) -> Option<Overflow> {
    integer(text).is_none().then_some(Overflow::Wide)
}

/// An integer of 32 bits, compared as a signed number of 64.
pub(super) fn narrow(text: &str) -> Option<Overflow> {
    match integer(text) {
        None => Some(Overflow::Wide),
        Some(value) => (value.cast_signed() > i64::from(u32::MAX)).then_some(Overflow::Narrow),
    }
}

/// A decimal floating-point number.
pub(super) fn float(text: &str) -> Option<Overflow> {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let value: f64 = text.parse().ok()?;
    match value.abs() {
        size if size.is_infinite() => Some(Overflow::Large),
        size if size < f64::MIN_POSITIVE && mantissa.contains(|c| matches!(c, '1'..='9')) => Some(Overflow::Small),
        _ => None,
    }
}

/// The value of an integer, wrapped to 64 bits; `None` where the assembler says that it overflows.
pub(super) fn integer(text: &str) -> Option<u64> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let digits = digits.chars().map_while(|digit| digit.to_digit(radix));
    digits.into_iter().try_fold(0u64, |value, digit| {
        let grown = value.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit));
        (value >> 63 == 0).then_some(grown)
    })
}
