//! What one instruction computes on given values.
//!
//! Joins the tables, which say what the instruction is, with the emulator, which says what it does.

mod ptx;
mod request;
mod run;
mod written;

use crate::{Settings, sass};
use emulator::Computation;
pub(crate) use ptx::prepared;
use ptx::read;
pub use request::{Evaluation, Fault, Pixel, Refusal, Request};
pub(crate) use run::Run;
pub(crate) use written::Fixed;
use written::Part;

/// Computes what an instruction does.
pub fn evaluate(request: &Request) -> Result<Evaluation, Refusal> {
    if sass::run::is_sass(request.instruction) {
        return sass::run::evaluate(request);
    }
    let (run, part) = read(request)?;
    Ok(match part {
        Part::Taken => run.evaluate(),
        Part::Assumed(note) => {
            let mut evaluation = run.evaluate();
            evaluation.notes.insert(0, note);
            evaluation
        }
        Part::Off(why) => Evaluation { memory: run.memory, destination: None, notes: vec![why], fault: None },
    })
}

/// Tells what an instruction does step by step, a sentence each without a full stop.
pub fn explain(request: &Request) -> Result<Vec<String>, Refusal> {
    if sass::run::is_sass(request.instruction) {
        return sass::run::explain(request);
    }
    let (run, part) = read(request)?;
    Ok(match part {
        Part::Taken => run.steps(),
        Part::Assumed(note) => std::iter::once(note).chain(run.steps()).collect(),
        Part::Off(why) => vec![format!("{why}: memory stays as it was")],
    })
}

/// The instructions that can be evaluated, PTX first: those that the emulator has a rule for.
pub fn evaluated() -> Vec<&'static str> {
    let ptx = isa::families().iter().map(|family| family.name).filter(|name| Computation::covers(name));
    ptx.chain(sass::run::evaluated()).collect()
}

impl Settings {
    /// Settings that an evaluation can hold to: the version that a toolkit knows, and targets that the version knows.
    ///
    /// # Errors
    /// A sentence for people where they contradict each other.
    pub fn for_evaluation(mut self) -> Result<Self, String> {
        let newest = self.toolkit.as_deref().and_then(isa::target::Version::of_toolkit);
        if let (Some(version), Some(newest)) = (self.version, newest)
            && newest < version
        {
            return Err(format!("--ptx-version is {version}, but --toolkit knows PTX up to {newest}"));
        }
        self.version = self.version.or(newest);
        let unknown = |version| self.target.iter().chain(&self.also).find(|target| !target.known_by(version));
        match self.version.and_then(|version| Some((version, unknown(version)?))) {
            Some((version, target)) => {
                Err(format!("{} needs PTX {}, but the version asked for is {version}", target.name(), target.since()))
            }
            None => Ok(self),
        }
    }
}
