//! Reads values that users type: decimal, hexadecimal, binary and octal integers, floating-point numbers, PTX's `0f…` and `0d…` bit patterns
//! and braced lists.

mod decimal;
mod display;

use crate::literal::decimal::{names_infinity, nearest, rounded};
use crate::ops::NAN_F32;
use crate::value::{Element, Shape, Value, low_bits};
use std::fmt;

/// Why a text is not a value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralError(String);

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LiteralError {}

/// Reads a value of the shape.
///
/// - `0x…` gives the bits of the whole value of any type; lane 0 is in the lowest digits.
/// - `{x, y}` gives the lanes, lane 0 first as in PTX; a lane of a packed type is in turn `{low, high}` or `0x…`.
/// - Integers are decimal (negative ones in two's complement), `0b…`, or octal with a leading 0 as in PTX, each with
///   an optional `U` at the end. For a floating-point type a decimal integer is the number.
/// - Floating-point numbers are decimal, `inf`, `-inf` or `nan`, and rounded once to the type, ties to even; `0f…` and
///   `0d…` give 32 and 64 bits.
///
/// # Errors
/// A [`LiteralError`] with the mistake and what to write instead.
pub fn parse(text: &str, shape: Shape) -> Result<Value, LiteralError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(LiteralError("missing value".to_owned()));
    }
    if let Some(inner) = text.strip_prefix('{') {
        let inner = inner.strip_suffix('}').ok_or_else(|| LiteralError(format!("missing `}}` in `{text}`")))?;
        return list(text, inner, shape);
    }
    if let Some(bits) = radix(text)? {
        return fit(text, bits, shape.width()).map(|bits| Value::new(shape, bits));
    }
    if shape.elements() > 1 {
        return Err(LiteralError(format!(
            "expected {} elements, found one number `{text}`: write `{}`, or `0x` and up to {} digits",
            shape.elements(),
            pattern(shape),
            shape.width() / 4
        )));
    }
    scalar(text, shape.element()).map(|bits| Value::new(shape, bits))
}

fn list(text: &str, inner: &str, shape: Shape) -> Result<Value, LiteralError> {
    let (lanes, lane) =
        if shape.vector() > 1 { (shape.vector(), shape.lane()) } else { (shape.packed(), Shape::of(shape.element())) };
    if lanes == 1 {
        return Err(LiteralError(format!(
            "expected one value of type `.{}`, found the list `{text}`",
            shape.element().name()
        )));
    }
    let parts = split(inner);
    if parts.len() != lanes as usize {
        return Err(LiteralError(format!(
            "expected {lanes} elements, found {} in `{text}`: write `{}`",
            parts.len(),
            pattern(shape)
        )));
    }
    let mut bits = 0;
    for (part, index) in parts.iter().zip(0..) {
        bits |= parse(part, lane)?.bits() << (index * lane.width());
    }
    Ok(Value::new(shape, bits))
}

/// The parts between commas outside inner braces.
fn split(inner: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    parts
}

/// How a braced value of the shape is written, for error messages.
fn pattern(shape: Shape) -> String {
    let inner = match shape.packed() {
        1 => "x".to_owned(),
        packed => format!("{{{}}}", vec!["x"; packed as usize].join(", ")),
    };
    match shape.vector() {
        1 => inner,
        lanes => format!("{{{}}}", vec![inner; lanes as usize].join(", ")),
    }
}

/// The bits of `0x…` and `0b…` literals; `None` for other texts.
fn radix(text: &str) -> Result<Option<u128>, LiteralError> {
    let (prefix, base, kind) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (2, 16, "hexadecimal"),
        [b'0', b'b' | b'B', ..] => (2, 2, "binary"),
        _ => return Ok(None),
    };
    let digits = unsuffixed(&text[prefix..]);
    digits_of(digits, base).map(Some).ok_or_else(|| match digits.bytes().all(|d| char::from(d).is_digit(base)) {
        true if !digits.is_empty() => LiteralError(format!("`{text}` does not fit in 128 bits")),
        _ => LiteralError(format!("invalid {kind} number `{text}`")),
    })
}

fn unsuffixed(digits: &str) -> &str {
    digits.strip_suffix(['U', 'u']).unwrap_or(digits)
}

fn digits_of(digits: &str, base: u32) -> Option<u128> {
    // `from_str_radix` would accept a sign after the prefix.
    if digits.starts_with(['+', '-']) { None } else { u128::from_str_radix(digits, base).ok() }
}

fn fit(text: &str, bits: u128, width: u32) -> Result<u128, LiteralError> {
    if bits <= low_bits(width) {
        Ok(bits)
    } else {
        Err(LiteralError(format!("`{text}` does not fit in {width} bits (at most 0x{:x})", low_bits(width))))
    }
}

