//! Control flow: blocks, dominators and loops around atomics.

pub mod atomic_loop;
pub mod basic_blocks;
pub mod control_flow;
pub mod post_dominators;
pub mod spin_lock;
