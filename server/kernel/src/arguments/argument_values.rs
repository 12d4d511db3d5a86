//! The arguments of a kernel, as users write them: `u32=5`, `f32[4]=1,2,3`, `u32[256]=iota`, `u32[256]=random(7)`, `f32[4]=@file.npy`,
//! `f32[4]=undefined`.

use isa::types::Type;
use values::literal;
use values::{Element, Shape, Value};

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelArgument {
    /// A value that is passed.
    Scalar(Value),
    /// A buffer in global memory whose address is passed.
    Buffer(Buffer),
}

/// A buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The shape of an element.
    pub shape: Shape,
    /// The contents.
    pub bytes: Vec<u8>,
    /// What the host has written of them.
    pub written: HostWrites,
}

/// Whether the host has written a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWrites {
    /// All of it.
    All,
    /// Nothing: to read it before the kernel has written it is a mistake.
    Nothing,
}

/// What is written for a buffer that the host does not write.
const UNDEFINED: &str = "undefined";

/// Reads the data of a file in elements of a shape, lowest address first.
pub type ReadFile<'r> = &'r mut dyn FnMut(&str, Shape) -> Result<Vec<u8>, String>;

/// The values of a buffer as they are written.
enum Contents<'t> {
    /// Those of a file.
    File(&'t str),
    /// The numbers 0, 1, 2, …
    Counting,
    /// Numbers that a seed determines.
    Random(u64),
    /// A list of values.
    List(&'t str),
}

/// The most bytes of a buffer, if nothing else is known about the memory that there is.
pub const MOST_BYTES: u64 = 1 << 30;

impl KernelArgument {
    /// Reads an argument with at most so many bytes. `read_file` gives the data of a file in elements of a shape, lowest address first.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn parse(text: &str, most_bytes: u64, read_file: ReadFile) -> Result<Self, String> {
        let (declared, value) = match text.split_once('=') {
            Some((declared, value)) => (declared.trim(), Some(value.trim())),
            None => (text.trim(), None),
        };
        let (ty, count) = match declared.split_once('[') {
            Some((ty, rest)) => (ty, Some(count(rest)?)),
            None => (declared, None),
        };
        let shape = shape_of(ty).ok_or_else(|| unknown_type(text, ty))?;
        match count {
            None => {
                let value = value.ok_or_else(|| format!("missing value: write `{ty}=5`, or `{ty}[8]` for a buffer"))?;
                Ok(Self::Scalar(literal::parse(value, shape).map_err(|error| error.to_string())?))
            }
            Some(ElementCount::OfValues) => {
                let has_length = |value: &&str| !["iota", UNDEFINED].contains(value) && !value.starts_with("random(");
                let value = value.filter(has_length);
                let value = value.ok_or_else(|| format!("missing number of elements: write `{ty}[8]`"))?;
                let most = most_bytes / u64::from(shape.bytes());
                let (bytes, written) = (contents(value, shape, most, read_file)?, HostWrites::All);
                Ok(Self::Buffer(Buffer { shape, bytes, written }))
            }
            Some(ElementCount::Number(count)) => {
                let length = buffer_bytes(shape, count, most_bytes)?;
                let written = if value == Some(UNDEFINED) { HostWrites::Nothing } else { HostWrites::All };
                let value = value.filter(|_| written == HostWrites::All);
                let mut bytes = value.map_or(Ok(Vec::new()), |value| contents(value, shape, count, read_file))?;
                bytes.resize(length, 0);
                Ok(Self::Buffer(Buffer { shape, bytes, written }))
            }
        }
    }
}

/// The bytes of the buffer that an argument declares with a number of elements; 0 for others.
pub fn declared_bytes(text: &str) -> u64 {
    let declared = text.split_once('=').map_or(text, |(declared, _)| declared).trim();
    let Some((ty, rest)) = declared.split_once('[') else { return 0 };
    match (shape_of(ty), count(rest)) {
        (Some(shape), Ok(ElementCount::Number(count))) => count.saturating_mul(shape.bytes().into()),
        _ => 0,
    }
}

/// The shape of a type by its name, with or without a dot.
pub fn shape_of(ty: &str) -> Option<Shape> {
    Type::parse(ty.trim_start_matches('.')).filter(|ty| *ty != Type::Pred).map(Shape::scalar)
}

/// The elements of a shape in memory.
pub fn values(bytes: &[u8], shape: Shape) -> impl Iterator<Item = Value> + '_ {
    bytes
        .chunks_exact(shape.bytes() as usize)
        .map(move |element| Value::new(shape, element.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte))))
}

