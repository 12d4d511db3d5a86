//! Which instructions of a program some execution of a search has executed.

use program::machine_program::MachineProgram;
use program::problem::CodePlace;
use std::sync::atomic::{AtomicBool, Ordering};

/// Those that a thread has executed. Only whether one was is asked, so that the order of the notes does not matter.
#[derive(Debug)]
pub struct ExecutedInstructions(Vec<Vec<AtomicBool>>);

impl ExecutedInstructions {
    /// None of a program yet.
    pub fn none_of(program: &MachineProgram) -> Self {
        let none = |length: usize| (0..length).map(|_| AtomicBool::new(false)).collect();
        Self(program.functions.iter().map(|function| none(function.code.len())).collect())
    }

    /// A thread has executed one.
    pub fn note(&self, function: u32, instruction: u32) {
        if let Some(known) = self.0.get(function as usize).and_then(|function| function.get(instruction as usize)) {
            known.store(true, Ordering::Relaxed);
        }
    }

    /// Those that were executed.
    pub fn places(&self) -> impl Iterator<Item = CodePlace> {
        self.0.iter().enumerate().flat_map(|(function, code)| {
            let executed = code.iter().enumerate().filter(|(_, known)| known.load(Ordering::Relaxed));
            executed.map(move |(at, _)| CodePlace { function: function as u32, instruction: at as u32 })
        })
    }
}
