//! Matrix operations of a warpgroup, `wgmma`, and where their matrices are in shared memory.

use crate::copies::tensor_map::Swizzle;
use crate::matrix::{MatrixFragment, Sparsity};
use crate::operand::{Destination, Source};
use values::matrix::{MatrixArithmetic, MatrixSize};

/// The bytes that a swizzle leaves together.
pub const CHUNK: u32 = 16;
/// The rows of a core matrix.
const CORE_ROWS: u32 = 8;
/// The bits of an address, or of a distance, in a descriptor.
const FIELD_BITS: u64 = 0x3fff;

/// An instruction of `wgmma`.
#[derive(Debug)]
pub enum WarpgroupInstruction {
    /// `mma_async`
    Multiply(Box<WarpgroupMultiply>),
    /// `commit_group`
    Commit,
    /// `wait_group`, with the groups that may be under way.
    Wait(u32),
}

/// A multiplication.
#[derive(Debug)]
pub struct WarpgroupMultiply {
    /// The matrices in shared memory: b, and a if it is not in registers.
    pub matrices: Vec<SharedMatrix>,
    /// The registers of the accumulator.
    pub accumulator: Vec<Destination>,
    /// What is computed, if that is known.
    pub product: Option<WarpgroupProduct>,
    /// The opcode.
    pub opcode: Box<str>,
}

/// What each of the four warps computes: 16 rows of the sums.
#[derive(Debug)]
pub struct WarpgroupProduct {
    /// The elements of a warp.
    pub size: MatrixSize,
    /// How they are multiplied and added.
    pub arithmetic: MatrixArithmetic,
    /// The registers of a, if it is not in shared memory.
    pub a: Option<MatrixFragment<Source>>,
    /// The bits of an element of a and of b.
    pub bits: [u32; 2],
    /// The bits that are flipped in each element of a and of b.
    pub flipped: [u64; 2],
    /// Which elements of a are kept, if it is sparse.
    pub sparsity: Option<Sparsity>,
    /// The accumulator before.
    pub c: MatrixFragment<Source>,
    /// Whether it is added.
    pub accumulates: Source,
    /// The accumulator afterwards.
    pub d: MatrixFragment<Destination>,
}

/// A matrix in shared memory.
#[derive(Debug)]
pub struct SharedMatrix {
    /// Its descriptor.
    pub descriptor: Source,
    /// The number of rows, or of columns for b.
    pub extent: u32,
    /// The chunks of 16 bytes along the dimension that is summed.
    pub chunks: u32,
    /// Which dimension is contiguous.
    pub major: MatrixMajor,
}

/// The contiguous dimension of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixMajor {
    /// The one that is summed.
    K,
    /// The other one.
    Mn,
}

impl SharedMatrix {
    /// Where it is, by the value of the descriptor.
    pub const fn placement(&self, descriptor: u64) -> MatrixPlacement {
        let swizzle = match descriptor >> 62 {
            0 => Swizzle::None,
            1 => Swizzle::Bytes128,
            2 => Swizzle::Bytes64,
            _ => Swizzle::Bytes32,
        };
        MatrixPlacement::new(descriptor, swizzle, (self.extent, self.chunks), self.major)
    }
}

/// An address, or a distance, in a descriptor.
const fn field(descriptor: u64, shift: u32) -> u32 {
    (descriptor >> shift & FIELD_BITS) as u32 * CHUNK
}

/// Where a matrix is in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct MatrixPlacement {
    start: u32,
    leading: u32,
    stride: u32,
    swizzle: Swizzle,
    /// The rows, or the columns of the second matrix.
    extent: u32,
    /// The chunks of 16 bytes along the dimension that is summed.
    chunks: u32,
    major: MatrixMajor,
}

impl MatrixPlacement {
    /// By the value of a descriptor, of which each instruction has the swizzle at another place.
    pub const fn new(descriptor: u64, swizzle: Swizzle, (extent, chunks): (u32, u32), major: MatrixMajor) -> Self {
        Self {
            start: field(descriptor, 0),
            leading: field(descriptor, 16),
            stride: field(descriptor, 32),
            swizzle,
            extent,
            chunks,
            major,
        }
    }

    /// The offsets of its chunks of 16 bytes.
    pub fn chunks(&self) -> Vec<u32> {
        let rows = (0..self.extent).flat_map(|row| (0..self.chunks).map(move |chunk| (row, chunk)));
        rows.map(|(row, chunk)| self.chunk(row, chunk)).collect()
    }

    /// The offset of a chunk. It has elements of a row, along the dimension that is summed; in the other major, those of eight rows at once, and `row` is
    /// the first of them plus the element of that dimension in its chunk.
    pub const fn chunk(&self, row: u32, chunk: u32) -> u32 {
        let Self { start, leading, stride, swizzle, extent: _, chunks: _, major } = *self;
        let span = swizzle.span();
        let per_span = span / CHUNK;
        let (group, row) = (row / CORE_ROWS, row % CORE_ROWS);
        let offset = match (major, swizzle) {
            (MatrixMajor::K, Swizzle::None) => group * stride + chunk * leading + row * CHUNK,
            (MatrixMajor::K, _) => group * stride + row * span + chunk * CHUNK,
            (MatrixMajor::Mn, Swizzle::None) => group * stride + row * CHUNK + chunk * leading,
            (MatrixMajor::Mn, _) => group % per_span * CHUNK + group / per_span * leading + row * span + chunk * stride,
        };
        swizzle.permuted(start + offset)
    }

    /// The contiguous dimension.
    pub const fn major(&self) -> MatrixMajor {
        self.major
    }

    /// The chunks along the dimension that is summed.
    pub const fn chunks_of_row(&self) -> u32 {
        self.chunks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(extent: u32, major: MatrixMajor, descriptor: u64) -> Vec<u32> {
        let mut offsets =
            SharedMatrix { descriptor: Source::Constant(0), extent, chunks: 2, major }.placement(descriptor).chunks();
        offsets.sort_unstable();
        offsets
    }

    /// A descriptor: start, leading and stride offset in bytes, and the kind of swizzle.
    const fn descriptor(start: u64, leading: u64, stride: u64, swizzle: u64) -> u64 {
        start >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | swizzle << 62
    }

    #[test]
    fn matrices_are_where_their_descriptors_say() {
        let contiguous = |start: u32, count: u32| (0..count).map(|at| start + 16 * at).collect::<Vec<_>>();
        // 64 rows of 32 bytes, without gaps: all of 2 KiB.
        assert_eq!(offsets(64, MatrixMajor::K, descriptor(512, 128, 256, 0)), contiguous(512, 128));
        assert_eq!(offsets(64, MatrixMajor::K, descriptor(0, 0, 256, 3)), contiguous(0, 128));
        // A quarter of each row of 128 bytes.
        let quarter = offsets(8, MatrixMajor::K, descriptor(1024 + 32, 0, 1024, 1));
        let mut expected: Vec<u32> =
            (0..8).flat_map(|row| [2, 3].map(|chunk: u32| 1024 + 128 * row + 16 * (chunk ^ row))).collect();
        expected.sort_unstable();
        assert_eq!(quarter, expected);
        assert_eq!(offsets(64, MatrixMajor::Mn, descriptor(0, 0, 1024, 1)), contiguous(0, 128));
        assert_eq!(offsets(8, MatrixMajor::Mn, descriptor(0, 128, 256, 0)), contiguous(0, 16));
    }
}
