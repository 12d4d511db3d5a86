//! The linter: the rules, the data flow that some of them ask, and the checker that keeps what an edit leaves true.

mod check;
mod checker;
mod coverage;
pub mod cpp;
mod flow;
mod interest;
pub mod litmus;
mod lowering;
mod ptx;
mod rules;
pub mod sass;
mod summary;

pub use check::Check;
pub use checker::Checker;
pub use coverage::Coverage;
