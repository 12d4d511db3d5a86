//! Threads: warps, the lanes that run together, and the instructions that only they notice.

pub(in crate::machine) mod control;
pub(in crate::machine) mod execute;
pub(in crate::machine) mod executed;
pub(in crate::machine) mod executor;
pub(in crate::machine) mod exit;
pub(in crate::machine) mod fragment_access;
pub(in crate::machine) mod lanes;
pub(in crate::machine) mod matrix_access;
pub(in crate::machine) mod matrix_product;
pub(in crate::machine) mod movement;
pub(in crate::machine) mod system;
pub(in crate::machine) mod undefined;
pub(in crate::machine) mod undefined_bits;
pub(in crate::machine) mod warp;
