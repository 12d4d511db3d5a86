//! NumPy's files of arrays.

use emulator::{Element, Shape};
use evaluation::kernel::arguments::Buffer;
use npyz::{AutoSerialize, DType, NpyFile, WriteOptions, WriterBuilder};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

/// The data of an array whose elements have a shape, lowest address first.
pub fn read(path: &Path, shape: Shape) -> Result<Vec<u8>, String> {
    let name = path.display();
    let file = File::open(path).map_err(|error| format!("{name}: {}", project::read::reason(&error)))?;
    let mut bytes = Vec::new();
    BufReader::new(file)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("{name}: {}", project::read::reason(&error)))?;
    let array = NpyFile::new(&bytes[..]).map_err(|error| format!("{name}: {error}"))?;
    let size = match array.dtype() {
        DType::Plain(ty) => ty.num_bytes(),
        DType::Array(..) | DType::Record(_) => None,
    };
    let needed = shape.bytes() as usize;
    if size != Some(needed) {
        return Err(format!("{name}: elements have the type {}, not {needed} bytes", array.dtype().descr()));
    }
    let length = array.len() as usize * needed;
    Ok(bytes[bytes.len().saturating_sub(length)..].to_vec())
}

/// Writes a buffer as an array of one dimension; elements without a NumPy type are written as unsigned integers of their size.
pub fn write(path: &Path, buffer: &Buffer) -> Result<(), String> {
    let name = path.display();
    let fault = |error: std::io::Error| format!("{name}: {}", project::read::reason(&error));
    let file = BufWriter::new(File::create(path).map_err(fault)?);
    let bits = || buffer.values().map(|value| value.bits());
    match buffer.shape.element() {
        Element::F32 => write_all(file, bits().map(|bits| f32::from_bits(bits as u32)), buffer.len()),
        Element::F64 => write_all(file, bits().map(|bits| f64::from_bits(bits as u64)), buffer.len()),
        Element::Signed(8) => write_all(file, bits().map(|bits| bits as i8), buffer.len()),
        Element::Signed(16) => write_all(file, bits().map(|bits| bits as i16), buffer.len()),
        Element::Signed(32) => write_all(file, bits().map(|bits| bits as i32), buffer.len()),
        Element::Signed(_) => write_all(file, bits().map(|bits| bits as i64), buffer.len()),
        _ => match buffer.shape.bytes() {
            1 => write_all(file, bits().map(|bits| bits as u8), buffer.len()),
            2 => write_all(file, bits().map(|bits| bits as u16), buffer.len()),
            4 => write_all(file, bits().map(|bits| bits as u32), buffer.len()),
            _ => write_all(file, bits().map(|bits| bits as u64), buffer.len()),
        },
    }
    .map_err(fault)
}

fn write_all<T: AutoSerialize>(
    file: impl Write,
    values: impl Iterator<Item = T>,
    length: usize,
) -> std::io::Result<()> {
    let options = WriteOptions::new().default_dtype().shape(&[length as u64]);
    let mut writer = options.writer(file).begin_nd()?;
    for value in values {
        writer.push(&value)?;
    }
    writer.finish()
}
