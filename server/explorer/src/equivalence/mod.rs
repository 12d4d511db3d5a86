//! Which states are the same, or the same with other numbers of threads.

pub(crate) mod fingerprint;
pub(crate) mod permuted_threads;
pub(crate) mod state_permutations;
pub(crate) mod symmetry;
mod thread_identity;
