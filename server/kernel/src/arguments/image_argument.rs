//! Textures and surfaces as users write them: `surface(u32[64x32])`, `texture(f32x4[64x32], address=border)`.

use crate::arguments::argument_values::{Buffer, HostWrites, ReadFile, contents, shape_of};
use isa::types::Type;
use program::{IMAGE_TYPES, Image, ImageMemory, ImageUsage, TextureAddressing, TextureValue};
use values::Shape;

/// The most bytes of an image that gets a buffer of its own.
const MAX_BYTES: u64 = 1 << 30;
/// The most sizes of an image.
const MAX_SIZES: usize = 3;

/// A texture or surface as an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageArgument {
    /// The image, without the address of its elements.
    pub image: Image,
    /// Where they are.
    pub elements: ImageElements,
}

/// Where the elements of an image are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageElements {
    /// In an array of its own.
    Own(Buffer),
    /// In the buffer of another argument, by its name.
    Of(String),
}

impl ImageArgument {
    /// Reads the text of an argument; `None` if it is no texture and no surface.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn parse(text: &str, read_file: ReadFile) -> Option<Result<Self, String>> {
        let (usage, rest) = parts(text)?;
        Some(Self::parse_parts(usage, rest, read_file))
    }

    /// The number of values of an image that has a buffer of its own, by the text of an argument.
    pub fn own_elements(text: &str) -> Option<u64> {
        let (usage, rest) = parts(text)?;
        let (image, other) = image_and_buffer(usage, rest.split_once(')')?.0).ok()?;
        other.is_none().then(|| image.bytes() / u64::from(image.channel.bits() / 8))
    }

    /// Whether the text of an argument is an image in the buffer of another argument.
    pub fn is_view(text: &str) -> bool {
        let is_of = |rest: &str| rest.split(',').any(|part| part.trim().starts_with("of="));
        parts(text).is_some_and(|(_, rest)| is_of(rest))
    }

    fn parse_parts(usage: ImageUsage, rest: &str, read_file: ReadFile) -> Result<Self, String> {
        let (inner, behind) = rest.split_once(')').ok_or_else(|| format!("missing `)` of `{usage}(`"))?;
        let (image, other) = image_and_buffer(usage, inner)?;
        let shape = shape_of(image.channel.word()).ok_or("unknown type")?;
        let behind = behind.trim();
        let values = behind.strip_prefix('=').map(str::trim);
        if values.is_none() && !behind.is_empty() {
            return Err(format!("`{behind}` after `)` of a {usage}: write the values as in `=iota` or `=1,2`"));
        }
        let elements = match (other, values) {
            (Some(_), Some(_)) => return Err(format!("a {usage} with `of=` takes its values from that buffer")),
            (Some(name), None) => ImageElements::Of(name.to_owned()),
            (None, values) => ImageElements::Own(own_elements(&image, shape, values, read_file)?),
        };
        Ok(Self { image, elements })
    }
}

/// The usage, and what is after `texture(` or `surface(`.
fn parts(text: &str) -> Option<(ImageUsage, &str)> {
    let text = text.trim();
    [(ImageUsage::Texture, "texture"), (ImageUsage::Surface, "surface")]
        .into_iter()
        .find_map(|(usage, word)| Some((usage, text.strip_prefix(word)?.trim_start().strip_prefix('(')?)))
}

/// Rejects a form that is written as `tensor(…)` is and has another word.
pub(crate) fn reject_unknown_form(text: &str) -> Result<(), String> {
    let word = text.split_once('(').map(|(word, _)| word.trim());
    let Some(word) = word.filter(|word| !word.is_empty() && word.chars().all(char::is_alphanumeric)) else {
        return Ok(());
    };
    Err(match isa::closest(word, ["tensor", "texture", "surface"].into_iter()) {
        Some(near) => format!("unknown form `{word}(…)`: did you mean `{near}`?"),
        None => format!("unknown form `{word}(…)`: expected `tensor(…)`, `texture(…)` or `surface(…)`"),
    })
}