/// The values that are written for a buffer of a shape and length; they may be fewer.
///
/// # Errors
/// A message if a value is not understood, or there are too many.
pub fn contents(text: &str, shape: Shape, count: u64, read_file: ReadFile) -> Result<Vec<u8>, String> {
    let bytes = match Contents::of(text)? {
        Contents::File(path) => read_file(path, shape)?,
        Contents::Counting => generated(shape, count, number)?,
        Contents::Random(seed) => {
            let mut choices = machine::ScheduleChoices::new(seed);
            generated(shape, count, |shape, _| random(shape, &mut choices))?
        }
        Contents::List(list) => list_bytes(list, shape)?,
    };
    let length = bytes.len() as u64 / u64::from(shape.bytes());
    if length > count {
        return Err(format!("{length} values for {count} elements"));
    }
    Ok(bytes)
}

impl<'t> Contents<'t> {
    fn of(text: &'t str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix('@') {
            return Ok(Self::File(path));
        }
        if text == "iota" {
            return Ok(Self::Counting);
        }
        match text.strip_prefix("random(").and_then(|rest| rest.strip_suffix(')')) {
            Some(seed) => seed.trim().parse().map(Self::Random).map_err(|_| format!("`{seed}` is not a seed")),
            None => Ok(Self::List(text)),
        }
    }
}

/// A message for an argument whose type is unknown, with what was probably meant.
fn unknown_type(text: &str, ty: &str) -> String {
    if let Some(path) = text.strip_prefix('@') {
        return format!("missing type: write `f32[]=@{path}` for a buffer with the values of the file");
    }
    if let Some(first) = text.split(',').next().filter(|_| !text.contains(['[', '='])) {
        let parses = |ty: &&&str| {
            let is_signed = **ty != "u32";
            shape_of(ty)
                .is_some_and(|shape| (is_signed || !first.starts_with('-')) && literal::parse(first, shape).is_ok())
        };
        if let Some(guess) = ["u32", "s32", "f32"].iter().find(parses) {
            let buffer = if first == text { "" } else { "[]" };
            return format!("missing type: write `{guess}{buffer}={text}`");
        }
    }
    let help = match type_elsewhere(ty) {
        Some(known) => format!("write `{known}`"),
        None => "write `u32=5` for a value, `u32[8]` or `f32[4]=1,2,3` for a buffer".to_owned(),
    };
    format!("unknown type `{ty}`: {help}")
}

/// The type of PTX that has another name in C, NumPy or LLVM.
fn type_elsewhere(name: &str) -> Option<&'static str> {
    Some(match name {
        "float" | "float32" => "f32",
        "double" | "float64" => "f64",
        "half" | "float16" | "__half" => "f16",
        "bfloat16" | "__nv_bfloat16" => "bf16",
        "bool" | "unsigned char" | "uint8" | "uint8_t" => "u8",
        "char" | "int8" | "int8_t" | "i8" => "s8",
        "short" | "int16" | "int16_t" | "i16" => "s16",
        "unsigned short" | "uint16" | "uint16_t" => "u16",
        "int" | "int32" | "int32_t" | "i32" => "s32",
        "unsigned" | "unsigned int" | "uint" | "uint32" | "uint32_t" => "u32",
        "long" | "long long" | "int64" | "int64_t" | "i64" => "s64",
        "unsigned long" | "unsigned long long" | "size_t" | "uint64" | "uint64_t" => "u64",
        _ => return None,
    })
}

/// How many elements a buffer has.
enum ElementCount {
    /// A number.
    Number(u64),
    /// As many as there are values.
    OfValues,
}

/// The number in `8]`.
fn count(rest: &str) -> Result<ElementCount, String> {
    let digits = rest.strip_suffix(']').ok_or_else(|| format!("missing `]` after `{rest}`"))?;
    if digits.trim().is_empty() {
        return Ok(ElementCount::OfValues);
    }
    let count: u64 = digits.trim().parse().map_err(|_| format!("`{digits}` is not a number of elements"))?;
    Ok(ElementCount::Number(count))
}

/// The bytes of a buffer, if it is not too large.
fn buffer_bytes(shape: Shape, count: u64, most: u64) -> Result<usize, String> {
    let bytes = count.saturating_mul(shape.bytes().into());
    match usize::try_from(bytes) {
        Ok(length) if bytes <= most => Ok(length),
        _ => Err(format!("buffer of {count} elements of {} bytes: at most {most} bytes", shape.bytes())),
    }
}

fn generated(shape: Shape, count: u64, mut value: impl FnMut(Shape, u64) -> u128) -> Result<Vec<u8>, String> {
    let size = shape.bytes() as usize;
    let length =
        usize::try_from(count.saturating_mul(size as u64)).ok().filter(|length| *length <= isize::MAX as usize);
    let mut bytes = vec![0; length.ok_or_else(|| format!("buffer of {count} elements"))?];
    for (at, element) in bytes.chunks_exact_mut(size).enumerate() {
        element.copy_from_slice(&value(shape, at as u64).to_le_bytes()[..size]);
    }
    Ok(bytes)
}

