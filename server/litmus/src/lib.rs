//! Litmus tests: small programs with a claim about their outcomes, in the syntax that Dartagnan reads.

mod claims;
pub mod comments;
pub mod executions;
pub mod graph;
pub mod keyword;
pub mod lexer;
mod lower;
mod module;
pub mod parse;
mod picture;
mod repair;
pub mod report;
pub mod result;
mod statement;
mod termination;
mod termination_report;
mod test;

pub use crate::claims::{ClaimDiagnostic, claim_diagnostics};
pub use crate::comments::is_marked;
pub use crate::executions::{ExecutionVerdict, Executions, ShownExecution, executions, executions_at};
pub use crate::graph::graph;
pub use crate::module::tests;
pub use crate::parse::parse;
pub use crate::picture::pictures;
pub use crate::report::text;
pub use crate::result::{LitmusResult, WantedExecutions, answer};
pub use crate::termination::{FAIRNESS, TestTermination};
pub use crate::termination_report::WaitingInstruction;
pub use crate::test::{Claim, Expected, LitmusError, Test};
pub use kernel::graph::PictureFormat;
pub use memory_model::{Bits, Budget, ClaimVerdict};
