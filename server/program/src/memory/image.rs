//! Textures and surfaces: what the host knows about an image in memory, and the instructions that access one.
//!
//! An image is an array, or a view of linear memory. Kernels get a handle, a number of 64 bits. Here it is the address of a description in memory that
//! kernels cannot write, so that a handle may be stored, passed and compared as any other value.

use crate::operand::{Destination, Source};
use isa::types::Type;
use std::fmt;

/// The bytes of the description of an image.
pub const IMAGE_BYTES: usize = 64;
/// The types of the channels of an image.
pub const IMAGE_TYPES: [Type; 8] =
    [Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32, Type::F16, Type::F32];

/// What the bytes of a description begin with.
const MAGIC: [u8; 4] = *b"img:";
/// Where the sizes begin.
const SIZES_AT: usize = 24;

/// The largest size: that of a texture of one dimension in linear memory.
const MAX_SIZE: u32 = 1 << 27;
/// More bytes than the elements of any image have.
const MAX_IMAGE_BYTES: u64 = 1 << 34;

/// What an image is used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageUsage {
    /// A texture, which is only read.
    Texture,
    /// A surface.
    Surface,
}

impl fmt::Display for ImageUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Texture => "texture",
            Self::Surface => "surface",
        })
    }
}

/// Where the elements of an image are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageMemory {
    /// In an array.
    Array,
    /// In an array of layers: the last size counts them.
    Layers,
    /// In memory that kernels can also access by addresses.
    Linear,
}

/// What a texture read with coordinates of floating-point type gets outside of a texture; with integers it gets zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureAddressing {
    /// The nearest element.
    Clamp,
    /// Zeros.
    Border,
}

/// What a texture read returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureValue {
    /// The element.
    Element,
    /// Integers of 8 and 16 bits as floating-point numbers from 0 or -1 to 1.
    Normalized,
}

/// A texture or surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// What it is used as.
    pub usage: ImageUsage,
    /// The type of a channel.
    pub channel: Type,
    /// The channels of an element: 1, 2 or 4.
    pub channels: u8,
    /// The address of the first element.
    pub address: u64,
    /// The sizes in elements, the innermost first: one to three. They follow each other without gaps.
    pub sizes: Vec<u32>,
    /// Where the elements are.
    pub memory: ImageMemory,
    /// What is read outside.
    pub addressing: TextureAddressing,
    /// What a read of an element returns.
    pub value: TextureValue,
}

impl Image {
    /// The bytes of an element.
    pub const fn element_bytes(&self) -> u64 {
        self.channel.bits() as u64 / 8 * self.channels as u64
    }

    /// The bytes of all elements.
    pub fn bytes(&self) -> u64 {
        self.sizes.iter().fold(self.element_bytes(), |bytes, size| bytes.saturating_mul((*size).into()))
    }

    /// The shape.
    pub fn geometry(&self) -> ImageGeometry {
        let layers = usize::from(self.memory == ImageMemory::Layers);
        let has_layers = if layers == 1 { HasLayers::Yes } else { HasLayers::No };
        ImageGeometry { dimensions: (self.sizes.len() - layers) as u8, has_layers }
    }

    /// The description in memory.
    pub fn to_bytes(&self) -> [u8; IMAGE_BYTES] {
        let mut bytes = [0; IMAGE_BYTES];
        let channel = IMAGE_TYPES.iter().position(|ty| *ty == self.channel).unwrap_or_default();
        bytes[..4].copy_from_slice(&MAGIC);
        let fields = [self.usage as u8, channel as u8, self.channels, self.sizes.len() as u8];
        bytes[4..8].copy_from_slice(&fields);
        bytes[8..16].copy_from_slice(&self.address.to_le_bytes());
        bytes[16..19].copy_from_slice(&[self.memory as u8, self.addressing as u8, self.value as u8]);
        for (place, size) in bytes[SIZES_AT..].chunks_exact_mut(4).zip(&self.sizes) {
            place.copy_from_slice(&size.to_le_bytes());
        }
        bytes
    }

