//! What a kernel does to global memory, as far as the next one needs to know that may begin before it has ended.

use isa::types::Scope;
use program::problem::MachineAccessKind;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What an earlier kernel does with an allocation that this one can overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum EarlierUse {
    /// Nothing.
    #[default]
    None,
    /// It reads it.
    Reads,
    /// It writes it.
    Writes,
}

/// The words of a row of 32 words that a kernel has accessed weakly and as a whole, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsedRow {
    /// Those that it has only read.
    pub read: u32,
    /// Those that it has written.
    pub written: u32,
}

/// An access to bytes of a word, or a strong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OverlappedAccess {
    /// The bytes, a bit each.
    pub bytes: u8,
    /// The size of the access in bytes.
    pub size: u8,
    /// What it does.
    pub kind: MachineAccessKind,
    /// The scope of a strong access.
    pub scope: Option<Scope>,
}

/// The words of global memory that a kernel has accessed, in one execution or in several.
#[derive(Clone, Debug, Default)]
pub struct KernelUse {
    /// The rows, by allocation and number.
    rows: BTreeMap<(usize, usize), UsedRow>,
    /// The other accesses to words, by allocation and number.
    words: BTreeMap<(usize, usize), BTreeSet<OverlappedAccess>>,
    /// Whether it can end without a `griddepcontrol.wait`.
    pub ends_without_wait: bool,
    /// Whether it can let the next kernel begin before any of its threads has waited.
    pub launches_early: bool,
}

impl KernelUse {
    /// Adds accesses to the row of an allocation with a number.
    pub fn add_row(&mut self, allocation: usize, row: usize, used: UsedRow) {
        let known = self.rows.entry((allocation, row)).or_default();
        known.written |= used.written;
        known.read = (known.read | used.read) & !known.written;
    }

    /// Adds an access to the word of an allocation with a number.
    pub fn add_word(&mut self, allocation: usize, word: usize, used: OverlappedAccess) {
        self.words.entry((allocation, word)).or_default().insert(used);
    }

    /// Adds what other executions have done.
    pub fn join(&mut self, other: &Self) {
        self.ends_without_wait |= other.ends_without_wait;
        self.launches_early |= other.launches_early;
        other.rows().for_each(|(allocation, row, used)| self.add_row(allocation, row, used));
        other.words().for_each(|(allocation, word, used)| self.add_word(allocation, word, used));
    }

    /// The rows, with their allocations and numbers.
    pub fn rows(&self) -> impl Iterator<Item = (usize, usize, UsedRow)> {
        self.rows.iter().map(|((allocation, row), used)| (*allocation, *row, *used))
    }

    /// The other accesses to words, with their allocations and numbers.
    pub fn words(&self) -> impl Iterator<Item = (usize, usize, OverlappedAccess)> {
        let of_word = |(place, all): (&(usize, usize), &BTreeSet<OverlappedAccess>)| {
            let (allocation, word) = *place;
            all.iter().map(move |used| (allocation, word, *used)).collect::<Vec<_>>()
        };
        self.words.iter().flat_map(of_word)
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
    /// By `griddepcontrol.wait`: it is the one before, or that one has waited for it.
    Wait,
    /// Not at all: a kernel between them has not waited for it, and a kernel waits for the one before alone.
    Never,
}
