//! The order of operations on tensor memory.

pub mod operations;
pub mod tensor_operation;
