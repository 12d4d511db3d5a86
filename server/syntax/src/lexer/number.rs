//! Numbers: their end, kind and value.

use crate::lexer::bytes::{BINARY, Bytes, DIGIT, HEX, OCTAL, WORD, is};

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Decimal, hexadecimal, octal or binary; a `U` may end it.
    Integer,
    /// The bits of a 32-bit floating-point number: `0f3F800000`.
    Single,
    /// The bits of a 64-bit floating-point number: `0d3FF0000000000000`.
    Double,
    /// A floating-point number with a point or an exponent.
    Decimal,
}

/// The value of a number, as the assembler reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer of 64 bits.
    Integer {
        /// Its bits.
        value: u64,
        /// Whether a `U` ends it.
        unsigned: bool,
    },
    /// A 32-bit floating-point number, given by its bits.
    Single(f32),
    /// A 64-bit floating-point number, given by its bits.
    Double(f64),
    /// A decimal floating-point number; infinite if it overflows.
    Decimal(f64),
}

impl Number {
    /// Reads a number without a sign; `None` if the text is no number, or an integer overflows.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match NumberKind::of(text)? {
            NumberKind::Integer => Number::Integer { value: wrapped(text)?, unsigned: text.ends_with('U') },
            NumberKind::Single => Number::Single(f32::from_bits(u32::from_str_radix(&text[2..], 16).ok()?)),
            NumberKind::Double => Number::Double(f64::from_bits(u64::from_str_radix(&text[2..], 16).ok()?)),
            NumberKind::Decimal => Number::Decimal(text.parse().ok()?),
        })
    }

    /// Reads a number that may have a sign: whether it is negative, and its magnitude.
    pub fn signed(text: &str) -> Option<(bool, Self)> {
        let digits = text.strip_prefix(['-', '+']).map_or(text, str::trim_start);
        Some((text.starts_with('-'), Self::parse(digits)?))
    }

    /// The value of an integer literal (PTX ISA, Integer Constants).
    pub fn integer(text: &str) -> Option<u64> {
        match Self::parse(text)? {
            Number::Integer { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The value of an integer literal that may have a sign.
    pub fn signed_integer(text: &str) -> Option<i128> {
        match Self::signed(text)? {
            (negative, Number::Integer { value, .. }) => {
                let value = i128::from(value);
                Some(if negative { -value } else { value })
            }
            _ => None,
        }
    }

    /// The value of a floating-point literal that may have a sign.
    pub fn float(text: &str) -> Option<f64> {
        let (negative, number) = Self::signed(text)?;
        let value = match number {
            Number::Integer { .. } => return None,
            Number::Single(value) => value.into(),
            Number::Double(value) | Number::Decimal(value) => value,
        };
        Some(if negative { -value } else { value })
    }
}

/// The value of a well-formed integer; `None` if the assembler rejects it as too large. The assembler only rejects a digit after a value with
/// its highest bit set: a 65th bit in the last digit wraps.
fn wrapped(text: &str) -> Option<u64> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    digits.chars().map_while(|digit| digit.to_digit(radix)).try_fold(0u64, |value, digit| {
        let grown = value.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit));
        (value >> 63 == 0).then_some(grown)
    })
}

/// A 64-bit number without a sign as in C++, SASS and litmus tests: decimal, or hexadecimal after `0x`. A leading zero does not mean octal.
pub fn decimal_or_hex(text: &str) -> Option<u64> {
    let (radix, digits) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (16, digits),
        None => (10, text),
    };
    // `from_str_radix` would accept a sign.
    u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'))
}

impl NumberKind {
    /// The kind of a number without a sign; `None` if the text is no number.
    pub fn of(text: &str) -> Option<Self> {
        Bytes::of(text).number(0).filter(|(_, end)| *end == text.len()).map(|(kind, _)| kind)
    }
}

