//! Proxies of memory, and the fences between them.

use std::fmt;

/// The proxy of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessProxy {
    /// Ordinary instructions and `cp.async`.
    Generic,
    /// Bulk copies.
    Async,
    /// `ld.global.nc`, for memory that nothing writes while the kernel runs.
    NonCoherent,
    /// Reads of textures.
    Texture,
    /// Accesses to surfaces.
    Surface,
    /// Reads of tensor maps by tensor copies.
    TensorMap,
}

/// The memory that a proxy fence is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FencedMemory {
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
    /// Tensor maps, for the threads that acquire them.
    ReleasedTensorMap,
    /// Global and shared memory.
    All,
}

/// Why two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RaceCause {
    /// Neither happens before the other.
    NotOrdered,
    /// One happens before the other, through another proxy and without a proxy fence between them.
    NoProxyFence,
    /// A tensor copy reads its map and another thread writes it, and neither happens before the other.
    UnorderedTensorMap,
    /// A tensor copy reads its map after a write, without an acquire of the proxy of tensor maps between them.
    NoTensorMapFence,
    /// A tensor copy reads its map after a write of another thread, which has released it to ordinary accesses only.
    NoTensorMapRelease,
    /// A non-coherent read of what the kernel has written before, which no fence makes visible to it.
    NonCoherentRead,
    /// One is to a texture or surface, and does not see the other, which happens before.
    ImageProxy,
    /// The earlier access is of a kernel that this one has not waited for.
    EarlierKernel,
    /// The earlier access is of a kernel before the earlier one, which has not waited for it.
    KernelBeforeEarlier,
    /// A tensor copy reads a map that a kernel before this one has changed, without an acquire of the proxy of tensor maps in this one.
    EarlierTensorMap,
}

/// Who makes the earlier access of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EarlierAgent {
    /// Another thread, or what it has issued.
    AnotherThread,
    /// The thread that has issued the asynchronous operation whose access is the later one.
    Issuer,
    /// An asynchronous operation that the thread of the later access has issued.
    OwnOperation,
    /// Another asynchronous operation of the thread that has issued the one of the later access.
    OperationOfIssuer,
}

impl fmt::Display for EarlierAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AnotherThread => "another thread",
            Self::Issuer => "the thread that has issued it",
            Self::OwnOperation => "an asynchronous operation of the same thread",
            Self::OperationOfIssuer => "another asynchronous operation of the same thread",
        })
    }
}

impl FencedMemory {
    /// The kinds of memory.
    pub const fn kinds(self) -> &'static [Self] {
        match self {
            Self::All => &[Self::Global, Self::Shared],
            Self::Global => &[Self::Global],
            Self::Shared => &[Self::Shared],
            Self::ReleasedTensorMap => &[Self::ReleasedTensorMap],
        }
    }
}
