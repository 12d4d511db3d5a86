//! What of the order is the same in two states.

pub(in crate::machine::ordering) mod canonical;
pub(in crate::machine::ordering) mod colors;
pub(in crate::machine::ordering) mod known_accesses;
pub(in crate::machine::ordering) mod thread_permutation;
