//! The linter: the rules, the data flow analysis that some of them use, and the incremental checker.

mod analysis;
mod check;
mod checker;
mod comparison;
mod coverage;
mod driver;
mod flag_facts;
pub mod inline_asm;
pub mod litmus;
mod lowering;
mod ordering;
mod ptx;
mod rules;
pub mod sass;
mod spellings;
mod summary;
mod undeclared_name;

pub use crate::check::Check;
pub use crate::checker::Checker;
pub use crate::coverage::Coverage;