fn own_elements(image: &Image, shape: Shape, values: Option<&str>, read_file: ReadFile) -> Result<Buffer, String> {
    let length = image.bytes();
    if length > MAX_BYTES {
        return Err(format!("{} of {length} bytes: at most {MAX_BYTES}", image.usage));
    }
    let mut bytes = vec![0; length as usize];
    if let Some(values) = values {
        let given = contents(values, shape, length / u64::from(shape.bytes()), read_file)?;
        bytes[..given.len()].copy_from_slice(&given);
    }
    Ok(Buffer { shape, bytes, written: HostWrites::All })
}

/// The image of what is between the parentheses, and the name of the buffer that it is a view of.
fn image_and_buffer(usage: ImageUsage, inner: &str) -> Result<(Image, Option<&str>), String> {
    let mut parts = inner.split(',').map(str::trim);
    let (channel, channels, sizes) = channels_and_sizes(usage, parts.next().unwrap_or_default())?;
    let (memory, addressing, value) = (ImageMemory::Array, TextureAddressing::Clamp, TextureValue::Element);
    let mut image = Image { usage, channel, channels, address: 0, sizes, memory, addressing, value };
    let mut other = None;
    for part in parts {
        let option: String = part.split_whitespace().collect();
        match (option.split_once('=').unwrap_or((&option, "")), usage) {
            (("layered", ""), _) => image.memory = ImageMemory::Layers,
            (("address", "clamp"), ImageUsage::Texture) => image.addressing = TextureAddressing::Clamp,
            (("address", "border"), ImageUsage::Texture) => image.addressing = TextureAddressing::Border,
            (("read", "element"), ImageUsage::Texture) => image.value = TextureValue::Element,
            (("read", "normalized"), ImageUsage::Texture) => image.value = TextureValue::Normalized,
            (("of", name), ImageUsage::Texture) if !name.is_empty() => {
                other = part.split_once('=').map(|of| of.1.trim())
            }
            _ => return Err(unknown_option(usage, part)),
        }
    }
    let is_small = matches!(channel, Type::U8 | Type::S8 | Type::U16 | Type::S16);
    match (image.sizes.len(), image.memory) {
        (1, ImageMemory::Layers) => Err("one size with `layered`: the last size counts the layers".to_owned()),
        (3, _) | (_, ImageMemory::Layers) if other.is_some() => {
            Err("`of=` with three sizes or layers: linear memory has one or two dimensions".to_owned())
        }
        _ if image.value == TextureValue::Normalized && !is_small => {
            Err(format!("`read=normalized` requires integers of 8 or 16 bits, these are `{}`", channel.word()))
        }
        _ => {
            image.memory = if other.is_some() { ImageMemory::Linear } else { image.memory };
            Ok((image, other))
        }
    }
}

/// `f32x4[64x32]`
fn channels_and_sizes(usage: ImageUsage, text: &str) -> Result<(Type, u8, Vec<u32>), String> {
    let help = || format!("write the type, its channels and the sizes, the innermost first: `{usage}(f32x4[64x32])`");
    let (written, sizes) = text.strip_suffix(']').and_then(|text| text.split_once('[')).ok_or_else(help)?;
    let written = written.trim().trim_start_matches('.');
    let (ty, channels) = match written.split_once('x') {
        Some((ty, channels)) => (ty, channels.parse().ok().filter(|channels| matches!(channels, 1 | 2 | 4))),
        None => (written, Some(1)),
    };
    let known = Type::parse(ty).filter(|ty| IMAGE_TYPES.contains(ty));
    let known = known.ok_or_else(|| {
        let known: Vec<&str> = IMAGE_TYPES.iter().map(|ty| ty.word()).collect();
        format!("`{ty}` is no type of a channel: they are `{}`", known.join("`, `"))
    })?;
    let channels = channels.ok_or_else(|| format!("`{written}`: a {usage} has 1, 2 or 4 channels"))?;
    let size = |part: &str| part.trim().parse().ok().filter(|size: &u32| (1..=1 << 27).contains(size));
    let sizes: Option<Vec<u32>> = sizes.split('x').map(size).collect();
    let sizes = sizes.filter(|sizes| sizes.len() <= MAX_SIZES).ok_or_else(help)?;
    Ok((known, channels, sizes))
}

