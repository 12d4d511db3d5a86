//! Control flow: blocks, dominators and loops around atomics.

pub(crate) mod atomic_loop;
pub(crate) mod basic_blocks;
pub(crate) mod control_flow;
pub(crate) mod post_dominators;
pub(crate) mod spin_lock;