fn scalar(text: &str, element: Element) -> Result<u128, LiteralError> {
    if let Some(bits) = pattern_bits(text, element)? {
        return Ok(bits);
    }
    match element {
        Element::Bits(width) => integer(text, element, width, low_bits(width)),
        Element::Unsigned(width) => integer(text, element, width, low_bits(width)),
        Element::Signed(width) => integer(text, element, width, low_bits(width - 1)),
        Element::Small(format) => {
            let nearest = float(text, element)?;
            rounded(nearest, text, format)
                .map(u128::from)
                .ok_or_else(|| too_large(text, element, format.decode(format.largest())))
        }
        Element::F32 => {
            let nearest = float(text, element)?;
            if nearest.is_nan() {
                return Ok(NAN_F32.into());
            }
            // Parsed again, because rounding the nearest f64 again could differ.
            let value: f32 = text.parse().unwrap_or(nearest as f32);
            if value.is_infinite() && !names_infinity(text) {
                return Err(too_large(text, element, f32::MAX));
            }
            Ok(value.to_bits().into())
        }
        Element::F64 => {
            let value = float(text, element)?;
            if value.is_infinite() && !names_infinity(text) {
                return Err(too_large(text, element, f64::MAX));
            }
            Ok(if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }.into())
        }
    }
}

fn float(text: &str, element: Element) -> Result<f64, LiteralError> {
    nearest(text).ok_or_else(|| LiteralError(format!("invalid `.{}` value `{text}`", element.name())))
}

fn too_large(text: &str, element: Element, largest: impl fmt::Debug) -> LiteralError {
    LiteralError(format!(
        "`{text}` is out of range for `.{}` (at most {largest:?}; write `inf` for infinity)",
        element.name()
    ))
}

/// The bits of `0f…` and `0d…`, if the element has their width.
fn pattern_bits(text: &str, element: Element) -> Result<Option<u128>, LiteralError> {
    let (width, digits) = match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => (32, 8),
        [b'0', b'd' | b'D', ..] => (64, 16),
        _ => return Ok(None),
    };
    let prefix = &text[..2];
    if text.len() != 2 + digits {
        return Err(LiteralError(format!(
            "invalid number `{text}`: expected {digits} hexadecimal digits after `{prefix}`"
        )));
    }
    if element.bits() != width {
        return Err(LiteralError(format!(
            "`{text}` has {width} bits, but `.{}` has {}",
            element.name(),
            element.bits()
        )));
    }
    let bits = digits_of(&text[2..], 16).ok_or_else(|| LiteralError(format!("invalid hexadecimal number `{text}`")))?;
    Ok(Some(bits))
}

