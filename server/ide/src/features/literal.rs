//! The value of a literal in each format that fits it.

use std::fmt::Write;
use syntax::Number;

/// Markdown about an integer or floating-point literal; `None` if the text is not a literal.
pub(crate) fn describe(text: &str) -> Option<String> {
    let (negative, number) = Number::signed(text)?;
    Some(match number {
        Number::Integer { value, .. } => integer(value, negative),
        Number::Single(value) => {
            let value = if negative { -value } else { value };
            format!("`{value:?}` as `.f32`, the bits `0x{:08X}`", value.to_bits())
        }
        Number::Double(value) => {
            let value = if negative { -value } else { value };
            format!("`{value:?}` as `.f64`, the bits `0x{:016X}`", value.to_bits())
        }
        Number::Decimal(value) => {
            let value = if negative { -value } else { value };
            let (double, single) = (value.to_bits(), (value as f32).to_bits());
            format!("`{value:?}`: `0d{double:016X}` as `.f64`, `0f{single:08X}` as `.f32`")
        }
    })
}

/// An integer, as 32 bits if it fits, else as 64 bits.
fn integer(magnitude: u64, negative: bool) -> String {
    let bits = if negative { magnitude.wrapping_neg() } else { magnitude };
    let fits_32_bits = if negative { magnitude <= 1 << 31 } else { magnitude <= u64::from(u32::MAX) };
    let mut text = String::new();
    let mut row = |what: &str, value: String| {
        let _ = write!(text, "\n| {what} | `{value}` |");
    };
    if fits_32_bits {
        let bits = bits as u32;
        row("unsigned", bits.to_string());
        row("signed", (bits as i32).to_string());
        row("hexadecimal", format!("0x{bits:08X}"));
        row("bits as `.f32`", format!("{:?}", f32::from_bits(bits)));
    } else {
        row("unsigned", bits.to_string());
        row("signed", (bits as i64).to_string());
        row("hexadecimal", format!("0x{bits:016X}"));
        row("bits as `.f64`", format!("{:?}", f64::from_bits(bits)));
    }
    format!("| as {} bits | |\n|---|---|{text}", if fits_32_bits { 32 } else { 64 })
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn floats_have_values_and_bits() {
        assert_eq!(describe("0f3F800000").unwrap(), "`1.0` as `.f32`, the bits `0x3F800000`");
        assert_eq!(describe("-0F3f800000").unwrap(), "`-1.0` as `.f32`, the bits `0xBF800000`");
        assert_eq!(describe("0dBFE0000000000000").unwrap(), "`-0.5` as `.f64`, the bits `0xBFE0000000000000`");
        assert_eq!(describe("1.5e0").unwrap(), "`1.5`: `0d3FF8000000000000` as `.f64`, `0f3FC00000` as `.f32`");
        assert!(describe("0f7FC00000").unwrap().contains("NaN"));
    }

    #[test]
    fn integers_are_read_in_every_way() {
        let text = describe("0xFFFFFFFF").unwrap();
        assert!(text.contains("`4294967295`") && text.contains("`-1`") && text.contains("NaN"), "{text}");
        let text = describe("-1").unwrap();
        assert!(text.contains("`4294967295`") && text.contains("32 bits"), "{text}");
        let text = describe("0x3FF0000000000000U").unwrap();
        assert!(text.contains("`1.0`") && text.contains("64 bits"), "{text}");
        assert!(describe("1065353216").unwrap().contains("`1.0`"));
        assert!(describe("010").unwrap().contains("`8`"));
        assert_eq!(describe("99999999999999999999999"), None);
        assert_eq!(describe("0fZZ"), None);
        assert_eq!(describe(""), None);
    }
}
