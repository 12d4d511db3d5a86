//! How a kernel is launched.

pub mod address_size;
pub mod kernel_launch;
