//! `asm` statements in C++ and CUDA C++: where they are, what they consist of, and the PTX that they stand for.
//!
//! A scanner of our own and no tree of C++: a grammar without a preprocessor gets lost in what macros and `#if`s make of statements,
//! and what is asked here takes no more than lexemes. Only [`AsmFragment`] knows which instructions exist.

mod comments;
mod embedded;
mod evidence;
mod follower;
mod host;
mod keyword;
mod lexer;
mod paste;
mod preprocessor;
mod reach;
mod reader;
mod scanner;
mod statement;
mod surroundings;
mod template;
#[cfg(test)]
mod tests;

pub use comments::{HostComment, comments};
pub use embedded::{AsmFragment, FragmentInstruction};
pub use host::{HostText, Scanned};
pub use preprocessor::Archs;
pub use reach::Reachability;
pub use scanner::scan;
pub use statement::{ArchGuard, AsmOperand, AsmStatement, Branches, Clobber, PartLiteral, TemplatePart, Via};
pub use surroundings::{Barrier, Surroundings};
pub use template::{PercentError, Silence, Template};
