//! Litmus tests: small programs with a claim about their outcomes, in the syntax that Dartagnan reads.
//!
//! Must not know files or protocols.

mod comments;
mod decide;
mod executions;
pub mod lexer;
mod lower;
mod module;
mod parse;
mod picture;
mod repair;
pub mod result;
mod statement;
pub mod tell;
mod test;
mod words;

pub use comments::is_marked;
pub use decide::{Decision, decisions};
pub use executions::{Executions, ShownExecution, executions, executions_at};
pub use memory_model::{Budget, Judgement};
pub use module::tests;
pub use parse::parse;
pub use picture::{PictureFormat, pictures};
pub use result::{LitmusAnswer, WantedExecutions, answer};
pub use statement::Expected;
pub use tell::text;
pub use test::{Claim, LitmusError, Test};
