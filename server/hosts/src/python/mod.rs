//! Calls in Python whose strings are inline assembly: Triton's `inline_asm_elementwise`, `llvm.inline_asm` of MLIR's dialect,
//! `ir.InlineAsm` of llvmlite, `inline_ptx` of CuTe DSL, and `asm` of Hidet.
//!
//! tree-sitter reads Python. What a string expression contains is determined from the text alone: what is not certain is a placeholder.

pub(crate) mod attribute_chains;
mod bounds;
mod call_arguments;
mod calls;
mod comments;
pub(crate) mod cute;
mod embedded;
mod function_uses;
mod hidet;
pub(crate) mod literal;
mod named_calls;
mod names;
mod scopes;
mod store_before;
mod strings;
#[cfg(test)]
mod tests;
mod tree;
mod types;

pub use calls::scan;
pub(crate) use calls::{is_complete, may_have_statements};
pub use comments::{comments, is_code};
