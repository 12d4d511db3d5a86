//! Litmus tests: small programs with a claim about their outcomes, in the syntax that Dartagnan reads.

mod claims;
pub mod comments;
mod executions;
mod graph;
pub mod lexer;
mod lower;
pub(crate) mod modifiers;
mod module;
mod parse;
mod picture;
mod repair;
pub mod report;
pub mod result;
mod statement;
mod termination;
mod termination_report;
mod test;

pub use crate::graph::PictureFormat;
pub use claims::{ClaimDiagnostic, claim_diagnostics};
pub use comments::is_marked;
pub use executions::{Executions, ShownExecution, executions, executions_at};
pub use graph::graph;
pub use memory_model::{Bits, Budget, ClaimVerdict};
pub use module::tests;
pub use parse::parse;
pub use picture::pictures;
pub use report::text;
pub use result::{LitmusResult, WantedExecutions, answer};
pub use termination::{FAIRNESS, TestTermination};
pub use termination_report::WaitingInstruction;
pub use test::{Claim, Expected, LitmusError, Test};
