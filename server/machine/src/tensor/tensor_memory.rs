//! The tensor memory of a CTA: which columns are allocated, and what they contain.

use program::launch::kernel_launch::ThreadId;
use program::problem::CodePlace;
use program::tensor::tensor_region::{TENSOR_COLUMNS, TENSOR_LANES, TensorRegion};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The fewest columns that can be allocated.
const FEWEST_COLUMNS: u32 = 32;

/// Tensor memory.
#[derive(Clone, Debug, Default, Hash)]
pub struct CtaTensorMemory {
    /// By their first column.
    allocations: BTreeMap<u32, TensorAllocation>,
    /// Whether the CTA has given up the right to allocate.
    pub has_relinquished: bool,
    columns: BTreeMap<u32, Arc<[TensorCell; TENSOR_LANES as usize]>>,
}

/// Columns that were allocated together.
#[derive(Clone, Copy, Debug, Hash)]
pub struct TensorAllocation {
    /// Their number.
    pub columns: u32,
    /// Who has allocated them.
    pub thread: ThreadId,
    /// The instruction.
    pub place: CodePlace,
}

/// 32 bits of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TensorCell {
    /// Nothing was written there.
    #[default]
    Unwritten,
    /// A value.
    Known(u32),
    /// The result of an instruction that is not computed.
    Unknown(CodePlace),
}

/// Whether so many columns can be allocated.
pub const fn is_allocation_size(columns: u32) -> bool {
    columns >= FEWEST_COLUMNS && columns <= TENSOR_COLUMNS && columns.is_power_of_two()
}

impl CtaTensorMemory {
    /// Where so many columns are free.
    pub fn room(&self, columns: u32) -> Option<u32> {
        let is_free = |first: &u32| {
            let meets =
                |(begin, one): (&u32, &TensorAllocation)| *begin < first + columns && *first < begin + one.columns;
            !self.allocations.iter().any(meets)
        };
        (0..=TENSOR_COLUMNS.saturating_sub(columns)).step_by(columns.max(FEWEST_COLUMNS) as usize).find(is_free)
    }

    /// Allocates columns from one on.
    pub fn allocate(&mut self, first: u32, allocation: TensorAllocation) {
        self.allocations.insert(first, allocation);
    }

    /// Frees columns that were allocated together. Returns whether they were.
    pub fn free(&mut self, first: u32, columns: u32) -> bool {
        let is_allocated = self.allocations.get(&first).is_some_and(|one| one.columns == columns);
        if is_allocated {
            self.allocations.remove(&first);
            self.columns.retain(|column, _| !(first..first + columns).contains(column));
        }
        is_allocated
    }

    /// Whether all of some columns are allocated.
    pub fn is_allocated(&self, columns: &Range<u32>) -> bool {
        let is_in = |column: u32| {
            let before = self.allocations.range(..=column).next_back();
            before.is_some_and(|(first, one)| column < first + one.columns)
        };
        columns.clone().all(is_in)
    }

    /// What is allocated.
    pub fn allocations(&self) -> impl Iterator<Item = &TensorAllocation> {
        self.allocations.values()
    }

    /// A cell.
    pub fn cell(&self, lane: u32, column: u32) -> TensorCell {
        self.columns.get(&column).and_then(|cells| cells.get(lane as usize)).copied().unwrap_or_default()
    }

    /// Writes a cell.
    pub fn set(&mut self, lane: u32, column: u32, cell: TensorCell) {
        let cells = self.columns.entry(column).or_insert_with(|| Arc::new([TensorCell::Unwritten; 128]));
        if let Some(known) = Arc::make_mut(cells).get_mut(lane as usize) {
            *known = cell;
        }
    }

    /// Writes a cell everywhere in a region.
    pub fn fill(&mut self, region: &TensorRegion, cell: TensorCell) {
        if region.lanes() == u128::MAX {
            let cells = Arc::new([cell; TENSOR_LANES as usize]);
            self.columns.extend(region.columns().map(|column| (column, cells.clone())));
            return;
        }
        for column in region.columns() {
            lanes(region).for_each(|lane| self.set(lane, column, cell));
        }
    }

    /// Whether nothing was written in a region.
    pub fn is_unwritten(&self, region: &TensorRegion) -> bool {
        let is_unwritten = |column| lanes(region).all(|lane| self.cell(lane, column) == TensorCell::Unwritten);
        region.columns().all(is_unwritten)
    }
}

fn lanes(region: &TensorRegion) -> impl Iterator<Item = u32> {
    let mask = region.lanes();
    (0..TENSOR_LANES).filter(move |lane| mask >> lane & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_allocated_once() {
        let mut memory = CtaTensorMemory::default();
        let (thread, place) = (ThreadId { cta: 0, thread: 0 }, CodePlace { function: 0, instruction: 0 });
        let mut allocate = |columns: u32| {
            let first = memory.room(columns)?;
            memory.allocate(first, TensorAllocation { columns, thread, place });
            Some(first)
        };
        assert_eq!([allocate(256), allocate(32), allocate(128), allocate(128)], [Some(0), Some(256), Some(384), None]);
        assert!(memory.is_allocated(&(0..288)) && !memory.is_allocated(&(280..300)));
        assert!(!memory.free(0, 128) && memory.free(0, 256) && !memory.free(0, 256));
        assert_eq!(memory.room(128), Some(0));
        assert!(is_allocation_size(32) && !is_allocation_size(96) && !is_allocation_size(1024));
    }

    #[test]
    fn cells_keep_what_was_written() {
        let mut memory = CtaTensorMemory::default();
        let region = TensorRegion::new(0..128, 0..4);
        assert!(memory.is_unwritten(&region));
        memory.fill(&region, TensorCell::Known(7));
        memory.set(3, 2, TensorCell::Known(9));
        assert_eq!([memory.cell(3, 2), memory.cell(4, 2)], [TensorCell::Known(9), TensorCell::Known(7)]);
        assert_eq!(memory.cell(0, 4), TensorCell::Unwritten);
    }
}
