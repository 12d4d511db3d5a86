//! The module around the kernels: its functions, variables and names.

pub(super) mod data;
pub(super) mod kernel_module;
pub(super) mod names;
pub(crate) mod sizes;
