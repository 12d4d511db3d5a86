//! Tensor maps, which say what the host knows about a tensor in global memory, and the copies that use them.
//!
//! What a tensor map looks like in memory is not defined: the host makes it, a kernel gets it as 128 bytes, and tensor copies read it. Here the bytes
//! have a layout of their own, so that a kernel can copy a map.

use crate::multicast::MulticastSignal;
use crate::operand::{MachineAddress, Source};
use isa::types::{Op, Type};

/// The bytes of a tensor map.
pub const TENSOR_MAP_BYTES: usize = 128;
/// The alignment of a tensor map.
pub const TENSOR_MAP_ALIGNMENT: u64 = 64;
/// The most dimensions of a tensor.
pub const MAX_DIMENSIONS: usize = 5;
/// The types of the elements of a tensor.
pub const TENSOR_TYPES: [Type; 10] =
    [Type::U8, Type::U16, Type::U32, Type::S32, Type::U64, Type::S64, Type::F16, Type::Bf16, Type::F32, Type::F64];

/// The most elements of a box in a dimension.
pub const MAX_BOX: u16 = 256;
/// The largest step of a box.
pub const MAX_STEP: u8 = 8;
/// The first stride that is too large.
pub const STRIDE_END: u64 = 1 << 40;

/// What the begin of a row of a box is a multiple of.
pub const ROW_ALIGNMENT: u64 = 16;

/// The dimensions of a tensor with channels and images, of which a copy of pixels needs at least one more.
pub const CHANNELS_AND_IMAGES: usize = 2;
/// The most dimensions of pixels.
pub const MAX_SPATIAL: usize = MAX_DIMENSIONS - CHANNELS_AND_IMAGES;

/// What the bytes of a tensor map begin with.
const MAGIC: [u8; 4] = *b"tmap";
/// The bytes of a dimension in a tensor map.
const DIMENSION_BYTES: usize = 15;
/// Where the number of the type of the elements is.
const ELEMENT_AT: usize = 4;
/// Where the number of dimensions is.
const RANK_AT: usize = 5;
/// Where the number of the swizzle is.
const SWIZZLE_AT: usize = 6;
/// Where it is what is read outside.
const FILL_AT: usize = 7;
/// Where the address begins.
const ADDRESS_AT: usize = 8;
/// Where the dimensions begin.
const DIMENSIONS_AT: usize = 16;
/// Where the pixels begin: whether there are some, their number, and their corners.
const PIXELS_AT: usize = DIMENSIONS_AT + MAX_DIMENSIONS * DIMENSION_BYTES;

/// An instruction that begins a copy of a box of a tensor.
#[derive(Debug)]
pub struct TensorCopy {
    /// The tensor map.
    pub map: MachineAddress,
    /// The coordinates of the first element of the box, the innermost first.
    pub coordinates: Vec<Source>,
    /// The box in shared memory.
    pub shared: MachineAddress,
    /// What is done with it.
    pub direction: TensorDirection,
    /// How the elements are found.
    pub mode: TensorCopyMode,
}

/// How a tensor copy finds its elements.
#[derive(Debug)]
pub enum TensorCopyMode {
    /// A box.
    Tile,
    /// Pixels in the order of a convolution, with these offsets from each; none of a copy to the tensor.
    Pixels(Vec<Source>),
    /// Four rows, each with a coordinate of its own: `.tile::gather4` and `.tile::scatter4`.
    Rows,
}

/// What a tensor copy does.
#[derive(Debug)]
pub enum TensorDirection {
    /// From the tensor to shared memory.
    Load {
        /// The mbarrier that expects the bytes.
        barrier: MachineAddress,
        /// The ranks of the CTAs that get the box, as a mask, and whose mbarriers are notified.
        multicast: Option<(Source, MulticastSignal)>,
    },
    /// From shared memory to the tensor.
    Store,
    /// From shared memory to the tensor, each element by an update.
    Reduce(Op),
}

/// A tensor map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The type of the elements.
    pub element: Type,
    /// The address of the first element.
    pub address: u64,
    /// The dimensions, the innermost first: one to five.
    pub dimensions: Vec<TensorDimension>,
    /// How shared memory is permuted.
    pub swizzle: Swizzle,
    /// What is read outside of the tensor.
    pub fill: OutsideFill,
    /// The pixels of a copy, of a map that is for no boxes.
    pub pixels: Option<PixelColumn>,
}

