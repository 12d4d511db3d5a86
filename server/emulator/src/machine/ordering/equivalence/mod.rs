//! What of the order is the same in two states.

pub(in crate::machine) mod canonical;
pub(in crate::machine) mod colors;
pub(in crate::machine) mod known_accesses;
pub(in crate::machine) mod thread_permutation;
