//! Evaluation of text: litmus tests and their graphs, PTX lowered to programs of the memory model, and evaluation comments.

pub mod comments;
pub mod launches;
mod request;
mod run;

pub use crate::request::{Evaluation, EvaluationError, Fault, Pixel, Request};
pub use crate::run::AtomicRun;
