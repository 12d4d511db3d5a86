//! Proxies of memory, and the fences between them.

/// The proxy of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessProxy {
    /// Ordinary instructions and `cp.async`.
    Generic,
    /// Bulk copies.
    Async,
}

/// The memory that a proxy fence is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FencedMemory {
    /// All memory.
    All,
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
}

/// Why two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RaceCause {
    /// Neither happens before the other.
    NotOrdered,
    /// One happens before the other, through another proxy and without a proxy fence between them.
    NoProxyFence,
}

impl FencedMemory {
    /// The kinds of memory.
    pub const fn kinds(self) -> &'static [Self] {
        match self {
            Self::All => &[Self::Global, Self::Shared],
            Self::Global => &[Self::Global],
            Self::Shared => &[Self::Shared],
        }
    }
}
