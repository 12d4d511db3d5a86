//! Asynchronous copies, and the tensors that they move.

pub mod copy_progress;
pub mod pending_copy;
pub(crate) mod tensor_box;
pub(crate) mod tensor_copies;
pub(crate) mod tensor_map_access;
