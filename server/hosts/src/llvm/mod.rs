//! LLVM's inline assembly: `$0` in a template, and operands as a list of constraints. Which language holds the two strings does not matter.
//!
//! Measured with LLVM 22: braces are not special, but `$(a$|b$)` has alternatives, of which NVPTX takes the first.

mod constraints;
mod dollar;

pub(crate) use constraints::{LlvmConstraints, constraints};
pub(crate) use dollar::substitute;
