//! Tensor maps as users write them: `tensor(f16[64x32], box=64x8)`, with what the host would pass to `cuTensorMapEncodeTiled`.

use crate::arguments::argument_values::{ReadFile, contents, shape_of};
use isa::types::Type;
use program::{
    CHANNELS_AND_IMAGES, MAX_BOX, MAX_DIMENSIONS, MAX_SPATIAL, MAX_STEP, OutsideFill, PixelColumn, STRIDE_END, Swizzle,
    TENSOR_TYPES, TensorDimension, TensorMap,
};
use values::Shape;

/// The options of a tensor.
const OPTIONS: [&str; 11] =
    ["box", "strides", "steps", "swizzle", "fill", "of", "im2col", "channels", "pixels", "lower", "upper"];

/// What addresses and strides of a tensor are multiples of, and the bytes of a row of a box.
const UNIT: u64 = 16;
/// The most pixels of a copy.
const MAX_PIXELS: u16 = 1024;
/// The most bytes of a tensor that gets a buffer of its own.
const MAX_BYTES: u64 = 1 << 30;

/// A tensor map as an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorArgument {
    /// The map, without the address of the tensor.
    pub map: TensorMap,
    /// The shape of an element.
    pub shape: Shape,
    /// Where the tensor is.
    pub memory: TensorMemory,
}

/// Where the tensor of a map is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensorMemory {
    /// In a buffer of its own, with these bytes.
    Own(Vec<u8>),
    /// In the buffer of another argument, by its name.
    Of(String),
}

impl TensorArgument {
    /// Reads the text of an argument; `None` if it is no tensor map.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn parse(text: &str, read_file: ReadFile) -> Option<Result<Self, String>> {
        Some(Self::parse_parts(parts(text)?, read_file))
    }

    /// The number of elements of the buffer of a tensor that has one of its own, by the text of an argument.
    pub fn own_elements(text: &str) -> Option<u64> {
        let (inner, _) = parts(text)?.split_once(')')?;
        let (map, other) = map_and_buffer(inner).ok()?;
        other.is_none().then(|| map.tensor_bytes().div_ceil(map.element_bytes()))
    }

    /// Whether the text of an argument is a tensor map in the buffer of another argument.
    pub fn is_view(text: &str) -> bool {
        let text = text.trim_start();
        text.starts_with("tensor") && text.split([',', '(']).any(|part| part.trim().starts_with("of="))
    }

    fn parse_parts(rest: &str, read_file: ReadFile) -> Result<Self, String> {
        let (inner, behind) = rest.split_once(')').ok_or("missing `)` of `tensor(`")?;
        let (map, other) = map_and_buffer(inner)?;
        let shape = shape_of(map.element.word()).ok_or("unknown type")?;
        let behind = behind.trim();
        let values = behind.strip_prefix('=').map(str::trim);
        if values.is_none() && !behind.is_empty() {
            return Err(format!("`{behind}` after `)` of a tensor: write the values as in `=iota` or `=1,2`"));
        }
        let memory = match (other, values) {
            (Some(_), Some(_)) => return Err("a tensor map with `of=` takes its values from that buffer".to_owned()),
            (Some(name), None) => TensorMemory::Of(name.to_owned()),
            (None, values) => TensorMemory::Own(own_bytes(&map, shape, values, read_file)?),
        };
        Ok(Self { map, shape, memory })
    }
}

/// What is after `tensor(`.
fn parts(text: &str) -> Option<&str> {
    text.trim().strip_prefix("tensor")?.trim_start().strip_prefix('(')
}

/// The map of what is between the parentheses, and the name of the buffer that it is a view of.
fn map_and_buffer(inner: &str) -> Result<(TensorMap, Option<&str>), String> {
    let mut parts = inner.split(',').map(str::trim);
    let (ty, sizes) = element_and_sizes(parts.next().unwrap_or_default())?;
    let mut options: Vec<(&str, &str)> = Vec::new();
    for part in parts {
        let (name, value) =
            if part == "im2col" { (part, "") } else { part.split_once('=').ok_or_else(|| unknown_option(part))? };
        let name = name.trim();
        if !OPTIONS.contains(&name) {
            return Err(unknown_option(name));
        }
        if options.iter().any(|(other, _)| *other == name) {
            return Err(format!("two options `{name}=` of a tensor"));
        }
        options.push((name, value.trim()));
    }
    let option = |name: &str| options.iter().find(|(one, _)| *one == name).map(|(_, value)| *value);
    let map = TensorMap {
        element: ty,
        address: 0,
        dimensions: dimensions(ty, &sizes, option)?,
        swizzle: swizzle(option("swizzle"))?,
        fill: fill(option("fill"), ty)?,
        pixels: pixels(sizes.len(), option)?,
    };
    check_rows(&map)?;
    Ok((map, option("of")))
}

