//! `asm` statements in C++ and CUDA C++: their ranges, their parts, and their PTX.
//!
//! A token scanner is used instead of a C++ grammar, because a grammar without a preprocessor cannot parse statements with macros and `#if`s,
//! and tokens suffice. Only [`AsmFragment`] uses the tables of instructions.

mod comments;
mod compiler_barriers;
mod fragment;
mod host;
mod keyword;
mod lexer;
mod macro_literals;
mod preprocessor;
mod ptx_detection;
mod reachability;
mod scanner;
mod statement;
mod statement_parser;
mod statement_tokens;
mod template;
#[cfg(test)]
mod tests;

pub use comments::{HostComment, comments, is_code};
pub use compiler_barriers::{CompilerBarrier, CompilerBarriers};
pub use fragment::{AsmFragment, FragmentInstruction};
pub use host::{HostText, ScannedHost};
pub use preprocessor::Archs;
pub use reachability::Reachability;
pub use scanner::scan;
pub use statement::{ArchGuard, AsmOperand, AsmStatement, Branches, Clobber, LiteralSource, PartLiteral, TemplatePart};
pub use template::{MissingPart, PercentError, Template};
