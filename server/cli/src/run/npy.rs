//! Arrays in NumPy's file format (NEP 1): a header as text, then the elements.
//!
//! Our own reader: the crates that read the format bring a parser generator and assembler code along, for a header of a line.

use crate::write::write_file;
use kernel::arguments::argument_values::shape_of;
use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use values::{Element, Shape};

/// The first bytes of a file.
const MAGIC: &[u8] = b"\x93NUMPY";
/// The bytes of the magic, the version and the length of the header, in version 1.
const PREFIX: usize = 10;
/// The elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// The longest header, in bytes. Those of arrays of plain numbers have about 100.
const LONGEST_HEADER: usize = 1 << 16;

/// The data of an array whose elements have the size of a shape, lowest address first.
pub fn read(path: &Path, shape: Shape) -> Result<Vec<u8>, String> {
    let name = path.display();
    let failed = |error: io::Error| format!("{name}: {}", project::read::reason(&error));
    let file = File::open(path).map_err(failed)?;
    elements(file, shape).map_err(|error| format!("{name}: {error}"))
}

/// Reads no more than the header announces, so that a device or a pipe without end is no trap.
fn elements(mut file: impl Read, wanted: Shape) -> Result<Vec<u8>, String> {
    let damaged = || "expected an array in NumPy's format".to_owned();
    let mut next = |count: u64| {
        let mut bytes = Vec::new();
        let done = file.by_ref().take(count).read_to_end(&mut bytes);
        done.map(|_| bytes).map_err(|error| project::read::reason(&error))
    };
    let prefix = next(PREFIX as u64)?;
    let length = match prefix.strip_prefix(MAGIC).ok_or_else(damaged)? {
        [1, _, low, high] => u32::from_le_bytes([*low, *high, 0, 0]),
        [2 | 3, _, low, high] => match next(2)?[..] {
            [third, fourth] => u32::from_le_bytes([*low, *high, third, fourth]),
            _ => return Err(damaged()),
        },
        _ => return Err(damaged()),
    };
    let header = next(u64::from(length).min(LONGEST_HEADER as u64 + 1))?;
    let header = std::str::from_utf8(&header).ok().filter(|header| header.len() == length as usize);
    let header = header.filter(|header| header.len() <= LONGEST_HEADER).ok_or_else(damaged)?;
    let count = described(header, wanted)?.ok_or_else(damaged)?;
    let size = count.checked_mul(u64::from(wanted.bytes())).ok_or_else(damaged)?;
    let data = next(size.saturating_add(1))?;
    if data.len() as u64 == size {
        return Ok(data);
    }
    let found = match (data.len() as u64).cmp(&size) {
        Ordering::Greater => "more".to_owned(),
        _ => (data.len() / wanted.bytes() as usize).to_string(),
    };
    Err(format!("the header says {count} elements, the file has {found}: save the array again"))
}

/// The number of elements that a header describes, if they have the type that is wanted; `None` if the header cannot be read.
fn described(header: &str, wanted: Shape) -> Result<Option<u64>, String> {
    let (Some(ty), Some(count)) = (value(header, "descr"), count(header)) else { return Ok(None) };
    let ty = ty.trim_matches(['\'', '"']);
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
    Ok(Some(count))
}

/// The number of elements of the shape in a header, a tuple of Python.
fn count(header: &str) -> Option<u64> {
    let shape = header.split_once("'shape':")?.1.split_once('(')?.1.split_once(')')?.0;
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().ok()).try_fold(1_u64, |all, size: Option<u64>| all.checked_mul(size?))
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
        let elements = |bytes: &[u8], shape: Shape| elements(bytes, shape);
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
        for (shape, message) in [
            ("(1000000000000,)", "the header says 1000000000000 elements, the file has 1: save the array again"),
            ("(2, 3)", "the header says 6 elements, the file has 1: save the array again"),
            ("(0,)", "the header says 0 elements, the file has more: save the array again"),
            ("(99999999999, 99999999999)", "expected an array in NumPy's format"),
        ] {
            let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
            let bytes = [MAGIC, &[1, 0, header.len() as u8, 0], header.as_bytes(), &[1, 2, 3, 4]].concat();
            assert_eq!(elements(&bytes, singles), Err(message.to_owned()));
        }
        assert!(elements(b"no array", singles).is_err() && elements(&file(&[1, 0], &[255, 9]), singles).is_err());
    }
}
