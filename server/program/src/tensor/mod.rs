//! Instructions on tensor memory and of warpgroups.

pub mod tensor_instruction;
pub mod tensor_mistake;
pub mod tensor_region;
pub mod warpgroup;