impl Bytes<'_> {
    /// The kind and the end of a number without a sign.
    pub(crate) fn number(&self, at: usize) -> Option<(NumberKind, usize)> {
        if let Some(end) = self.bits(at) {
            let is_single = matches!(self.at(at + 1), b'f' | b'F');
            return Some((if is_single { NumberKind::Single } else { NumberKind::Double }, end));
        }
        let integer = self.integer(at).map(|end| (NumberKind::Integer, end));
        integer.or_else(|| self.float(at).map(|end| (NumberKind::Decimal, end)))
    }

    /// The end of a number, well-formed or not.
    pub(crate) fn numeral(&self, mut at: usize) -> usize {
        let prefixed =
            self.at(at) == b'0' && matches!(self.at(at + 1), b'x' | b'X' | b'f' | b'F' | b'd' | b'D' | b'b' | b'B');
        while is(self.at(at), WORD) || (self.at(at) == b'.' && !prefixed) {
            let exponent = !prefixed && matches!(self.at(at), b'e' | b'E') && matches!(self.at(at + 1), b'+' | b'-');
            at += 1 + usize::from(exponent);
        }
        at
    }

    /// The end of a float that is given by its bits.
    pub(crate) fn bits(&self, at: usize) -> Option<usize> {
        let digits = match (self.at(at), self.at(at + 1)) {
            (b'0', b'f' | b'F') => 8,
            (b'0', b'd' | b'D') => 16,
            _ => return None,
        };
        let end = self.class_end(at + 2, HEX);
        (end == at + 2 + digits).then_some(end).filter(|end| self.ends_number(*end))
    }

    /// The end of a decimal float without a sign.
    pub(crate) fn float(&self, at: usize) -> Option<usize> {
        let whole = self.class_end(at, DIGIT);
        let mut end = whole;
        if self.at(end) == b'.' {
            end = self.class_end(end + 1, DIGIT);
        }
        let has_digits = whole > at || end > whole + 1;
        if has_digits && matches!(self.at(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.at(end + 1), b'+' | b'-'));
            end = self.class_end(end + 1 + sign, DIGIT);
        }
        // After a sign without digits, the last byte is a letter or the sign.
        let whole_number = has_digits && end > whole && (is(self.at(end - 1), DIGIT) || self.at(end - 1) == b'.');
        (whole_number && self.ends_number(end)).then_some(end)
    }

    /// The end of an integer without a sign.
    pub(crate) fn integer(&self, at: usize) -> Option<usize> {
        let digits = |class: u8| Some(self.class_end(at + 2, class)).filter(|end| *end > at + 2);
        let end = match (self.at(at), self.at(at + 1)) {
            (b'1'..=b'9', _) => self.class_end(at + 1, DIGIT),
            (b'0', b'x' | b'X') => digits(HEX)?,
            (b'0', b'b' | b'B') => digits(BINARY)?,
            (b'0', _) => self.class_end(at + 1, OCTAL),
            _ => return None,
        };
        let end = end + usize::from(self.at(end) == b'U');
        self.ends_number(end).then_some(end)
    }

    /// Whether a number may end there: it continues with a point or letter.
    fn ends_number(&self, at: usize) -> bool {
        !is(self.at(at), WORD) && self.at(at) != b'.'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_the_assembler_reads() {
        let integer = |value, unsigned| Some(Number::Integer { value, unsigned });
        for (text, number) in [
            ("0", integer(0, false)),
            ("017", integer(15, false)),
            ("0b101U", integer(5, true)),
            ("0XfF", integer(255, false)),
            ("18446744073709551615", integer(u64::MAX, false)),
            ("18446744073709551616", integer(0, false)),
            ("99999999999999999999", None),
            ("0f3F800000", Some(Number::Single(1.0))),
            ("0DBFE0000000000000", Some(Number::Double(-0.5))),
            ("1.5e-3", Some(Number::Decimal(1.5e-3))),
            (".5", Some(Number::Decimal(0.5))),
            ("1.", Some(Number::Decimal(1.0))),
            ("1e400", Some(Number::Decimal(f64::INFINITY))),
        ] {
            assert_eq!(Number::parse(text), number, "{text}");
        }
        for text in
            ["", "08", "0x", "0f3F80000", "1e", "1e+", ".", ".e5", "1.5U", "-1", "+1", "1 ", "0b2", "x", "1.2.3"]
        {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_of_other_languages_are_decimal_or_hexadecimal() {
        for (text, value) in [("0", 0), ("010", 10), ("0x1F", 31), ("0Xff", 255), ("18446744073709551615", u64::MAX)] {
            assert_eq!(decimal_or_hex(text), Some(value), "{text}");
        }
        for text in ["", "+1", "-1", "0x", "0x+1", "1F", "18446744073709551616"] {
            assert_eq!(decimal_or_hex(text), None, "{text}");
        }
    }
}
