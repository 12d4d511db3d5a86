//! Initial values of variables.

use std::ops::Range;
use syntax::{Number, integer_value};

/// The layout of a variable: its element, and the dimensions of an array.
pub struct DataLayout<'d> {
    /// The type of an element, without a dot.
    pub ty: &'d str,
    /// The size of an element in bytes.
    pub element_bytes: usize,
    /// The dimensions, the outermost first; vector elements are the innermost.
    pub dimensions: &'d [u64],
}

impl DataLayout<'_> {
    /// The bytes of an initial value. `address` gives the value of an expression with a symbol.
    ///
    /// # Errors
    /// A message if a value is not understood.
    pub fn bytes(
        &self,
        text: &str,
        size: usize,
        address: &mut dyn FnMut(&str) -> Option<u64>,
    ) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; size];
        self.fill(text.trim(), 0, 0..size, &mut bytes, address)?;
        Ok(bytes)
    }

    fn fill(
        &self,
        text: &str,
        depth: usize,
        range: Range<usize>,
        bytes: &mut [u8],
        address: &mut dyn FnMut(&str) -> Option<u64>,
    ) -> Result<(), String> {
        let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
            let value = self.value(text, address).ok_or_else(|| format!("initial value `{text}` is not understood"))?;
            let length = self.element_bytes.min(range.len()).min(8);
            bytes[range.start..range.start + length].copy_from_slice(&value.to_le_bytes()[..length]);
            return Ok(());
        };
        let below: u64 = self.dimensions.iter().skip(depth + 1).product();
        let nested = below as usize * self.element_bytes;
        let mut at = range.start;
        for part in parts(inner) {
            let step = if part.starts_with('{') { nested } else { self.element_bytes };
            if at + step > range.end {
                return Err(format!("too many initial values: `{part}` does not fit"));
            }
            self.fill(part, depth + 1, at..at + step, bytes, address)?;
            at += step;
        }
        Ok(())
    }

    fn value(&self, text: &str, address: &mut dyn FnMut(&str) -> Option<u64>) -> Option<u64> {
        match (self.ty, Number::float(text)) {
            ("f32", Some(value)) => return Some(u64::from((value as f32).to_bits())),
            ("f64", Some(value)) => return Some(value.to_bits()),
            _ => {}
        }
        // A mask in front of a symbol is no number.
        if let Some(address) = address(text) {
            return Some(address);
        }
        match (integer_value(text)?, self.ty) {
            (value, "f32") => Some(u64::from((value as f32).to_bits())),
            (value, "f64") => Some((value as f64).to_bits()),
            (value, _) => Some(value as u64),
        }
    }
}

/// The parts of a list between commas that are in no brackets.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let split = text.split(move |c| {
        depth += i32::from("{(".contains(c)) - i32::from("})".contains(c));
        c == ',' && depth == 0
    });
    split.map(str::trim).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(ty: &str, element_bytes: usize, dimensions: &[u64], text: &str) -> Vec<u8> {
        let size = dimensions.iter().product::<u64>() as usize * element_bytes;
        let layout = DataLayout { ty, element_bytes, dimensions };
        layout
            .bytes(text, size, &mut |name| match name {
                "f" => Some(0x1234),
                "0xff(f)" => Some(0x34),
                "0xff00(f)" => Some(0x12),
                _ => None,
            })
            .expect("values")
    }

    #[test]
    fn values_fill_an_array_from_its_beginning() {
        assert_eq!(bytes("u16", 2, &[3], "{1, 0x203}"), [1, 0, 3, 2, 0, 0]);
        assert_eq!(bytes("b8", 1, &[2, 3], "{{1, 2}, {3}}"), [1, 2, 0, 3, 0, 0]);
        assert_eq!(bytes("f32", 4, &[], "0f3F800000"), [0, 0, 0x80, 0x3f]);
        assert_eq!(bytes("f32", 4, &[], "-1.0"), [0, 0, 0x80, 0xbf]);
        assert_eq!(bytes("s32", 4, &[], "-2"), [0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(bytes("u64", 8, &[1], "{f}"), [0x34, 0x12, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes("u8", 1, &[2], "{0xff(f), 0xff00(f)}"), [0x34, 0x12]);
    }
}
