//! `asm` statements in C++ and CUDA C++: where they are, what they consist of, and the PTX that they stand for.
//!
//! A scanner of our own and no tree of C++: a grammar without a preprocessor gets lost in what macros and `#if`s make of statements,
//! and what is asked here takes no more than tokens. Only [`AsmFragment`] knows which instructions exist.

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

pub use comments::{HostComment, comments};
pub use compiler_barriers::{CompilerBarrier, CompilerBarriers};
pub use fragment::{AsmFragment, FragmentInstruction};
pub use host::{HostText, ScannedHost};
pub use preprocessor::Archs;
pub use reachability::Reachability;
pub use scanner::scan;
pub use statement::{ArchGuard, AsmOperand, AsmStatement, Branches, Clobber, LiteralSource, PartLiteral, TemplatePart};
pub use template::{MissingPart, PercentError, Template};
