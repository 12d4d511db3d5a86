//! What a launch is given: arguments, buffers, images and tensor maps, and the memory that they become.

pub mod argument_error;
pub mod argument_values;
pub mod bounds;
mod declared_parameter;
pub mod image_argument;
pub mod launch;
pub mod launch_memory;
pub(super) mod parameter_part;
pub(super) mod passed_arguments;
pub(super) mod pointers;
pub(super) mod source_parameter;
pub mod tensor_argument;