fn own_bytes(map: &TensorMap, shape: Shape, values: Option<&str>, read_file: ReadFile) -> Result<Vec<u8>, String> {
    let length = map.tensor_bytes();
    if length > MAX_BYTES {
        return Err(format!("tensor of {length} bytes: at most {MAX_BYTES}"));
    }
    let mut bytes = vec![0; length as usize];
    if let Some(values) = values {
        let count = length / u64::from(shape.bytes());
        let given = contents(values, shape, count, read_file)?;
        bytes[..given.len()].copy_from_slice(&given);
    }
    Ok(bytes)
}

/// `f16[64x32]`
fn element_and_sizes(text: &str) -> Result<(Type, Vec<u64>), String> {
    let help = "write the type and the sizes, the innermost first: `tensor(f16[64x32], box=64x8)`";
    let (ty, sizes) = text.strip_suffix(']').and_then(|text| text.split_once('[')).ok_or(help)?;
    let known = Type::parse(ty.trim().trim_start_matches('.')).filter(|ty| TENSOR_TYPES.contains(ty));
    let ty = known.ok_or_else(|| {
        let known: Vec<&str> = TENSOR_TYPES.iter().map(|ty| ty.word()).collect();
        format!("`{ty}` is no type of the elements of a tensor: they are `{}`", known.join("`, `"))
    })?;
    let sizes = numbers(sizes, "sizes")?;
    if sizes.len() > MAX_DIMENSIONS {
        return Err(format!("{} dimensions: a tensor has at most {MAX_DIMENSIONS}", sizes.len()));
    }
    match sizes.iter().find(|size| **size == 0 || **size > u64::from(u32::MAX)) {
        Some(size) => Err(format!("size {size} of a dimension is not between 1 and {}", u32::MAX)),
        None => Ok((ty, sizes)),
    }
}

/// The dimensions of a tensor, with the options of the box.
fn dimensions<'o>(
    ty: Type,
    sizes: &[u64],
    option: impl Fn(&str) -> Option<&'o str>,
) -> Result<Vec<TensorDimension>, String> {
    let rank = sizes.len();
    let element = u64::from(ty.bits() / 8);
    let all = |name: &str, count: usize| match option(name) {
        None => Ok(None),
        Some(text) => match numbers(text, name)? {
            given if given.len() == count => Ok(Some(given)),
            given => Err(format!("{} numbers in `{name}`: expected {count}", given.len())),
        },
    };
    let channels = option("channels").filter(|_| option("im2col").is_some());
    let of_pixels = match channels {
        Some(channels) => Some(numbers(channels, "channels")?.into_iter().chain(vec![1; rank - 1]).collect()),
        None => all("box", rank)?,
    };
    let boxes: Vec<u64> =
        of_pixels.ok_or("missing size of the box: write `box=64x8`, the innermost dimension first")?;
    let given = all("strides", rank - 1)?;
    let steps = all("steps", rank)?.unwrap_or_else(|| vec![1; rank]);
    let range = |name: &str, value: u64, most: u64| match value {
        value if (1..=most).contains(&value) => Ok(value),
        value => Err(format!("{value} in `{name}` is not between 1 and {most}")),
    };
    let mut stride = element;
    let mut dimensions = Vec::new();
    for (number, size) in sizes.iter().enumerate() {
        if let Some(given) = given.as_ref().filter(|_| number > 0) {
            stride = given[number - 1];
        }
        if number > 0 && !(stride.is_multiple_of(UNIT) && stride > 0 && stride < STRIDE_END) {
            return Err(format!("stride of {stride} bytes: a stride is a multiple of {UNIT} bytes, below 2^40"));
        }
        dimensions.push(TensorDimension {
            size: *size as u32,
            stride,
            box_size: range("box", boxes[number], MAX_BOX.into())? as u16,
            step: if number == 0 { 1 } else { range("steps", steps[number], MAX_STEP.into())? as u8 },
        });
        stride = stride.saturating_mul(*size);
    }
    Ok(dimensions)
}

