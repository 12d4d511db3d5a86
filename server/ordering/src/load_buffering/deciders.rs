//! What decides about the writes of an instruction.

use isa::types::Scope;
use program::problem::CodePlace;
use std::collections::BTreeSet;

/// What decides about the writes of an instruction.
#[derive(Clone, Debug, Default)]
pub struct Deciders {
    /// The strong reads.
    pub reads: BTreeSet<CodePlace>,
    /// The reads that decide by more than branches.
    pub redirecting: BTreeSet<CodePlace>,
    /// The reads that decide about the address.
    pub addressing: BTreeSet<CodePlace>,
    /// Whether another address may be in other memory, and not only at another offset.
    pub may_be_in_other_memory: bool,
    /// Whether some reads may be of other threads: their values come through memory or exchanges.
    pub may_be_of_others: bool,
    /// Whether the instruction writes later, to unknown memory.
    pub is_asynchronous: bool,
    /// The scope of a strong read-modify-write, which continues release sequences.
    pub updates_in: Option<Scope>,
}
