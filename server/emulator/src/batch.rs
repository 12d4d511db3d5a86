//! Bare hexadecimal, for evaluating millions of lines.
//!
//! Knows digits without prefix, most significant lane first. Must not know lines, files or instructions.

use crate::value::Shape;
use std::fmt;

/// Why bytes are no hexadecimal value of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HexError {
    /// There is no digit at all.
    Missing,
    /// A byte is no hexadecimal digit.
    NoDigit {
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
            Self::Missing => write!(f, "a value is missing"),
            Self::NoDigit { byte } => write!(f, "`{}` is no hexadecimal digit", byte.escape_ascii()),
            Self::TooWide { width } => write!(f, "the value does not fit into {width} bits"),
        }
    }
}

impl std::error::Error for HexError {}

/// Reads hexadecimal digits of either case without prefix; leading zeros may be left out.
///
/// # Errors
/// [`HexError`] for an empty text, for anything that is no digit, and for a value wider than the shape.
#[inline]
pub fn read_hex(digits: &[u8], shape: Shape) -> Result<u128, HexError> {
    if digits.is_empty() {
        return Err(HexError::Missing);
    }
    if digits.len() <= 16 {
        let mut bits = 0_u64;
        for &byte in digits {
            bits = bits << 4 | u64::from(nibble(byte)?);
        }
        return within(bits.into(), shape);
    }
    let mut bits = 0_u128;
    for &byte in digits {
        if bits >> 124 != 0 {
            return Err(HexError::TooWide { width: shape.width() });
        }
        bits = bits << 4 | u128::from(nibble(byte)?);
    }
    within(bits, shape)
}

#[inline]
fn within(bits: u128, shape: Shape) -> Result<u128, HexError> {
    if bits <= shape.mask() { Ok(bits) } else { Err(HexError::TooWide { width: shape.width() }) }
}

#[inline]
const fn nibble(byte: u8) -> Result<u8, HexError> {
    match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        b'A'..=b'F' => Ok(byte - b'A' + 10),
        _ => Err(HexError::NoDigit { byte }),
    }
}

/// Appends the bits as lower-case hexadecimal of the shape's full width.
#[inline]
pub fn write_hex(bits: u128, shape: Shape, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = (shape.width() / 4) as usize;
    let mut text = [0; 32];
    let mut rest = bits;
    for place in text[..digits].iter_mut().rev() {
        *place = DIGITS[(rest & 15) as usize];
        rest >>= 4;
    }
    out.extend_from_slice(&text[..digits]);
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
        assert_eq!(read_hex(b"0x1", shape), Err(HexError::NoDigit { byte: b'x' }));
        assert_eq!(read_hex(b"1ffff", Shape::scalar(Type::B16)), Err(HexError::TooWide { width: 16 }));
        assert_eq!(read_hex(&[b'f'; 33], shape), Err(HexError::TooWide { width: 128 }));
        assert_eq!(read_hex(b"000000000000000000000000000000000001", shape), Ok(1));
    }
}
