//! What is known of the threads that execute an instruction, and of the values that differ between them.

pub mod lane_choice;
pub mod lanes;
pub mod thread_sets;
pub mod thread_values;
pub mod uniformity;