/// A number as an element of a shape.
fn number(shape: Shape, value: u64) -> u128 {
    match shape.element() {
        Element::F32 => u128::from((value as f32).to_bits()),
        Element::F64 => u128::from((value as f64).to_bits()),
        Element::Small(_) => literal::parse(&value.to_string(), Shape::of(shape.element())).map_or(0, Value::bits),
        _ => u128::from(value) & shape.mask(),
    }
}

/// A random element: any integer, or a floating-point number from -1 to 1.
fn random(shape: Shape, choices: &mut machine::ScheduleChoices) -> u128 {
    let unit = (choices.below(1 << 53) as f64 / (1_u64 << 52) as f64) - 1.0;
    match shape.element() {
        Element::F32 => u128::from((unit as f32).to_bits()),
        Element::F64 => u128::from(unit.to_bits()),
        Element::Small(_) => literal::parse(&format!("{unit:.6}"), Shape::of(shape.element())).map_or(0, Value::bits),
        _ => {
            let high = u128::from(choices.below(u64::MAX));
            (high << 64 | u128::from(choices.below(u64::MAX))) & shape.mask()
        }
    }
}

fn list_bytes(list: &str, shape: Shape) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for text in parts(list) {
        let value = literal::parse(text, shape).map_err(|error| error.to_string())?;
        bytes.extend_from_slice(&value.bits().to_le_bytes()[..shape.bytes() as usize]);
    }
    Ok(bytes)
}

/// The parts between commas outside of braces.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    list.split(move |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    })
    .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<KernelArgument, String> {
        KernelArgument::parse(text, MOST_BYTES, &mut |path, shape| match path {
            "a.npy" => Ok(vec![7; shape.bytes() as usize]),
            _ => Err(format!("no file {path}")),
        })
    }

    fn bytes(text: &str) -> Vec<u8> {
        match parse(text) {
            Ok(KernelArgument::Buffer(buffer)) => buffer.bytes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_and_buffers() {
        assert!(matches!(parse("u32=5"), Ok(KernelArgument::Scalar(value)) if value.bits() == 5));
        assert!(matches!(parse("f32=-1.5"), Ok(KernelArgument::Scalar(value)) if value.bits() == 0xbfc0_0000));
        assert_eq!(bytes("u16[3]"), [0; 6]);
        let is_unwritten =
            |text| matches!(parse(text), Ok(KernelArgument::Buffer(buffer)) if buffer.written == HostWrites::Nothing);
        assert!(is_unwritten("f32[256]=undefined") && !is_unwritten("f32[256]=iota"));
        assert_eq!(bytes("u16[3]=1,0x203"), [1, 0, 3, 2, 0, 0]);
        assert_eq!(bytes("u8[4]=iota"), [0, 1, 2, 3]);
        assert_eq!(bytes("f32[2]=iota"), [0, 0, 0, 0, 0, 0, 0x80, 0x3f]);
        assert_eq!(bytes("u16[2]=@a.npy"), [7, 7, 0, 0]);
        assert_eq!(bytes("u16[]=1,2"), [1, 0, 2, 0]);
        assert_eq!(bytes("u32[]=@a.npy"), [7; 4]);
        assert_eq!(bytes("u64[4]=random(7)"), bytes("u64[4]=random(7)"));
        assert_ne!(bytes("u64[4]=random(7)"), bytes("u64[4]=random(8)"));
    }

    #[test]
    fn mistakes() {
        for (text, message) in [
            ("u33=5", "unknown type `u33`"),
            ("float[4]", "unknown type `float`: write `f32`"),
            ("uint32_t=5", "unknown type `uint32_t`: write `u32`"),
            ("0xff", "missing type: write `u32=0xff`"),
            ("-5", "missing type: write `s32=-5`"),
            ("2.5", "missing type: write `f32=2.5`"),
            ("1,2,3", "missing type: write `u32[]=1,2,3`"),
            ("@a.npy", "missing type: write `f32[]=@a.npy`"),
            ("u32[]", "missing number of elements"),
            ("u32[]=iota", "missing number of elements"),
            ("u32[]=undefined", "missing number of elements"),
            ("u32", "missing value"),
            ("u32[8", "missing `]`"),
            ("u32[x]", "not a number of elements"),
            ("u32[1]=1,2", "2 values for 1 elements"),
            ("b128[1073741824]", "buffer of 1073741824 elements of 16 bytes: at most 1073741824 bytes"),
            ("u64[18446744073709551615]=iota", "buffer of 18446744073709551615 elements of 8 bytes"),
            ("u32[1]=@b.npy", "no file b.npy"),
            ("u32[1]=random(x)", "not a seed"),
        ] {
            let found = parse(text).expect_err(text);
            assert!(found.contains(message), "{text}: {found}");
        }
    }
}
