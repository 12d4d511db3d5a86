//! Rules about instructions that several threads have to execute together.

pub(crate) mod divergent_barrier;
pub(crate) mod missing_barrier;
pub(crate) mod warp_lock;
