//! Matrix operations of a warpgroup, `wgmma`, and where their matrices are in shared memory.

use super::operand::{Destination, Source};
use super::tensor_map::Swizzle;

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
    /// The opcode.
    pub opcode: Box<str>,
}

/// A matrix in shared memory, of 32 bytes along the dimension that is summed.
#[derive(Debug)]
pub struct SharedMatrix {
    /// Its descriptor.
    pub descriptor: Source,
    /// The number of rows, or of columns for b.
    pub extent: u32,
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
    /// The offsets of its chunks of 16 bytes, by the value of the descriptor.
    pub fn chunks(&self, descriptor: u64) -> Vec<u32> {
        let field = |shift: u32| ((descriptor >> shift & FIELD_BITS) as u32) * CHUNK;
        let (start, leading, stride) = (field(0), field(16), field(32));
        let swizzle = match descriptor >> 62 {
            0 => Swizzle::None,
            1 => Swizzle::Bytes128,
            2 => Swizzle::Bytes64,
            _ => Swizzle::Bytes32,
        };
        let span = swizzle.span();
        let per_span = span / CHUNK;
        let groups = self.extent / CORE_ROWS;
        let mut offsets = Vec::new();
        for (group, row, half) in
            (0..groups).flat_map(|group| (0..CORE_ROWS).flat_map(move |row| [0, 1].map(|half| (group, row, half))))
        {
            let offset = match (self.major, swizzle) {
                (MatrixMajor::K, Swizzle::None) => group * stride + half * leading + row * CHUNK,
                (MatrixMajor::K, _) => group * stride + row * span + half * CHUNK,
                (MatrixMajor::Mn, Swizzle::None) => group * stride + row * CHUNK + half * leading,
                (MatrixMajor::Mn, _) => {
                    group % per_span * CHUNK + group / per_span * leading + row * span + half * stride
                }
            };
            offsets.push(swizzle.permuted(start + offset));
        }
        offsets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(extent: u32, major: MatrixMajor, descriptor: u64) -> Vec<u32> {
        let mut offsets = SharedMatrix { descriptor: Source::Constant(0), extent, major }.chunks(descriptor);
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