/// The pixels that a copy in the order of a convolution visits: those between two corners, in as many images as it takes. The box of the innermost
/// dimension is the channels of a pixel; the other boxes are 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixelColumn {
    /// The number of pixels.
    pub count: u16,
    /// The first pixel of an image in each dimension between the channels and the images.
    pub lower: Vec<i16>,
    /// The last pixel of an image, counted from the last one of the tensor.
    pub upper: Vec<i16>,
}

/// A dimension of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorDimension {
    /// The number of elements.
    pub size: u32,
    /// The bytes from one element to the next one.
    pub stride: u64,
    /// The number of elements that a box covers.
    pub box_size: u16,
    /// Of so many elements of a box the first one is copied; of the innermost dimension all are.
    pub step: u8,
}

/// The number in some bytes, the lowest first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The bytes of a tensor map, which may lack properties.
pub struct TensorMapBytes<'b>(&'b mut [u8; TENSOR_MAP_BYTES]);

impl<'b> TensorMapBytes<'b> {
    /// Those of a map, or of zeros, which become those of a map without properties; `None` of others.
    pub fn of(bytes: &'b mut [u8; TENSOR_MAP_BYTES]) -> Option<Self> {
        if bytes.iter().all(|byte| *byte == 0) {
            bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
            bytes[RANK_AT] = 1;
        }
        bytes.starts_with(&MAGIC).then_some(Self(bytes))
    }

    /// Sets the address of the first element.
    pub fn set_address(&mut self, address: u64) {
        self.0[ADDRESS_AT..DIMENSIONS_AT].copy_from_slice(&address.to_le_bytes());
    }

    /// Sets the number of dimensions. What those after the first one lack is 1.
    pub fn set_rank(&mut self, rank: usize) {
        self.0[RANK_AT] = rank as u8;
        for at in 1..rank {
            self.change(at, |one| {
                one.size = one.size.max(1);
                one.box_size = one.box_size.max(1);
                one.step = one.step.max(1);
            });
        }
    }

    /// Sets the type of the elements.
    pub fn set_element(&mut self, ty: Type) {
        self.0[ELEMENT_AT] = TENSOR_TYPES.iter().position(|one| *one == ty).unwrap_or_default() as u8;
    }

    /// Sets the swizzle.
    pub fn set_swizzle(&mut self, swizzle: Swizzle) {
        self.0[SWIZZLE_AT] = Swizzle::ALL.iter().position(|one| *one == swizzle).unwrap_or_default() as u8;
    }

    /// Sets what is read outside of the tensor.
    pub const fn set_fill(&mut self, fill: OutsideFill) {
        self.0[FILL_AT] = fill as u8;
    }

    /// Changes a dimension, which the tensor may not have yet; `None` if no tensor has so many.
    pub fn change(&mut self, at: usize, change: impl FnOnce(&mut TensorDimension)) -> Option<()> {
        let place = self.0[DIMENSIONS_AT..PIXELS_AT].chunks_exact_mut(DIMENSION_BYTES).nth(at)?;
        let mut dimension = TensorDimension::of_bytes(place);
        change(&mut dimension);
        dimension.write_to(place);
        Some(())
    }
}

impl TensorDimension {
    fn of_bytes(place: &[u8]) -> Self {
        Self {
            size: number(&place[..4]) as u32,
            stride: number(&place[4..12]),
            box_size: number(&place[12..14]) as u16,
            step: place[14],
        }
    }

    fn write_to(self, place: &mut [u8]) {
        place[..4].copy_from_slice(&self.size.to_le_bytes());
        place[4..12].copy_from_slice(&self.stride.to_le_bytes());
        place[12..14].copy_from_slice(&self.box_size.to_le_bytes());
        place[14] = self.step;
    }

    /// The number of elements of a box that are copied.
    pub fn copied(self) -> u32 {
        u32::from(self.box_size).div_ceil(u32::from(self.step.max(1)))
    }
}

/// The permutation of chunks of 16 bytes in shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swizzle {
    /// There is none.
    #[default]
    None,
    /// Within 32 bytes.
    Bytes32,
    /// Within 64 bytes.
    Bytes64,
    /// Within 128 bytes.
    Bytes128,
}

