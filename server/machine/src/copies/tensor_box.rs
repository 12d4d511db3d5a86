//! Where the bytes of a box of a tensor are: in the tensor, and in shared memory.

use crate::copies::pending_copy::{GatheredPart, MemoryRange, PendingData};
use program::copies::tensor_map::{PixelColumn, ROW_ALIGNMENT, Swizzle, TensorDimension, TensorMap};
use std::ops::Range;

/// The bytes that a swizzle leaves together.
const CHUNK: usize = 16;

/// Bytes of a row of a box that are in the tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerRow {
    /// Where they are in the box.
    pub range: Range<usize>,
    /// Where they are in global memory.
    pub address: u64,
    /// Bytes of the box after them that are written, too, although they are outside of the tensor.
    pub padding: usize,
}

/// What is copied of the end of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowEnd {
    /// What is in the tensor: of what is read.
    Exact,
    /// Whole chunks of 16 bytes: of what is written, an H100 cuts off no less.
    Chunk,
}

/// A box in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct SharedBox {
    /// The offset of its first byte.
    pub offset: u32,
    swizzle: Swizzle,
    /// The bytes of a row.
    row: usize,
    /// The bytes from a row to the next one.
    pitch: usize,
    rows: u64,
}

impl SharedBox {
    /// The box of a map at an offset. Rows that are shorter than what is permuted together begin at multiples of it.
    pub fn new(map: &TensorMap, offset: u32) -> Self {
        let row = map.row_bytes() as usize;
        let pitch = if map.swizzle == Swizzle::None { row } else { row.max(map.swizzle.span() as usize) };
        Self { offset, swizzle: map.swizzle, row, pitch, rows: map.box_bytes() / map.row_bytes().max(1) }
    }

    /// The bytes that it takes: maybe more than there can be.
    pub const fn length(self) -> u64 {
        self.rows * self.pitch as u64
    }

    /// Where the bytes of a range of the box are: ranges of the box, each with an offset in shared memory.
    pub fn parts(self, range: Range<usize>) -> impl Iterator<Item = (Range<usize>, u32)> {
        // The box is aligned, so chunks of a row are chunks of memory.
        let step = if self.swizzle == Swizzle::None { usize::MAX } else { CHUNK };
        let mut start = range.start;
        std::iter::from_fn(move || {
            let end = (start - start % step).saturating_add(step).min(range.end);
            let part = (start < end).then(|| (start..end, self.place(start)));
            start = end;
            part
        })
    }

    fn place(self, at: usize) -> u32 {
        let straight = at / self.row * self.pitch + at % self.row;
        self.swizzle.permuted(self.offset + straight as u32)
    }
}

/// The parts of a box that are in the tensor, row by row. `offsets` are those of pixels. Of boxes that shared memory has room for: there may be very many.
pub fn inner_rows(map: &TensorMap, coordinates: &[i64], offsets: &[i64], end: RowEnd) -> Vec<InnerRow> {
    let Some((inner, outer)) = map.dimensions.split_first() else { return Vec::new() };
    let (first, others) = coordinates.split_first().map_or((0, &[][..]), |(first, others)| (*first, others));
    let element = map.element_bytes() as i64;
    let width = map.row_bytes() as i64;
    let size = i64::from(inner.size) * element;
    let columns = (-first * element).clamp(0, width)..(size - first * element).clamp(0, width);
    let whole = match end {
        RowEnd::Exact => size,
        RowEnd::Chunk => (size as u64).next_multiple_of(ROW_ALIGNMENT) as i64,
    };
    let padding = (whole - first * element).clamp(0, width) - columns.end;
    if columns.is_empty() {
        return Vec::new();
    }
    let starts: Box<dyn Iterator<Item = Option<u64>>> = match &map.pixels {
        None => {
            let count: u64 = outer.iter().map(|one| u64::from(one.copied())).product();
            Box::new((0..count).map(|number| outer_offset(outer, others, number)))
        }
        Some(pixels) => Box::new(pixel_offsets(pixels, outer, others, offsets).into_iter()),
    };
    let row = |(number, start): (usize, Option<u64>)| {
        let start = start?;
        // After the last address there is no memory.
        let address = map.address.saturating_add(start).saturating_add((first * element + columns.start) as u64);
        let base = number as i64 * width;
        let range = (base + columns.start) as usize..(base + columns.end) as usize;
        Some(InnerRow { range, address, padding: padding as usize })
    };
    starts.enumerate().filter_map(row).collect()
}

/// The offset of a row of a box in the tensor, in bytes; `None` if it is outside.
fn outer_offset(dimensions: &[TensorDimension], coordinates: &[i64], number: u64) -> Option<u64> {
    let mut rest = number;
    let mut offset = 0_u64;
    for (dimension, coordinate) in dimensions.iter().zip(coordinates) {
        let copied = u64::from(dimension.copied());
        let at = coordinate + (rest % copied) as i64 * i64::from(dimension.step);
        rest /= copied;
        let at = u64::try_from(at).ok().filter(|at| *at < u64::from(dimension.size))?;
        offset = offset.saturating_add(at.saturating_mul(dimension.stride));
    }
    Some(offset)
}

/// The parts of rows that are in the tensor, one after the other: `coordinates` are the innermost one, and that of each row.
pub fn chosen_rows(map: &TensorMap, coordinates: &[i64], end: RowEnd) -> Vec<InnerRow> {
    let Some((first, rows)) = coordinates.split_first() else { return Vec::new() };
    let bytes = map.row_bytes() as usize;
    let one = map.with_rows(1);
    let at = |(number, row): (usize, &i64)| {
        let found = inner_rows(&one, &[*first, *row], &[], end).into_iter();
        let start = number * bytes;
        found.map(move |row| InnerRow { range: row.range.start + start..row.range.end + start, ..row })
    };
    rows.iter().enumerate().flat_map(at).collect()
}

