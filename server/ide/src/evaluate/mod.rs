//! Evaluates one instruction on given values.
//!
//! The tables resolve the instruction, and the emulator computes its result.

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

/// Evaluates an instruction.
pub fn evaluate(request: &Request) -> Result<Evaluation, EvaluationError> {
    if sass::is_sass(request.instruction) {
        return sass::evaluate(request);
    }
    let (run, guard) = read(request)?;
    Ok(match guard {
        GuardOutcome::Taken => run.evaluate(),
        GuardOutcome::Assumed(note) => {
            let mut evaluation = run.evaluate();
            evaluation.notes.insert(0, note);
            evaluation
        }
        GuardOutcome::Off(why) => Evaluation { memory: run.memory, destination: None, notes: vec![why], fault: None },
    })
}

/// The steps of an evaluation, as messages without full stops.
pub fn explain(request: &Request) -> Result<Vec<String>, EvaluationError> {
    if sass::is_sass(request.instruction) {
        return sass::explain(request);
    }
    let (run, guard) = read(request)?;
    Ok(match guard {
        GuardOutcome::Taken => run.steps(),
        GuardOutcome::Assumed(note) => std::iter::once(note).chain(run.steps()).collect(),
        GuardOutcome::Off(why) => vec![format!("{why}: memory is unchanged")],
    })
}