/// The pixels of a map for `.im2col`.
fn pixels<'o>(rank: usize, option: impl Fn(&str) -> Option<&'o str>) -> Result<Option<PixelColumn>, String> {
    let only = ["channels", "pixels", "lower", "upper"];
    if option("im2col").is_none() {
        return match only.iter().find(|name| option(name).is_some()) {
            Some(name) => Err(format!("`{name}=` is for a map with `im2col`")),
            None => Ok(None),
        };
    }
    let spatial = rank.checked_sub(CHANNELS_AND_IMAGES).filter(|spatial| (1..=MAX_SPATIAL).contains(spatial));
    let spatial =
        spatial.ok_or("`im2col` requires three to five dimensions: channels, one to three of pixels, images")?;
    let help = "write `im2col, channels=64, pixels=128, lower=-1x-1, upper=-1x-1`";
    let given = |name: &str| option(name).ok_or_else(|| format!("missing `{name}=`: {help}"));
    given("channels")?;
    if option("box").is_some() {
        return Err(format!("`box=` beside `im2col`: {help}"));
    }
    // As many bits as all corners of a map have.
    let bits = 16 / spatial as u32;
    let most = 1_i64 << (bits - 1);
    let corner = |name: &str| {
        let corner =
            given(name)?.split('x').map(|part| part.trim().parse().ok().filter(|at| (-most..most).contains(at)));
        let corner: Option<Vec<i64>> = corner.collect();
        let corner = corner.filter(|corner| corner.len() == spatial);
        let corner =
            corner.ok_or_else(|| format!("`{name}=` has {spatial} numbers from {} to {}: {help}", -most, most - 1))?;
        Ok::<Vec<i16>, String>(corner.into_iter().map(|at| at as i16).collect())
    };
    let count: Option<u16> = given("pixels")?.parse().ok().filter(|count| (1..=MAX_PIXELS).contains(count));
    let count = count.ok_or_else(|| format!("`pixels=` is a number from 1 to {MAX_PIXELS}"))?;
    Ok(Some(PixelColumn { count, lower: corner("lower")?, upper: corner("upper")? }))
}

/// What the host refuses of a row of a box.
fn check_rows(map: &TensorMap) -> Result<(), String> {
    let row = u64::from(map.dimensions[0].box_size) * map.element_bytes();
    let span = u64::from(map.swizzle.span());
    if !row.is_multiple_of(UNIT) {
        Err(format!("box with rows of {row} bytes: the innermost dimension of a box has a multiple of {UNIT} bytes"))
    } else if map.swizzle != Swizzle::None && row > span {
        Err(format!("box with rows of {row} bytes: `swizzle={span}` allows at most {span}"))
    } else {
        Ok(())
    }
}

fn swizzle(value: Option<&str>) -> Result<Swizzle, String> {
    match value.map(|value| value.trim_end_matches(['B', 'b'])) {
        None | Some("none") => Ok(Swizzle::None),
        Some("32") => Ok(Swizzle::Bytes32),
        Some("64") => Ok(Swizzle::Bytes64),
        Some("128") => Ok(Swizzle::Bytes128),
        Some(other) => Err(format!("unknown swizzle `{other}`: expected `none`, `32`, `64` or `128`")),
    }
}

fn fill(value: Option<&str>, ty: Type) -> Result<OutsideFill, String> {
    match value {
        None | Some("zero") => Ok(OutsideFill::Zero),
        Some("nan") if matches!(ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64) => Ok(OutsideFill::Nan),
        Some("nan") => Err(format!("`fill=nan` requires floating-point elements, these are `{}`", ty.word())),
        Some(other) => Err(format!("unknown fill `{other}`: expected `zero` or `nan`")),
    }
}

fn numbers(text: &str, name: &str) -> Result<Vec<u64>, String> {
    let number =
        |part: &str| part.trim().parse().map_err(|_| format!("`{text}` in `{name}`: expected numbers such as `64x8`"));
    text.split('x').map(number).collect()
}

