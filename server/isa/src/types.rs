//! The vocabulary of an atomic instruction: operation, type, space, semantics, scope.
//!
//! Knows how each word is spelled in PTX and what it is made of; must not know which combinations are legal.

/// A read-modify-write operation (PTX ISA, atom / red / multimem, `.op`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Compare and swap.
    Cas,
    /// Exchange.
    Exch,
    /// Addition: modular for integers, one rounding to nearest even for floating point.
    Add,
    /// Increment that wraps to zero at the bound: `(old >= b) ? 0 : old + 1`.
    Inc,
    /// Decrement that wraps to the bound: `(old == 0 || old > b) ? b : old - 1`.
    Dec,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
}

/// The type of one element in memory (PTX ISA, fundamental, alternate and packed types).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // each variant is the PTX spelling in upper case
pub enum Type {
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
    E4m3,
    E4m3x2,
    E4m3x4,
    E5m2,
    E5m2x2,
    E5m2x4,
}

/// A state space that an atomic may name; [`Space::Generic`] when it names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// No space given: the address decides at run time.
    Generic,
    /// `.global`
    Global,
    /// `.shared` and `.shared::cta`: the own CTA's shared memory.
    SharedCta,
    /// `.shared::cluster`: shared memory of any CTA of the cluster.
    SharedCluster,
}

/// Memory ordering (PTX ISA, Memory Consistency Model, `.sem`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sem {
    /// `.weak`: only multimem.ld_reduce and multimem.st have it.
    Weak,
    /// `.relaxed`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcqRel,
}

/// The set of threads that may observe an effect directly, smallest first (PTX ISA, Scope).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The threads of one CTA.
    Cta,
    /// The threads of one cluster.
    Cluster,
    /// The threads of one device.
    Gpu,
    /// All threads, those of the host among them.
    Sys,
}
