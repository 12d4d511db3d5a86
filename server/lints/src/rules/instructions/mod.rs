//! Rules about an instruction alone that the assembler accepts.

pub(crate) mod assembler_crash;
pub(crate) mod truncated_immediate;