    /// The image that bytes describe; `None` if they describe none that the host makes.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; IMAGE_BYTES] = bytes.try_into().ok()?;
        let (magic, fields) = bytes.split_first_chunk::<4>()?;
        let [usage, channel, channels, rank, ..] = *fields else { return None };
        let usage = *[ImageUsage::Texture, ImageUsage::Surface].get(usize::from(usage))?;
        let [memory, addressing, value] = [16, 17, 18].map(|at: usize| usize::from(bytes[at]));
        let size = |place: &[u8]| place.iter().rev().fold(0_u32, |size, byte| size << 8 | u32::from(*byte));
        let sizes: Vec<u32> = bytes[SIZES_AT..].chunks_exact(4).take(rank.into()).map(size).collect();
        let address = bytes[8..16].iter().rev().fold(0, |address, byte| address << 8 | u64::from(*byte));
        let is_valid = *magic == MAGIC && matches!(channels, 1 | 2 | 4) && (1..=3).contains(&rank);
        let image = is_valid.then_some(Self {
            usage,
            channel: *IMAGE_TYPES.get(usize::from(channel))?,
            channels,
            address,
            sizes,
            memory: *[ImageMemory::Array, ImageMemory::Layers, ImageMemory::Linear].get(memory)?,
            addressing: *[TextureAddressing::Clamp, TextureAddressing::Border].get(addressing)?,
            value: *[TextureValue::Element, TextureValue::Normalized].get(value)?,
        })?;
        image.is_sized().then_some(image)
    }

    /// Whether it has sizes that the host gives: with these, no position of an element and no address overflows.
    fn is_sized(&self) -> bool {
        let has_size = self.sizes.iter().all(|size| (1..=MAX_SIZE).contains(size));
        let has_dimension = self.memory != ImageMemory::Layers || self.sizes.len() > 1;
        let end = self.address.checked_add(MAX_IMAGE_BYTES);
        has_size && has_dimension && self.bytes() <= MAX_IMAGE_BYTES && end.is_some()
    }
}

/// Whether an image has layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HasLayers {
    /// It has: `.a1d`, `.a2d`.
    Yes,
    /// It has none.
    No,
}

/// The shape of an image: `.1d`, `.2d`, `.3d`, `.a1d` or `.a2d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageGeometry {
    /// The number of dimensions.
    pub dimensions: u8,
    /// Whether it has layers, too.
    pub has_layers: HasLayers,
}

impl ImageGeometry {
    /// The geometry of a modifier.
    pub fn parse(word: &str) -> Option<Self> {
        let (rest, has_layers) = word.strip_prefix('a').map_or((word, HasLayers::No), |rest| (rest, HasLayers::Yes));
        let dimensions = match rest {
            "1d" => 1,
            "2d" => 2,
            "3d" if has_layers == HasLayers::No => 3,
            _ => return None,
        };
        Some(Self { dimensions, has_layers })
    }
}

impl fmt::Display for ImageGeometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`.{}{}d`", if self.has_layers == HasLayers::Yes { "a" } else { "" }, self.dimensions)
    }
}

/// An instruction on a texture or surface.
#[derive(Debug)]
pub struct ImageInstruction {
    /// The handle.
    pub handle: Source,
    /// What is done.
    pub action: ImageAction,
}

/// What an instruction does with an image.
#[derive(Debug)]
pub enum ImageAction {
    /// Reads an element of a texture.
    Read {
        /// The coordinates.
        coordinates: ImageCoordinates,
        /// Whether they are integers.
        kind: CoordinateKind,
        /// The registers of the channels.
        elements: Vec<Option<Destination>>,
    },
    /// Reads bytes of a surface.
    Load(SurfaceAccess, Vec<Option<Destination>>),
    /// Writes bytes of a surface.
    Store(SurfaceAccess, Vec<Source>),
    /// Asks for a size.
    Query(Destination, ImageQuery),
}

impl ImageAction {
    /// The coordinates, if it has some.
    pub fn coordinates(&self) -> Option<&ImageCoordinates> {
        match self {
            Self::Read { coordinates, .. } => Some(coordinates),
            Self::Load(access, _) | Self::Store(access, _) => Some(&access.coordinates),
            Self::Query(..) => None,
        }
    }

    /// The operands that it reads, but for the handle.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let coordinates = self.coordinates().map_or(&[][..], |coordinates| &coordinates.values);
        let stored = if let Self::Store(_, elements) = self { &elements[..] } else { &[] };
        coordinates.iter().chain(stored)
    }

    /// The registers that it writes.
    pub fn destinations(&self) -> impl Iterator<Item = Destination> {
        let (elements, answer) = match self {
            Self::Read { elements, .. } | Self::Load(_, elements) => (&elements[..], None),
            Self::Store(..) => (&[][..], None),
            Self::Query(destination, _) => (&[][..], Some(*destination)),
        };
        elements.iter().copied().flatten().chain(answer)
    }
}

