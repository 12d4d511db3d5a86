//! The order of operations on tensor memory.

pub(in crate::machine::ordering) mod operations;
pub(in crate::machine::ordering) mod tensor_operation;
