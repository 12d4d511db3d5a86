//! Which states are the same, or the same with other numbers of threads.

pub(in crate::machine::explorer) mod fingerprint;
pub(in crate::machine::explorer) mod permuted_threads;
pub(in crate::machine::explorer) mod state_permutations;
pub(in crate::machine::explorer) mod symmetry;
pub(in crate::machine::explorer) mod thread_identity;
