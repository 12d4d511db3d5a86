//! Arrays in NumPy's file format (NEP 1): a header as text, then the elements.
//!
//! Our own reader: the crates that read the format bring a parser generator and assembler code along, for a header of a line.

use crate::write::write_file;
use emulator::{Element, Shape};
use evaluation::kernel::arguments::shape_of;
use std::fs;
use std::path::Path;

/// The first bytes of a file.
const MAGIC: &[u8] = b"\x93NUMPY";
/// The bytes of the magic, the version and the length of the header, in version 1.
const PREFIX: usize = 10;
/// The elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// The data of an array whose elements have the size of a shape, lowest address first.
pub fn read(path: &Path, shape: Shape) -> Result<Vec<u8>, String> {
    let name = path.display();
    let bytes = fs::read(path).map_err(|error| format!("{name}: {}", project::read::reason(&error)))?;
    elements(&bytes, shape).map_err(|error| format!("{name}: {error}"))
}

fn elements(bytes: &[u8], wanted: Shape) -> Result<Vec<u8>, String> {
    let damaged = || "expected an array in NumPy's format".to_owned();
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
    let (start, length) = match rest {
        [1, _, low, high, ..] => (PREFIX, u32::from_le_bytes([*low, *high, 0, 0])),
        [2 | 3, _, a, b, c, d, ..] => (PREFIX + 2, u32::from_le_bytes([*a, *b, *c, *d])),
        _ => return Err(damaged()),
    };
    let end = start + length as usize;
    let header = bytes.get(start..end).and_then(|header| std::str::from_utf8(header).ok()).ok_or_else(damaged)?;
    let ty = value(header, "descr").ok_or_else(damaged)?.trim_matches(['\'', '"']);
    let size: Option<usize> = ty.get(2..).and_then(|digits| digits.parse().ok());
    let kind = ty.chars().nth(1).unwrap_or_default();
    if size != Some(wanted.bytes() as usize) || ty.starts_with('>') || !kinds(wanted).contains(kind) {
        let name = wanted.element().name();
        return Err(format!(
            "elements have the type {ty}, not that of `{name}`: save array.astype('{}')",
            numpy_type(wanted)
        ));
    }
    if value(header, "fortran_order") == Some("True") {
        return Err("the array is in Fortran order: save numpy.ascontiguousarray(array)".to_owned());
    }
    if !(bytes.len() - end).is_multiple_of(wanted.bytes() as usize) {
        return Err(damaged());
    }
    Ok(bytes[end..].to_vec())
}

/// NumPy's kinds of types that can hold an element: those with its meaning, or its bits.
fn kinds(shape: Shape) -> &'static str {
    match kind(shape) {
        'f' => "f",
        _ if matches!(shape.element(), Element::Bits(_)) => "fiubcV",
        _ if shape.element().is_float() || shape.elements() > 1 => "iuV",
        _ => "iub",
    }
}

/// NumPy's kind of an element; unsigned integers for those that NumPy does not have.
fn kind(shape: Shape) -> char {
    match shape.element() {
        _ if shape_of("f16") == Some(shape) => 'f',
        Element::F32 | Element::F64 if shape.elements() == 1 => 'f',
        Element::Signed(_) if shape.elements() == 1 => 'i',
        _ => 'u',
    }
}

/// NumPy's type for elements.
fn numpy_type(shape: Shape) -> String {
    format!("<{}{}", kind(shape), shape.bytes())
}

/// The value of a key in the header, a literal of Python.
fn value<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let behind = header.split_once(&format!("'{key}':"))?.1.trim_start();
    Some(behind.split([',', '}']).next()?.trim())
}

/// Writes a buffer as an array of one dimension; elements without a NumPy type are written as unsigned integers of their size.
pub fn write(path: &Path, shape: Shape, elements: &[u8]) -> Result<(), String> {
    let (ty, length) = (numpy_type(shape), elements.len() / shape.bytes() as usize);
    let header = format!("{{'descr': '{ty}', 'fortran_order': False, 'shape': ({length},), }}");
    let padded = (PREFIX + header.len() + 1).next_multiple_of(ALIGNMENT) - PREFIX;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&[1, 0, padded as u8, 0]);
    bytes.extend_from_slice(format!("{header:<width$}\n", width = padded - 1).as_bytes());
    bytes.extend_from_slice(elements);
    write_file(path, &bytes).map_err(|error| format!("{}: {}", path.display(), project::read::reason(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
        let file = |version: &[u8], length: &[u8]| [MAGIC, version, length, header.as_bytes(), &[1, 2, 3, 4]].concat();
        let length = header.len() as u8;
        let singles = Shape::of(Element::F32);
        assert_eq!(elements(&file(&[1, 0], &[length, 0]), singles), Ok(vec![1, 2, 3, 4]));
        assert_eq!(elements(&file(&[2, 0], &[length, 0, 0, 0]), singles), Ok(vec![1, 2, 3, 4]));
        assert_eq!(elements(&file(&[1, 0], &[length, 0]), Shape::of(Element::Bits(32))), Ok(vec![1, 2, 3, 4]));
        for (element, message) in [
            (Element::F64, "elements have the type <f4, not that of `f64`: save array.astype('<f8')"),
            (Element::Unsigned(32), "elements have the type <f4, not that of `u32`: save array.astype('<u4')"),
        ] {
            assert_eq!(elements(&file(&[1, 0], &[length, 0]), Shape::of(element)), Err(message.to_owned()));
        }
        assert!(elements(b"no array", singles).is_err() && elements(&file(&[1, 0], &[255, 9]), singles).is_err());
    }
}