impl Swizzle {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::Bytes32, Self::Bytes64, Self::Bytes128];

    /// The bytes within which chunks are permuted; 16 if they are not.
    pub const fn span(self) -> u32 {
        match self {
            Self::None => 16,
            Self::Bytes32 => 32,
            Self::Bytes64 => 64,
            Self::Bytes128 => 128,
        }
    }

    /// Where the byte at an offset in shared memory is: the number of its chunk changes with that of its 128 bytes.
    pub const fn permuted(self, offset: u32) -> u32 {
        let chunks = self.span() / 16 - 1;
        offset ^ (((offset >> 7) & chunks) << 4)
    }
}

/// What is read outside of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutsideFill {
    /// Zeros.
    #[default]
    Zero,
    /// A NaN.
    Nan,
}

impl OutsideFill {
    /// The bytes of an element.
    pub fn element(self, ty: Type) -> Vec<u8> {
        let bytes = ty.bits() as usize / 8;
        match self {
            Self::Zero => vec![0; bytes],
            // An H100 repeats 16 bits, whatever the type.
            Self::Nan => 0x7ff7_u16.to_le_bytes().into_iter().cycle().take(bytes).collect(),
        }
    }
}

impl TensorMap {
    /// The bytes of an element.
    pub const fn element_bytes(&self) -> u64 {
        self.element.bits() as u64 / 8
    }

    /// The map with boxes of so many rows.
    pub fn with_rows(&self, rows: u16) -> Self {
        let mut map = self.clone();
        let outer = map.dimensions.iter_mut().skip(1);
        outer.for_each(|one| *one = TensorDimension { box_size: rows, step: 1, ..*one });
        map
    }

    /// The bytes of a row of a box.
    pub fn row_bytes(&self) -> u64 {
        self.dimensions.first().map_or(0, |inner| u64::from(inner.box_size)) * self.element_bytes()
    }

    /// The bytes of a box that are copied.
    pub fn box_bytes(&self) -> u64 {
        if let Some(pixels) = &self.pixels {
            return u64::from(pixels.count) * self.row_bytes();
        }
        let outer = self.dimensions.iter().skip(1).map(|one| u64::from(one.copied()));
        outer.product::<u64>() * self.row_bytes()
    }

    /// The bytes from the first element of the tensor to the end of the last one.
    pub fn tensor_bytes(&self) -> u64 {
        let last = |one: &TensorDimension| u64::from(one.size.saturating_sub(1)).saturating_mul(one.stride);
        self.dimensions.iter().map(last).fold(self.element_bytes(), u64::saturating_add)
    }

    /// The map as a kernel gets it.
    pub fn to_bytes(&self) -> [u8; TENSOR_MAP_BYTES] {
        let mut bytes = [0; TENSOR_MAP_BYTES];
        let element = TENSOR_TYPES.iter().position(|ty| *ty == self.element).unwrap_or_default();
        let swizzle = Swizzle::ALL.iter().position(|one| *one == self.swizzle).unwrap_or_default();
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&[element as u8, self.dimensions.len() as u8, swizzle as u8, self.fill as u8]);
        bytes[8..16].copy_from_slice(&self.address.to_le_bytes());
        let places = bytes[DIMENSIONS_AT..].chunks_exact_mut(DIMENSION_BYTES);
        places.zip(&self.dimensions).for_each(|(place, one)| one.write_to(place));
        if let Some(pixels) = &self.pixels {
            bytes[PIXELS_AT] = 1;
            let corners = pixels.lower.iter().zip(&pixels.upper).flat_map(|(lower, upper)| [*lower, *upper]);
            let numbers = std::iter::once(pixels.count.to_le_bytes()).chain(corners.map(i16::to_le_bytes));
            for (place, number) in bytes[PIXELS_AT + 1..].chunks_exact_mut(2).zip(numbers) {
                place.copy_from_slice(&number);
            }
        }
        bytes
    }

    /// The map in bytes; `None` if they are none that the host makes.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (head, dimensions) = bytes.split_at_checked(DIMENSIONS_AT)?;
        let (magic, head) = head.split_at(MAGIC.len());
        let [element, rank, swizzle, fill, address @ ..] = head else { return None };
        let rank = usize::from(*rank);
        if magic != MAGIC || rank == 0 || rank > MAX_DIMENSIONS {
            return None;
        }
        let dimension = |place: &[u8]| {
            let one = TensorDimension::of_bytes(place);
            let is_box = (1..=MAX_BOX).contains(&one.box_size) && (1..=MAX_STEP).contains(&one.step);
            (is_box && one.size > 0 && one.stride < STRIDE_END).then_some(one)
        };
        let pixels = match bytes.get(PIXELS_AT)? {
            0 => None,
            _ => Some(PixelColumn::of_bytes(bytes.get(PIXELS_AT + 1..)?, rank.checked_sub(CHANNELS_AND_IMAGES)?)?),
        };
        let element = *TENSOR_TYPES.get(usize::from(*element))?;
        let mut dimensions: Vec<TensorDimension> =
            dimensions.chunks_exact(DIMENSION_BYTES).take(rank).map(dimension).collect::<Option<_>>()?;
        // A map that a kernel has made of zeros need not say that its type is the first one.
        let innermost = dimensions.first_mut()?;
        innermost.stride = innermost.stride.max(u64::from(element.bits()) / 8);
        Some(Self {
            pixels,
            element,
            address: number(address),
            dimensions,
            swizzle: *Swizzle::ALL.get(usize::from(*swizzle))?,
            fill: if *fill == 0 { OutsideFill::Zero } else { OutsideFill::Nan },
        })
    }
}

