//! What is known of the threads that execute an instruction, and of the values that differ between them.

pub(crate) mod lane_choice;
pub(crate) mod lanes;
pub(crate) mod thread_sets;
pub(crate) mod thread_values;
pub(crate) mod uniformity;
