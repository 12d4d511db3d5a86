//! What of the order is the same in two states.

pub mod canonical;
pub mod colors;
mod known_accesses;
pub mod thread_permutation;
