//! The linter: the rules, the data flow analysis that some of them use, and the incremental checker.

pub mod check;
mod checker;
mod coverage;
mod driver;
pub mod inline_asm;
pub mod litmus;
mod ptx;
pub mod rules;
pub mod sass;

pub use crate::check::Check;
pub use crate::checker::Checker;
pub use crate::coverage::Coverage;