/// The offsets of pixels in the tensor, in bytes; `None` of those that are outside. After the last pixel of an image comes the first one of the next.
fn pixel_offsets(
    pixels: &PixelColumn,
    dimensions: &[TensorDimension],
    first: &[i64],
    offsets: &[i64],
) -> Vec<Option<u64>> {
    let mut at = first.to_vec();
    let mut found = Vec::new();
    for _ in 0..pixels.count {
        let places = dimensions.iter().zip(&at).enumerate();
        let offsets = places.map(|(number, (dimension, at))| {
            let at = at + offsets.get(number).copied().unwrap_or(0);
            let inside = u64::try_from(at).ok().filter(|at| *at < u64::from(dimension.size))?;
            Some(inside.saturating_mul(dimension.stride))
        });
        found.push({ offsets }.try_fold(0, |sum: u64, offset| Some(sum.saturating_add(offset?))));
        for (number, at) in at.iter_mut().enumerate() {
            let Some((lower, upper)) = pixels.lower.get(number).zip(pixels.upper.get(number)) else {
                *at += 1;
                break;
            };
            *at += i64::from(dimensions[number].step);
            if *at < i64::from(dimensions[number].size) + i64::from(*upper) {
                break;
            }
            *at = i64::from(*lower);
        }
    }
    found
}

/// What a box is read from: rows of the tensor, and what stands for elements outside of it.
pub fn gathered(map: &TensorMap, rows: &[InnerRow]) -> PendingData {
    let filled = map.fill.element(map.element);
    let fill = |bytes: usize| GatheredPart::Filled(filled.iter().copied().cycle().take(bytes).collect());
    let length = map.box_bytes() as usize;
    let (mut parts, mut end) = (Vec::new(), 0);
    for InnerRow { range, address, .. } in rows {
        if end < range.start {
            parts.push(fill(range.start - end));
        }
        parts.push(GatheredPart::Memory(MemoryRange::Global(*address), range.len()));
        end = range.end;
    }
    if end < length {
        parts.push(fill(length - end));
    }
    PendingData::Gathered(parts.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use isa::types::Type;
    use program::copies::tensor_map::OutsideFill;

    fn map(sizes: &[(u32, u16, u8)], swizzle: Swizzle) -> TensorMap {
        let mut stride = 1;
        let dimensions = sizes.iter().map(|(size, box_size, step)| {
            let dimension = TensorDimension { size: *size, stride, box_size: *box_size, step: *step };
            stride *= u64::from(*size);
            dimension
        });
        let dimensions = dimensions.collect();
        TensorMap { element: Type::U8, address: 1000, dimensions, swizzle, fill: OutsideFill::Zero, pixels: None }
    }

    fn rows(map: &TensorMap, coordinates: &[i64]) -> Vec<(Range<usize>, u64)> {
        inner_rows(map, coordinates, &[], RowEnd::Exact).into_iter().map(|row| (row.range, row.address)).collect()
    }

    #[test]
    fn boxes_are_cut_at_the_borders_of_the_tensor() {
        let two = map(&[(16, 8, 1), (4, 2, 1)], Swizzle::None);
        assert_eq!(rows(&two, &[4, 1]), [(0..8, 1020), (8..16, 1036)]);
        assert_eq!(rows(&two, &[-3, 3]), [(3..8, 1048)]);
        assert_eq!(rows(&two, &[12, -1]), [(8..12, 1012)]);
        assert_eq!(rows(&two, &[16, 0]), []);
        assert_eq!(rows(&two, &[i64::from(i32::MIN), i64::from(i32::MAX)]), []);
        let three = map(&[(16, 16, 1), (4, 4, 2), (2, 2, 1)], Swizzle::None);
        assert_eq!(rows(&three, &[0, 1, 0]), [(0..16, 1016), (16..32, 1048), (32..48, 1080), (48..64, 1112)]);
        let far = TensorMap {
            dimensions: vec![
                three.dimensions[0],
                TensorDimension { stride: 1 << 39, size: u32::MAX, ..three.dimensions[1] },
            ],
            ..three
        };
        assert_eq!(rows(&far, &[0, (1 << 25) - 2]), [(0..16, 1000 + (((1 << 25) - 2) << 39)), (16..32, u64::MAX)]);
        let odd = map(&[(41, 32, 1)], Swizzle::None);
        let written = inner_rows(&odd, &[32], &[], RowEnd::Chunk);
        assert_eq!(written, [InnerRow { range: 0..9, address: 1032, padding: 7 }]);
    }

    #[test]
    fn swizzled_boxes_are_in_chunks() {
        let parts = |width, swizzle, range| {
            let map = map(&[(256, width, 1), (4, 4, 1)], swizzle);
            let shared = SharedBox::new(&map, 128);
            (shared.length(), shared.parts(range).collect::<Vec<_>>())
        };
        assert_eq!(parts(48, Swizzle::None, 4..40), (192, vec![(4..40, 132)]));
        assert_eq!(parts(32, Swizzle::Bytes32, 4..40), (128, vec![(4..16, 148), (16..32, 128), (32..40, 176)]));
        assert_eq!(parts(16, Swizzle::Bytes32, 4..40), (128, vec![(4..16, 148), (16..32, 176), (32..40, 208)]));
        assert_eq!(parts(32, Swizzle::Bytes32, 3..3), (128, Vec::new()));
    }
}
