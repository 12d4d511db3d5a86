//! Tensor memory and the products of warpgroups.

pub(crate) mod tensor_access;
pub(crate) mod tensor_memory;
mod tensor_operands;
mod tensor_products;
pub(crate) mod warpgroup_access;
mod warpgroup_product;
pub mod warpgroup_wait;
