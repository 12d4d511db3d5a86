//! `asm` statements in C++ and CUDA C++: their ranges and their parts.
//!
//! A token scanner is used instead of a C++ grammar, because a grammar without a preprocessor cannot parse statements with macros and `#if`s,
//! and tokens suffice.

mod asm_functions;
mod comments;
mod compiler_barriers;
mod constant_expression;
mod constants;
mod declaration_tokens;
mod host_code;
mod included;
mod kernels;
mod keyword;
mod lexer;
pub(crate) mod literal;
mod macro_literals;
mod macro_uses;
mod number_types;
pub(crate) mod percent;
mod preprocessor;
mod reachability;
mod scanner;
mod statement_parser;
mod statement_tokens;
#[cfg(test)]
mod template_tests;
#[cfg(test)]
mod tests;
mod variables;

pub use asm_functions::{BranchCondition, CppFunction, FunctionStep, asm_functions};
pub use comments::{comments, is_code};
pub use compiler_barriers::{CompilerBarrier, CompilerBarriers};
pub use host_code::{CppArgument, CppLaunch, LaunchingCode};
pub(crate) use included::append;
pub use included::{MacroSet, MacrosAtInclude, included_file, macros_at_includes};
pub use kernels::{CppKernel, CppParameter, kernels};
pub use number_types::{CppElement, CppParameterType};
pub use preprocessor::Archs;
pub use reachability::Reachability;
pub use scanner::scan;
pub(crate) use scanner::{count_statements, scan_included};
use statement_parser::register;
pub use variables::{CppVariable, variables};
