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
pub use crate::litmus::claims::{ClaimDiagnostic, claim_diagnostics};
pub use crate::litmus::comments::is_marked;
pub use crate::litmus::executions::{Executions, ShownExecution, executions, executions_at};
pub use crate::litmus::graph::graph;
pub use crate::litmus::module::tests;
pub use crate::litmus::parse::parse;
pub use crate::litmus::picture::pictures;
pub use crate::litmus::report::text;
pub use crate::litmus::result::{LitmusResult, WantedExecutions, answer};
pub use crate::litmus::termination::{FAIRNESS, TestTermination};
pub use crate::litmus::termination_report::WaitingInstruction;
pub use crate::litmus::test::{Claim, Expected, LitmusError, Test};
pub use memory_model::{Bits, Budget, ClaimVerdict};