fn integer(text: &str, element: Element, width: u32, largest: u128) -> Result<u128, LiteralError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = unsuffixed(digits);
    let magnitude = match radix(digits)? {
        Some(bits) => bits,
        None if plain.is_empty() || !plain.bytes().all(|d| d.is_ascii_digit()) => {
            return Err(LiteralError(format!("invalid `.{}` value `{text}`", element.name())));
        }
        None => {
            let base = if plain.len() > 1 && plain.starts_with('0') { 8 } else { 10 };
            digits_of(plain, base).ok_or_else(|| match base {
                8 if plain.contains(['8', '9']) => {
                    LiteralError(format!("invalid octal number `{text}`: digits are 0 to 7"))
                }
                _ => LiteralError(format!("`{text}` does not fit in {width} bits")),
            })?
        }
    };
    let half = 1 << (width - 1);
    if negative && magnitude <= half {
        return Ok(magnitude.wrapping_neg() & low_bits(width));
    }
    if !negative && magnitude <= largest {
        return Ok(magnitude);
    }
    let lowest = if matches!(element, Element::Signed(_)) { format!("-{half}") } else { "0".to_owned() };
    Err(LiteralError(format!("`{text}` is out of range for `.{}` ({lowest} to {largest})", element.name())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use isa::types::Type;

    fn read(text: &str, ty: Type, lanes: u32) -> Result<u128, String> {
        let shape = Shape::new(ty, lanes).expect("at most 128 bits");
        parse(text, shape).map(Value::bits).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_read() {
        let cases: &[(&str, Type, u32, u128)] = &[
            ("5", Type::U32, 1, 5),
            ("-1", Type::U32, 1, 0xffff_ffff),
            ("-2147483648", Type::S32, 1, 0x8000_0000),
            ("0xFFFFFFFF", Type::S32, 1, 0xffff_ffff),
            ("-0x10", Type::S64, 1, 0xffff_ffff_ffff_fff0),
            ("0b101", Type::B16, 1, 5),
            ("017", Type::U32, 1, 15),
            ("4294967295U", Type::U32, 1, 0xffff_ffff),
            ("0xffffffffffffffffffffffffffffffff", Type::B128, 1, u128::MAX),
            ("340282366920938463463374607431768211455", Type::B128, 1, u128::MAX),
            ("0f3F800000", Type::F32, 1, 0x3f80_0000),
            ("0f3F800000", Type::B32, 1, 0x3f80_0000),
            ("0d3FF0000000000000", Type::F64, 1, 0x3ff0_0000_0000_0000),
            ("1", Type::F32, 1, 0x3f80_0000),
            ("-0.0", Type::F16, 1, 0x8000),
            (".5", Type::Bf16, 1, 0x3f00),
            ("1e-40", Type::F32, 1, 0x0001_16c2),
            ("-inf", Type::F16, 1, 0xfc00),
            ("nan", Type::F32, 1, 0x7fff_ffff),
            ("NaN", Type::Bf16, 1, 0x7fff),
            ("448", Type::E4m3, 1, 0x7e),
            ("65504", Type::F16, 1, 0x7bff),
            ("65519.999999999999999999999", Type::F16, 1, 0x7bff),
            ("{1, 2}", Type::U32, 2, 0x2_0000_0001),
            ("{1.0, -2}", Type::F16x2, 1, 0xc000_3c00),
            ("{{1, 2}, 0x40003c00}", Type::F16x2, 2, 0x4000_3c00_4000_3c00),
            ("0xc0003c00", Type::F16x2, 1, 0xc000_3c00),
        ];
        for &(text, ty, lanes, bits) in cases {
            assert_eq!(read(text, ty, lanes), Ok(bits), "{text} as {ty:?}");
        }
    }

    #[test]
    fn what_is_refused_and_why() {
        let cases: &[(&str, Type, u32, &str)] = &[
            ("", Type::U32, 1, "missing value"),
            ("4294967296", Type::U32, 1, "`4294967296` is out of range for `.u32` (0 to 4294967295)"),
            ("-2147483649", Type::S32, 1, "`-2147483649` is out of range for `.s32` (-2147483648 to 2147483647)"),
            ("2147483648", Type::S32, 1, "`2147483648` is out of range for `.s32` (-2147483648 to 2147483647)"),
            ("0x1ffffffff", Type::U32, 1, "`0x1ffffffff` does not fit in 32 bits (at most 0xffffffff)"),
            ("0xg", Type::U32, 1, "invalid hexadecimal number `0xg`"),
            ("0x", Type::U32, 1, "invalid hexadecimal number `0x`"),
            ("0x-1", Type::U32, 1, "invalid hexadecimal number `0x-1`"),
            ("089", Type::U32, 1, "invalid octal number `089`: digits are 0 to 7"),
            ("1.5", Type::U32, 1, "invalid `.u32` value `1.5`"),
            ("--1", Type::S32, 1, "invalid `.s32` value `--1`"),
            ("five", Type::F32, 1, "invalid `.f32` value `five`"),
            (
                "1e40",
                Type::F32,
                1,
                "`1e40` is out of range for `.f32` (at most 3.4028235e38; write `inf` for infinity)",
            ),
            ("65520", Type::F16, 1, "`65520` is out of range for `.f16` (at most 65504.0; write `inf` for infinity)"),
            ("0f3F80000", Type::F32, 1, "invalid number `0f3F80000`: expected 8 hexadecimal digits after `0f`"),
            ("0f3F80000é", Type::F32, 1, "invalid number `0f3F80000é`: expected 8 hexadecimal digits after `0f`"),
            ("0f3F800000", Type::F64, 1, "`0f3F800000` has 32 bits, but `.f64` has 64"),
            (
                "1",
                Type::F16x2,
                1,
                "expected 2 elements, found one number `1`: write `{x, x}`, or `0x` and up to 8 digits",
            ),
            ("{1}", Type::F32, 2, "expected 2 elements, found 1 in `{1}`: write `{x, x}`"),
            ("{1, 2", Type::F32, 2, "missing `}` in `{1, 2`"),
            ("{1, 2}", Type::F32, 1, "expected one value of type `.f32`, found the list `{1, 2}`"),
        ];
        for &(text, ty, lanes, why) in cases {
            assert_eq!(read(text, ty, lanes), Err(why.to_owned()), "{text} as {ty:?}");
        }
    }

    #[test]
    fn a_text_is_rounded_once() {
        // 1 + 2^-11 is between two f16; the last digits decide although f64 cannot represent them.
        assert_eq!(read("1.00048828125", Type::F16, 1), Ok(0x3c00));
        assert_eq!(read("1.00048828125000000000000000000001", Type::F16, 1), Ok(0x3c01));
        assert_eq!(read("1.00146484375", Type::F16, 1), Ok(0x3c02));
        assert_eq!(read("1.00146484374999999999999999999999e0", Type::F16, 1), Ok(0x3c01));
        assert_eq!(read("2.98023223876953125e-8", Type::F16, 1), Ok(0));
        assert_eq!(read("2.980232238769531250000000000000001e-8", Type::F16, 1), Ok(1));
    }
}