/// Where an instruction accesses an image.
#[derive(Debug)]
pub struct ImageCoordinates {
    /// The shape that the instruction expects.
    pub geometry: ImageGeometry,
    /// The coordinates, the innermost first, and then the layer.
    pub values: Vec<Source>,
}

/// The type of the coordinates of a texture read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateKind {
    /// `.s32`
    Integer,
    /// `.f32`
    Float,
}

/// An access to bytes of a surface.
#[derive(Debug)]
pub struct SurfaceAccess {
    /// The coordinates; the innermost is in bytes.
    pub coordinates: ImageCoordinates,
    /// The bytes of a register in memory.
    pub element_bytes: u32,
    /// What an access outside does.
    pub outside: OutsideSurface,
}

/// What an access outside of a surface does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutsideSurface {
    /// It ends the kernel.
    Trap,
    /// It accesses the nearest place.
    Clamp,
    /// It reads zeros, and writes nothing.
    Zero,
}

/// A question about an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageQuery {
    /// The first size.
    Width,
    /// The second size.
    Height,
    /// The third size.
    Depth,
}

/// Why an instruction does not fit an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageMistake {
    /// The handle is of nothing.
    NoImage,
    /// It is used as the other.
    Usage(ImageUsage),
    /// It has another shape than the instruction expects.
    Geometry {
        /// That of the instruction.
        expected: ImageGeometry,
        /// That of the image.
        found: ImageGeometry,
    },
    /// A texture of one dimension that is not in linear memory, read with integers.
    NotLinear,
    /// An access with `.trap` outside of a surface: the number of a coordinate, and its value.
    Outside(u8, i32),
    /// A first coordinate that is no multiple of the size of the access.
    Misaligned {
        /// The coordinate.
        coordinate: i32,
        /// The bytes of the access.
        bytes: u32,
    },
}

impl fmt::Display for ImageMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoImage => f.write_str("no texture or surface has this handle"),
            Self::Usage(usage) => write!(f, "the handle is that of a {usage}"),
            Self::Geometry { expected, found } => write!(f, "the instruction is {expected}, the image is {found}"),
            Self::NotLinear => f.write_str("`.1d` with coordinates of type `.s32` requires a texture in linear memory"),
            Self::Outside(0, value) => {
                write!(f, "byte {value} of a row is outside of the surface, and the access is `.trap`")
            }
            Self::Outside(number, value) => {
                write!(f, "coordinate {number} is {value}: outside of the surface, and the access is `.trap`")
            }
            Self::Misaligned { coordinate, bytes } => {
                write!(f, "the first coordinate of a surface is in bytes: {coordinate} is no multiple of {bytes}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read_as_they_are_written() {
        let image = Image {
            usage: ImageUsage::Surface,
            channel: Type::F16,
            channels: 4,
            address: 0x7000_0001_0200,
            sizes: vec![64, 3, 5],
            memory: ImageMemory::Layers,
            addressing: TextureAddressing::Border,
            value: TextureValue::Normalized,
        };
        assert_eq!(Image::of_bytes(&image.to_bytes()), Some(image.clone()));
        assert_eq!((image.element_bytes(), image.bytes()), (8, 8 * 64 * 15));
        assert_eq!(image.geometry().to_string(), "`.a2d`");
        assert_eq!(ImageGeometry::parse("a2d"), Some(image.geometry()));
        assert!(["a3d", "cube", "2dms", "4d", ""].iter().all(|word| ImageGeometry::parse(word).is_none()));
        assert_eq!(Image::of_bytes(&[0; IMAGE_BYTES]), None);
        let forged = [
            Image { sizes: vec![64, 0, 5], ..image.clone() },
            Image { sizes: vec![MAX_SIZE + 1], memory: ImageMemory::Linear, ..image.clone() },
            Image { sizes: vec![MAX_SIZE, 32], ..image.clone() },
            Image { sizes: vec![8], ..image.clone() },
            Image { address: u64::MAX - 64, ..image.clone() },
        ];
        for forged in forged {
            assert_eq!(Image::of_bytes(&forged.to_bytes()), None, "{forged:?}");
        }
    }
}
