//! Asynchronous copies, and the tensors that they move.

pub(in crate::machine) mod async_copy;
pub(in crate::machine) mod copy_progress;
pub(in crate::machine) mod pending_copy;
pub(in crate::machine) mod tensor_box;
pub(in crate::machine) mod tensor_copies;
pub(in crate::machine) mod tensor_map;
pub(in crate::machine) mod tensor_map_access;
pub(in crate::machine) mod tensor_map_change;
pub(in crate::machine) mod tensor_map_mistake;
