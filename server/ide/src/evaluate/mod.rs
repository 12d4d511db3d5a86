//! What one instruction computes on given values.
//!
//! Joins the tables, which say what the instruction is, with the emulator, which says what it does.

mod computed;
mod covered;
mod ptx;
pub(crate) mod sass;
mod sass_values;
mod source_operands;

pub use covered::{evaluated, evaluated_list};
use evaluation::{Evaluation, EvaluationError, Request};
pub(crate) use ptx::prepared;
use ptx::read;

pub(crate) use source_operands::ConstantBits;
use source_operands::GuardOutcome;

/// Computes what an instruction does.
pub fn evaluate(request: &Request) -> Result<Evaluation, EvaluationError> {
    if sass::is_sass(request.instruction) {
        return sass::evaluate(request);
    }
    let (run, part) = read(request)?;
    Ok(match part {
        GuardOutcome::Taken => run.evaluate(),
        GuardOutcome::Assumed(note) => {
            let mut evaluation = run.evaluate();
            evaluation.notes.insert(0, note);
            evaluation
        }
        GuardOutcome::Off(why) => Evaluation { memory: run.memory, destination: None, notes: vec![why], fault: None },
    })
}

/// Tells what an instruction does step by step, a sentence each without a full stop.
pub fn explain(request: &Request) -> Result<Vec<String>, EvaluationError> {
    if sass::is_sass(request.instruction) {
        return sass::explain(request);
    }
    let (run, part) = read(request)?;
    Ok(match part {
        GuardOutcome::Taken => run.steps(),
        GuardOutcome::Assumed(note) => std::iter::once(note).chain(run.steps()).collect(),
        GuardOutcome::Off(why) => vec![format!("{why}: memory is unchanged")],
    })
}
