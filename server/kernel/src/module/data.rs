//! Initial values of variables.

use std::ops::Range;
use syntax::{Declarator, DeclaredType, Number, integer_value, type_bits};

/// The most braces around an initial value: each takes stack here.
const MAX_BRACES: usize = 32;

/// The layout of a variable: its element, and the dimensions of an array.
pub struct DataLayout<'d> {
    /// The type of an element, without a dot.
    pub ty: &'d str,
    /// The size of an element in bytes.
    pub element_bytes: usize,
    /// The dimensions, the outermost first; vector elements are the innermost.
    pub dimensions: Vec<u64>,
}

impl<'d> DataLayout<'d> {
    /// The layout of a declared variable.
    pub fn of(storage: &'d DeclaredType, declarator: &Declarator) -> Self {
        let mut dimensions = declarator.dimensions.clone();
        dimensions.extend(storage.lanes());
        let element_bytes = type_bits(&storage.ty.text).unwrap_or(32) as usize / 8;
        Self { ty: storage.ty.text.trim_start_matches('.'), element_bytes, dimensions }
    }

    /// The bytes that an initial value takes, in whole elements of the first dimension: the size of a variable `x[] = {1, 2}`.
    pub fn value_bytes(&self, text: &str) -> u64 {
        let row = self.nested_bytes(0);
        let Some(inner) = in_braces(text.trim()) else { return row };
        let bytes = parts(inner).fold(0_u64, |bytes, part| bytes.saturating_add(self.part_bytes(part, 0)));
        bytes.checked_next_multiple_of(row.max(1)).unwrap_or(u64::MAX)
    }

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

    /// The bytes of what is in braces at a depth, `u64::MAX` if there are more.
    fn nested_bytes(&self, depth: usize) -> u64 {
        let below = self.dimensions.iter().skip(depth + 1);
        below.fold(self.element_bytes as u64, |bytes, count| bytes.saturating_mul(*count))
    }

    /// The bytes of a part of the braces at a depth.
    fn part_bytes(&self, part: &str, depth: usize) -> u64 {
        if part.starts_with('{') { self.nested_bytes(depth) } else { self.element_bytes as u64 }
    }

    fn fill(
        &self,
        text: &str,
        depth: usize,
        range: Range<usize>,
        bytes: &mut [u8],
        address: &mut dyn FnMut(&str) -> Option<u64>,
    ) -> Result<(), String> {
        let Some(inner) = in_braces(text) else {
            let value = self.value(text, address).ok_or_else(|| format!("initial value `{text}` is not understood"))?;
            let length = self.element_bytes.min(range.len()).min(8);
            bytes[range.start..range.start + length].copy_from_slice(&value.to_le_bytes()[..length]);
            return Ok(());
        };
        // Braces around one value are allowed.
        if depth > self.dimensions.len() {
            return Err(format!("initial values are nested deeper than the {} dimensions", self.dimensions.len()));
        }
        if depth >= MAX_BRACES {
            return Err(format!("initial values are nested deeper than {MAX_BRACES} braces"));
        }
        let mut at = range.start;
        for part in parts(inner) {
            let step = usize::try_from(self.part_bytes(part, depth)).ok().filter(|step| *step <= range.end - at);
            let step = step.ok_or_else(|| format!("too many initial values: `{part}` does not fit"))?;
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

/// The text between the braces around it.
fn in_braces(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.strip_suffix('}')
}

/// Where the initial value of a variable stands in a declaration that ends at an offset, up to the next variable; `None` if it has none.
pub fn value_range(declarators: &[Declarator], number: usize, end: usize) -> Option<Range<usize>> {
    let start = declarators[number].value?;
    Some(start..declarators.get(number + 1).map_or(end, |next| next.name.range.start))
}

/// The text up to the first comma that is in no brackets.
pub fn first_value(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|c| {
        depth += i32::from("{(".contains(c)) - i32::from("})".contains(c));
        c == ',' && depth == 0
    });
    text[..end.unwrap_or(text.len())].trim_end_matches([';', ' ', '\n', '\t', '\r']).trim()
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
        let layout = DataLayout { ty, element_bytes, dimensions: dimensions.to_vec() };
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

    #[test]
    fn values_give_the_size_of_an_empty_dimension() {
        let size = |dimensions: &[u64], text: &str| {
            DataLayout { ty: "u32", element_bytes: 4, dimensions: dimensions.to_vec() }.value_bytes(text)
        };
        assert_eq!([size(&[0], "{1, 2}"), size(&[0, 2], "{{1}, {2, 3}}"), size(&[0, 2], "{1, 2, 3}")], [8, 16, 16]);
        assert_eq!(
            [size(&[0], "{}"), size(&[0, 0], "{{1}}"), size(&[0, 1 << 32, 1 << 32], "{{{1}}}")],
            [0, 0, u64::MAX]
        );
    }

    #[test]
    fn braces_are_no_deeper_than_the_dimensions() {
        let fill = |dimensions: &[u64], text: &str| {
            DataLayout { ty: "u8", element_bytes: 1, dimensions: dimensions.to_vec() }.bytes(text, 1, &mut |_| None)
        };
        let nested = |depth: usize| "{".repeat(depth) + "1" + &"}".repeat(depth);
        assert_eq!(fill(&[], "{1}"), Ok(vec![1]));
        assert_eq!(fill(&[1, 1], &nested(3)), Ok(vec![1]));
        for (dimensions, depth, message) in [(1, 60_000, "the 1 dimensions"), (60_000, 60_000, "32 braces")] {
            let found = fill(&vec![1; dimensions], &nested(depth)).expect_err("too deep");
            assert!(found.contains(message), "{found}");
        }
    }
}
