//! Where accesses go that are checked for data races.

/// Memory that has one address range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RacedMemory {
    /// An allocation of global memory, by its index.
    Global(usize),
    /// The shared memory of a CTA, by its slot.
    Shared(usize),
}

/// A location: memory, offset in bytes.
pub type LocationKey = (RacedMemory, usize);

/// Whether a write is a part of a read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IsUpdate {
    /// It is.
    Yes,
    /// It is not.
    No,
}
