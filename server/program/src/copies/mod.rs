//! Instructions of asynchronous copies, and tensor maps.

pub mod async_copy;
pub mod tensor_map;
pub mod tensor_map_change;
pub mod tensor_map_mistake;
