//! Threads: warps, the lanes that run together, and the instructions that only they notice.

mod control;
mod execute;
pub mod executed;
pub mod executor;
pub(crate) mod exit;
mod fragment_access;
mod matrix_access;
pub(crate) mod matrix_product;
pub(crate) mod movement;
mod system;
mod undefined;
pub(crate) mod undefined_bits;
pub mod warp;