fn unknown_option(part: &str) -> String {
    format!(
        "unknown option `{part}` of a tensor: expected `box=`, `strides=`, `steps=`, `swizzle=`, `fill=`, `of=` or `im2col`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TensorArgument, String> {
        TensorArgument::parse(text, &mut |path, _| Err(format!("no file {path}"))).expect("a tensor")
    }

    #[test]
    fn tensors_are_written_as_the_host_makes_them() {
        let two = parse("tensor(f16[64x32], box=32x8, swizzle=64)=1,2").expect("valid");
        let dimension = |size, stride, box_size| TensorDimension { size, stride, box_size, step: 1 };
        assert_eq!(two.map.dimensions, [dimension(64, 2, 32), dimension(32, 128, 8)]);
        assert_eq!((two.map.swizzle, two.map.box_bytes()), (Swizzle::Bytes64, 512));
        let TensorMemory::Own(bytes) = two.memory else { panic!("no buffer") };
        assert_eq!((bytes.len(), &bytes[..5]), (4096, &[0, 0x3c, 0, 0x40, 0][..]));
        let view = parse("tensor( u8 [100x3x2],box=16x2x1,strides=112x1024,steps=1x2x1,of=a)").expect("valid");
        assert_eq!(view.memory, TensorMemory::Of("a".to_owned()));
        assert_eq!((view.map.box_bytes(), view.map.tensor_bytes()), (16, 99 + 2 * 112 + 1024 + 1));
        assert!(
            TensorArgument::is_view("tensor(u8[16],box=16,of=a)") && !TensorArgument::is_view("tensor(u8[16],box=16)")
        );
        assert!(TensorArgument::parse("u32[4]", &mut |_, _| Ok(Vec::new())).is_none());
    }

    #[test]
    fn mistakes_say_what_to_write() {
        for (text, message) in [
            ("tensor(f16[64x32], box=64x8", "missing `)`"),
            ("tensor(f16, box=64)", "write the type and the sizes"),
            ("tensor(b16[64], box=64)", "no type of the elements"),
            ("tensor(u8[1x1x1x1x1x1], box=16)", "at most 5"),
            ("tensor(u8[0], box=16)", "not between 1 and"),
            ("tensor(u8[16])", "missing size of the box"),
            ("tensor(u8[16], box=16x1)", "2 numbers in `box`: expected 1"),
            ("tensor(u8[16], box=512)", "not between 1 and 256"),
            ("tensor(u8[16], box=x)", "expected numbers"),
            ("tensor(u8[16], box=8)", "multiple of 16 bytes"),
            ("tensor(u8[20x2], box=16x1)", "stride of 20 bytes"),
            ("tensor(u8[64x2], box=64x1, swizzle=32)", "allows at most 32"),
            ("tensor(u8[16], box=16, swizzle=96)", "unknown swizzle"),
            ("tensor(u8[16], box=16, fill=nan)", "requires floating-point"),
            ("tensor(u8[16], box=16, fill=one)", "unknown fill"),
            ("tensor(u8[16], box=16, pitch=3)", "unknown option `pitch`"),
            ("tensor(u8[16], 16)", "unknown option `16`"),
            ("tensor(u8[16x2], im2col, channels=16)", "three to five dimensions"),
            ("tensor(u8[16x2x2], im2col, channels=16, pixels=8, lower=0)", "missing `upper=`"),
            ("tensor(u8[16x2x2], im2col, channels=16, pixels=8, lower=0x0, upper=0)", "`lower=` has 1 numbers"),
            ("tensor(u8[16x2x2], im2col, channels=16, pixels=0, lower=0, upper=0)", "from 1 to 1024"),
            (
                "tensor(u8[16x2x2], im2col, box=16x1x1, channels=16, pixels=1, lower=0, upper=0)",
                "`box=` beside `im2col`",
            ),
            ("tensor(u8[16x2x2], box=16x1x1, pixels=1)", "`pixels=` is for a map with `im2col`"),
            ("tensor(u8[16], box=16, box=16)", "two options `box=`"),
            ("tensor(u8[16], box=16)iota", "`iota` after `)`"),
            ("tensor(u8[16], box=16, of=a)=1", "takes its values from that buffer"),
            ("tensor(u8[65535x65535], box=16x1, strides=65536)", "at most 1073741824"),
            ("tensor(u8[16], box=16)=1,x", "x"),
        ] {
            let found = parse(text).expect_err(text);
            assert!(found.contains(message), "{text}: {found}");
        }
    }
}
