//! Rules about the spelling and the constants of one instruction.

pub(crate) mod assembler_crash;
pub(crate) mod legality;
pub(crate) mod modifier_order;
pub(crate) mod truncated_immediate;
