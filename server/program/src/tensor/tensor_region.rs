//! Parts of tensor memory, and what an instruction does there.

use std::ops::Range;

/// The lanes of tensor memory.
pub const TENSOR_LANES: u32 = 128;
/// The columns of tensor memory, of 32 bits in each lane.
pub const TENSOR_COLUMNS: u32 = 512;

/// Some columns of some lanes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorRegion {
    lanes: u128,
    first_column: u32,
    end: u32,
}

impl TensorRegion {
    /// The same columns of the lanes in a mask.
    pub const fn of_lanes(lanes: u128, columns: Range<u32>) -> Self {
        Self { lanes, first_column: columns.start, end: columns.end }
    }

    /// The same columns of a range of lanes; those after the last one are left out.
    pub fn new(lanes: Range<u32>, columns: Range<u32>) -> Self {
        let mask = lanes.filter(|lane| *lane < TENSOR_LANES).fold(0, |all, lane| all | 1 << lane);
        Self::of_lanes(mask, columns)
    }

    /// The columns.
    pub const fn columns(&self) -> Range<u32> {
        self.first_column..self.end
    }

    /// The lanes, as a mask.
    pub const fn lanes(&self) -> u128 {
        self.lanes
    }

    /// Whether a cell is in both.
    pub const fn meets(&self, other: &Self) -> bool {
        self.lanes & other.lanes != 0 && self.first_column < other.end && other.first_column < self.end
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.lanes.count_ones()) * u64::from(self.end - self.first_column) * 4
    }

    /// The address of its first cell.
    pub const fn address(&self) -> u32 {
        ((self.lanes.trailing_zeros() % TENSOR_LANES) << 16) | self.first_column
    }
}

/// An address in tensor memory: a lane in the upper half, a column in the lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorAddress(pub u32);

impl TensorAddress {
    /// The lane.
    pub const fn lane(self) -> u32 {
        self.0 >> 16
    }

    /// The column.
    pub const fn column(self) -> u32 {
        self.0 & 0xffff
    }

    /// So many columns from this one on.
    pub const fn columns(self, count: u32) -> Range<u32> {
        self.column()..self.column() + count
    }
}

/// What an instruction does with a part of tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TensorRole {
    /// It reads it: an input of a multiplication, or what is loaded.
    Input,
    /// It writes it.
    Output,
    /// It adds to it, or replaces it: the accumulator of a multiplication.
    Accumulator,
}

impl TensorRole {
    /// Whether it writes.
    pub fn writes(self) -> bool {
        self != Self::Input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_meet_in_lanes_and_columns() {
        let region = |lanes: Range<u32>, columns: Range<u32>| TensorRegion::new(lanes, columns);
        let tile = region(32..64, 8..16);
        assert!(tile.meets(&region(63..200, 15..16)));
        assert!(!tile.meets(&region(64..128, 8..16)) && !tile.meets(&region(0..128, 16..32)));
        assert_eq!((tile.bytes(), tile.address()), (1024, 32 << 16 | 8));
    }
}
