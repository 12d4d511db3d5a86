//! Rules about the spelling and the constants of one instruction.

pub mod forms;
pub mod modifier_order;
