//! What a kernel does to global memory, as far as the next one needs to know that may begin before it has ended.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The words of a row of 32 words that a kernel has accessed, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsedRow {
    /// Those that it has only read.
    pub read: u32,
    /// Those that it has written.
    pub written: u32,
}

/// The words of global memory that a kernel has accessed, in one execution or in several.
#[derive(Clone, Debug, Default)]
pub struct KernelUse {
    /// The rows, by allocation and number.
    rows: BTreeMap<(usize, usize), UsedRow>,
    /// Whether it has ended without a `griddepcontrol.wait`.
    pub ends_without_wait: bool,
}

impl KernelUse {
    /// Adds accesses to the row of an allocation with a number.
    pub fn add_row(&mut self, allocation: usize, row: usize, used: UsedRow) {
        let known = self.rows.entry((allocation, row)).or_default();
        known.written |= used.written;
        known.read = (known.read | used.read) & !known.written;
    }

    /// Adds what other executions have done.
    pub fn join(&mut self, other: &Self) {
        self.ends_without_wait |= other.ends_without_wait;
        other.rows().for_each(|(allocation, row, used)| self.add_row(allocation, row, used));
    }

    /// The rows, with their allocations and numbers.
    pub fn rows(&self) -> impl Iterator<Item = (usize, usize, UsedRow)> {
        self.rows.iter().map(|((allocation, row), used)| (*allocation, *row, *used))
    }
}

/// A kernel that may still run while a later one does.
#[derive(Clone, Debug)]
pub struct OverlappedKernel {
    /// What it does.
    pub usage: Arc<KernelUse>,
    /// How the later one can wait for its end.
    pub end: OverlapEnd,
}

/// How a kernel can wait for the end of an earlier one that it overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapEnd {
    /// By `griddepcontrol.wait`: it is the one before.
    Wait,
    /// Not at all: a kernel between them has not waited for it, and nobody waits for more than the kernel before.
    Never,
}

/// Whether what a kernel does to global memory is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UseRecording {
    /// It is not.
    #[default]
    Off,
    /// It is, as the next kernel may begin before this one has ended.
    On,
}
