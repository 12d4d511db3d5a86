//! Formatting of values.

use crate::value::{Element, Value};
use std::fmt;

impl fmt::LowerHex for Value {
    /// All bits in full width, most significant lane first; with `#` after `0x`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if f.alternate() { "0x" } else { "" };
        write!(f, "{prefix}{:0digits$x}", self.bits(), digits = (self.shape().width() / 4) as usize)
    }
}

impl fmt::Display for Value {
    /// The typed value: a number, hexadecimal for untyped bits, `{…}` with lane 0 first for several elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.shape();
        if shape.elements() == 1 {
            return element(f, shape.element(), self.bits());
        }
        let nested = shape.vector() > 1 && shape.packed() > 1;
        f.write_str("{")?;
        for index in 0..shape.elements() {
            let first = index.is_multiple_of(shape.packed());
            let last = (index + 1).is_multiple_of(shape.packed());
            f.write_str(if index > 0 { ", " } else { "" })?;
            f.write_str(if nested && first { "{" } else { "" })?;
            element(f, shape.element(), self.element(index).into())?;
            f.write_str(if nested && last { "}" } else { "" })?;
        }
        f.write_str("}")
    }
}

fn element(f: &mut fmt::Formatter<'_>, element: Element, bits: u128) -> fmt::Result {
    match element {
        Element::Bits(width) => write!(f, "0x{bits:0digits$x}", digits = (width / 4) as usize),
        Element::Unsigned(_) => write!(f, "{bits}"),
        Element::Signed(width) => write!(f, "{}", (bits << (128 - width)) as i128 >> (128 - width)),
        Element::Small(format) => float(f, format.decode(bits as u16), f32::is_nan),
        Element::F32 => float(f, f32::from_bits(bits as u32), f32::is_nan),
        Element::F64 => float(f, f64::from_bits(bits as u64), f64::is_nan),
    }
}

fn float<T: fmt::Debug + Copy>(f: &mut fmt::Formatter<'_>, number: T, is_nan: fn(T) -> bool) -> fmt::Result {
    if is_nan(number) { f.write_str("nan") } else { write!(f, "{number:?}") }
}

#[cfg(test)]
mod tests {
    use crate::float::SmallFloat;
    use crate::literal::parse;
    use crate::value::{Shape, Value};
    use isa::types::Type;

    #[test]
    fn what_is_shown() {
        let shown = |ty, lanes, bits| {
            let value = Value::new(Shape::new(ty, lanes).expect("at most 128 bits"), bits);
            format!("{value:x} {value:#x} {value}")
        };
        assert_eq!(shown(Type::S32, 1, 0xffff_fffb), "fffffffb 0xfffffffb -5");
        assert_eq!(shown(Type::B16, 1, 0xab), "00ab 0x00ab 0x00ab");
        assert_eq!(shown(Type::F32, 1, 0x3fc0_0000), "3fc00000 0x3fc00000 1.5");
        assert_eq!(shown(Type::F16, 2, 0x8000_7e01), "80007e01 0x80007e01 {nan, -0.0}");
        assert_eq!(shown(Type::Bf16x2, 2, 0x4000_3f80), "0000000040003f80 0x0000000040003f80 {{1.0, 2.0}, {0.0, 0.0}}");
    }

    #[test]
    fn every_small_number_is_read_back_as_it_is_shown() {
        for (format, ty) in [
            (SmallFloat::F16, Type::F16),
            (SmallFloat::Bf16, Type::Bf16),
            (SmallFloat::E4m3, Type::E4m3),
            (SmallFloat::E5m2, Type::E5m2),
        ] {
            let shape = Shape::scalar(ty);
            for bits in 0..=u16::MAX >> (16 - format.bits()) {
                let value = Value::new(shape, bits.into());
                let back = parse(&value.to_string(), shape).expect("what is shown can be read");
                let expected = if format.is_nan(bits) { format.nan() } else { bits };
                assert_eq!(back.bits(), u128::from(expected), "{value} {format:?}");
            }
        }
    }
}
