//! Fast parsing and formatting of hexadecimal values without a prefix, most significant lane first.

use crate::value::Shape;
use std::fmt;

/// Why bytes are not a hexadecimal value of a given width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HexError {
    /// There is no digit.
    Missing,
    /// A byte is not a hexadecimal digit.
    InvalidDigit {
        /// The byte.
        byte: u8,
    },
    /// The value needs more bits than the shape has.
    TooWide {
        /// The width of the shape in bits.
        width: u32,
    },
}

impl fmt::Display for HexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Missing => write!(f, "missing value"),
            Self::InvalidDigit { byte } => write!(f, "invalid hexadecimal digit `{}`", byte.escape_ascii()),
            Self::TooWide { width } => write!(f, "value does not fit in {width} bits"),
        }
    }
}

impl std::error::Error for HexError {}

/// Reads hexadecimal digits of either case without prefix; leading zeros may be left out.
///
/// # Errors
/// [`HexError`] for an empty text, an invalid digit, or a value wider than the shape.
#[inline]
pub fn read_hex(digits: &[u8], shape: Shape) -> Result<u128, HexError> {
    if digits.is_empty() {
        return Err(HexError::Missing);
    }
    let width = shape.width();
    if digits.len() <= 16 {
        let bits = number(digits)?;
        return if bits.checked_shr(width).unwrap_or(0) == 0 {
            Ok(bits.into())
        } else {
            Err(HexError::TooWide { width })
        };
    }
    let (leading, digits) = digits.split_at(digits.len().saturating_sub(32));
    let (high, low) = digits.split_at(digits.len() - 16);
    let bits = u128::from(number(high)?) << 64 | u128::from(number(low)?);
    for digits in leading.chunks(16) {
        if number(digits)? != 0 {
            return Err(HexError::TooWide { width });
        }
    }
    if bits <= shape.mask() { Ok(bits) } else { Err(HexError::TooWide { width }) }
}

/// The value of at most 16 digits.
#[inline]
fn number(digits: &[u8]) -> Result<u64, HexError> {
    let (mut bits, mut seen) = (0_u64, 0);
    for &byte in digits {
        let digit = DIGIT[usize::from(byte)];
        seen |= digit;
        bits = bits << 4 | u64::from(digit & 15);
    }
    if seen <= 15 { Ok(bits) } else { Err(no_digit(digits)) }
}

/// The first byte that is not a digit; there is one.
#[cold]
fn no_digit(digits: &[u8]) -> HexError {
    let byte = digits.iter().copied().find(|byte| !byte.is_ascii_hexdigit()).unwrap_or_default();
    HexError::InvalidDigit { byte }
}

const LETTERS: &[u8; 16] = b"0123456789abcdef";

/// The value of each byte as a digit; 255 if it is not one.
const DIGIT: [u8; 256] = {
    let mut table = [255; 256];
    let mut value = 0;
    while value < 16 {
        table[LETTERS[value] as usize] = value as u8;
        table[LETTERS[value].to_ascii_uppercase() as usize] = value as u8;
        value += 1;
    }
    table
};

/// Appends the bits as lower-case hexadecimal of the shape's full width.
#[inline]
pub fn write_hex(bits: u128, shape: Shape, out: &mut Vec<u8>) {
    let bytes = bits.to_be_bytes();
    for byte in &bytes[16 - shape.bytes() as usize..] {
        out.extend_from_slice(&[LETTERS[usize::from(byte >> 4)], LETTERS[usize::from(byte & 15)]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isa::types::Type;

    #[test]
    fn digits_go_through_unchanged() {
        for (ty, text) in [
            (Type::B8, "0f"),
            (Type::B16, "beef"),
            (Type::B64, "0123456789abcdef"),
            (Type::B128, "fedcba98765432100123456789abcdef"),
        ] {
            let shape = Shape::scalar(ty);
            let mut out = Vec::new();
            write_hex(read_hex(text.to_ascii_uppercase().as_bytes(), shape).expect("fits"), shape, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), text);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let shape = Shape::scalar(Type::B128);
        assert_eq!(read_hex(b"", shape), Err(HexError::Missing));
        assert_eq!(read_hex(b"0x1", shape), Err(HexError::InvalidDigit { byte: b'x' }));
        assert_eq!(read_hex(b"1ffff", Shape::scalar(Type::B16)), Err(HexError::TooWide { width: 16 }));
        assert_eq!(read_hex(&[b'f'; 33], shape), Err(HexError::TooWide { width: 128 }));
        assert_eq!(read_hex(&[b'f'; 17], Shape::scalar(Type::U64)), Err(HexError::TooWide { width: 64 }));
        assert_eq!(read_hex(&[b'f'; 16], Shape::scalar(Type::U64)), Ok(u64::MAX.into()));
        assert_eq!(read_hex(b"000000000000000000000000000000000001", shape), Ok(1));
    }
}