fn unknown_option(usage: ImageUsage, part: &str) -> String {
    let is_filter = part.starts_with("filter") || part.starts_with("coordinates");
    match usage {
        ImageUsage::Texture if is_filter => format!(
            "`{part}`: filtered reads and normalized coordinates are not emulated; a texture is read at the nearest element"
        ),
        ImageUsage::Texture => format!(
            "unknown option `{part}` of a texture: expected `layered`, `address=clamp`, `address=border`, `read=normalized` or `of=`"
        ),
        ImageUsage::Surface => format!("unknown option `{part}` of a surface: expected `layered`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ImageArgument, String> {
        ImageArgument::parse(text, &mut |path, _| Err(format!("no file {path}"))).expect("an image")
    }

    #[test]
    fn images_are_written_as_the_host_makes_them() {
        let surface = parse("surface(u32[4x3])=1,2").expect("valid");
        let ImageElements::Own(buffer) = surface.elements else { panic!("no buffer") };
        assert_eq!((buffer.bytes.len(), &buffer.bytes[..8]), (48, &[1, 0, 0, 0, 2, 0, 0, 0][..]));
        let texture = parse("texture( f16x4[8 x 2x3], layered, address = border )").expect("valid").image;
        assert_eq!((texture.sizes.clone(), texture.channels, texture.element_bytes()), (vec![8, 2, 3], 4, 8));
        assert_eq!((texture.memory, texture.addressing), (ImageMemory::Layers, TextureAddressing::Border));
        let view = parse("texture(u8[64],of=a,read=normalized)").expect("valid");
        assert_eq!((view.elements, view.image.memory), (ImageElements::Of("a".to_owned()), ImageMemory::Linear));
        assert!(
            ImageArgument::is_view("texture(u8[64],of=a)") && !ImageArgument::is_view("tensor(u8[16],box=16,of=a)")
        );
        assert_eq!(ImageArgument::own_elements("surface(u8x4[3x2])"), Some(24));
        assert!(ImageArgument::parse("u32[4]", &mut |_, _| Ok(Vec::new())).is_none());
    }

    #[test]
    fn mistakes_say_what_to_write() {
        for (text, message) in [
            ("surface(u32[4]", "missing `)`"),
            ("surface(u32)", "write the type, its channels and the sizes"),
            ("surface(u32[0])", "write the type, its channels and the sizes"),
            ("surface(u32[1x1x1x1])", "write the type, its channels and the sizes"),
            ("surface(u64[4])", "no type of a channel"),
            ("surface(u32x3[4])", "1, 2 or 4 channels"),
            ("surface(u32[4],address=border)", "unknown option `address=border` of a surface"),
            ("texture(u32[4],filter=linear)", "not emulated"),
            ("texture(u32[4],wrap)", "unknown option `wrap` of a texture"),
            ("texture(u32[4],layered)", "the last size counts the layers"),
            ("texture(u32[4x4x4],of=a)", "linear memory has one or two dimensions"),
            ("texture(f32[4],read=normalized)", "requires integers"),
            ("texture(u32[4],of=a)=1", "takes its values from that buffer"),
            ("texture(u32[4])iota", "`iota` after `)`"),
            ("texture(u32x4[65536x65536])", "at most 1073741824"),
        ] {
            let found = parse(text).expect_err(text);
            assert!(found.contains(message), "{text}: {found}");
        }
    }
}
