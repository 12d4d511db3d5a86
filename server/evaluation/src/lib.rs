//! What is computed from text: litmus tests and their pictures, PTX lowered to the programs of the machine and of the memory model, comments that
//! evaluate.

pub mod comments;
pub mod litmus;
mod request;
mod run;

pub use request::{Evaluation, EvaluationError, Fault, Pixel, Request};
pub use run::AtomicRun;