impl PixelColumn {
    /// The pixels of a tensor with so many dimensions of them.
    fn of_bytes(bytes: &[u8], spatial: usize) -> Option<Self> {
        let mut numbers = bytes.as_chunks::<2>().0.iter();
        let count = u16::from_le_bytes(*numbers.next()?);
        let corners: Vec<i16> = numbers.take(2 * spatial).map(|number| i16::from_le_bytes(*number)).collect();
        let of = |first: usize| corners.iter().skip(first).step_by(2).copied().collect();
        (count > 0 && (1..=MAX_SPATIAL).contains(&spatial)).then(|| Self { count, lower: of(0), upper: of(1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_survive_in_memory() {
        let dimension = |number: u32| TensorDimension {
            size: u32::MAX - number,
            stride: (1 << 39) + u64::from(number),
            box_size: 256,
            step: 1 + number as u8,
        };
        for (rank, (ty, swizzle)) in (1..=5).zip(TENSOR_TYPES.into_iter().zip(Swizzle::ALL.into_iter().cycle())) {
            let map = TensorMap {
                element: ty,
                address: 0x7000_0000_0010,
                dimensions: (0..rank).map(dimension).collect(),
                swizzle,
                fill: OutsideFill::Nan,
                pixels: (rank > 2).then(|| PixelColumn {
                    count: 1024,
                    lower: vec![-3; rank as usize - 2],
                    upper: vec![5; rank as usize - 2],
                }),
            };
            assert_eq!(TensorMap::of_bytes(&map.to_bytes()), Some(map));
        }
        assert_eq!(TensorMap::of_bytes(&[0; TENSOR_MAP_BYTES]), None);
        assert_eq!(TensorMap::of_bytes(b"tmap"), None);
        let one = dimension(0);
        let corrupted = [
            TensorDimension { size: 0, ..one },
            TensorDimension { stride: STRIDE_END, ..one },
            TensorDimension { box_size: 0, ..one },
            TensorDimension { box_size: 257, ..one },
            TensorDimension { step: 0, ..one },
            TensorDimension { step: 9, ..one },
        ];
        for corrupted in corrupted {
            let (element, swizzle, fill) = (Type::U8, Swizzle::None, OutsideFill::Zero);
            let map = TensorMap { element, address: 0, dimensions: vec![one, corrupted], swizzle, fill, pixels: None };
            assert_eq!(TensorMap::of_bytes(&map.to_bytes()), None, "{corrupted:?}");
        }
    }

    #[test]
    fn swizzles_permute_chunks() {
        let chunks = |swizzle: Swizzle, line: u32| {
            [0, 1, 2, 3, 4, 5, 6, 7].map(|at| swizzle.permuted(128 * line + 16 * at + 5) % 128 / 16)
        };
        assert_eq!(chunks(Swizzle::None, 3), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(chunks(Swizzle::Bytes32, 3), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(chunks(Swizzle::Bytes64, 3), [3, 2, 1, 0, 7, 6, 5, 4]);
        assert_eq!(chunks(Swizzle::Bytes128, 5), [5, 4, 7, 6, 1, 0, 3, 2]);
    }
}
