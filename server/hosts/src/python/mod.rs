//! Calls in Python whose strings are inline assembly: Triton's `inline_asm_elementwise`, `llvm.inline_asm` of MLIR's dialect, and
//! `ir.InlineAsm` of llvmlite.
//!
//! tree-sitter reads Python. What a string expression contains is determined from the text alone: what is not certain is a placeholder.

mod call_arguments;
mod calls;
mod comments;
pub(crate) mod literal;
mod names;
mod scopes;
mod strings;
#[cfg(test)]
mod tests;
mod tree;

pub use calls::scan;
pub use comments::{comments, is_code};
