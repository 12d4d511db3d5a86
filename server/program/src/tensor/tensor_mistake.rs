//! What can be wrong with uses of tensor memory.

use crate::tensor::tensor_region::TENSOR_COLUMNS;
use std::fmt;

/// A wrong use of tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorMemoryMistake {
    /// A number of columns that cannot be allocated.
    Size(u32),
    /// An allocation after the right to allocate was given up.
    Relinquished,
    /// An allocation for a pair of CTAs, without the other one.
    NoPeer,
    /// An access to columns that are not allocated, from one to before another.
    NotAllocated(u32, u32),
    /// Columns that are freed, and were not allocated together.
    NotTogether(u32, u32),
    /// Columns that are not freed when their CTA ends.
    NotFreed(u32),
}

impl fmt::Display for TensorMemoryMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Size(columns) => {
                write!(f, "{columns} columns of tensor memory: 32, 64, 128, 256 or {TENSOR_COLUMNS} can be allocated")
            }
            Self::Relinquished => f.write_str("allocation of tensor memory after `tcgen05.relinquish_alloc_permit`"),
            Self::NoPeer => {
                f.write_str("allocation with `.cta_group::2` in a cluster without the other CTA of the pair")
            }
            Self::NotAllocated(first, end) => {
                write!(f, "access to columns {first} to {} of tensor memory, which are not allocated", end - 1)
            }
            Self::NotTogether(first, end) => {
                write!(f, "columns {first} to {} of tensor memory were not allocated together", end - 1)
            }
            Self::NotFreed(columns) => {
                write!(f, "{columns} columns of tensor memory are not freed (`tcgen05.dealloc`) before the CTA ends")
            }
        }
    }
}

/// Why two operations on tensor memory are not ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TensorRaceCause {
    /// They are ordered, but a fence of tensor memory is missing at the synchronization.
    NotFenced,
    /// Their issues are, and nothing waits for the end of the earlier one.
    NotAwaited(TensorCompletion),
    /// Their issues are not.
    NotOrdered,
}

/// How the end of an operation on tensor memory is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TensorCompletion {
    /// By a commit, and a wait for its mbarrier.
    Commit,
    /// By a wait for loads.
    LoadWait,
    /// By a wait for stores.
    StoreWait,
}

impl fmt::Display for TensorCompletion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Commit => "`tcgen05.commit` and a wait for its mbarrier",
            Self::LoadWait => "`tcgen05.wait::ld`",
            Self::StoreWait => "`tcgen05.wait::st`",
        })
    }
}
