//! The linter: the rules, the data flow analysis that some of them use, and the incremental checker.

mod check;
mod checker;
mod comparison;
mod coverage;
mod dataflow;
mod flag_facts;
mod flow;
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

pub use check::Check;
pub use checker::Checker;
pub use coverage::Coverage;
