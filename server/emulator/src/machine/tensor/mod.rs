//! Tensor memory and the products of warpgroups.

pub(in crate::machine) mod tensor_access;
pub(in crate::machine) mod tensor_instruction;
pub(in crate::machine) mod tensor_memory;
pub(in crate::machine) mod tensor_mistake;
pub(in crate::machine) mod tensor_operands;
pub(in crate::machine) mod tensor_products;
pub(in crate::machine) mod tensor_region;
pub(in crate::machine) mod warpgroup;
pub(in crate::machine) mod warpgroup_access;
pub(in crate::machine) mod warpgroup_product;
pub(in crate::machine) mod warpgroup_wait;
