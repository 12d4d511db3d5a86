//! The order of operations on tensor memory.

pub(in crate::machine) mod operations;
pub(in crate::machine) mod tensor_operation;
