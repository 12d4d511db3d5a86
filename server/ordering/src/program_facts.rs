//! What the accesses of a program have in common, whatever is executed.

use crate::load_buffering::waits_between_warps;
use crate::messages::history;
use crate::{order, proxies};
use program::machine_program::MachineProgram;

/// Facts about the instructions of a program.
#[derive(Clone, Debug)]
pub struct ProgramFacts {
    /// The number of the first instruction of each function, counted through all functions.
    pub first_instructions: Vec<u32>,
    /// Whether some reads acquire and others do not: two of one location may be an acquire pattern.
    pub acquires_later: bool,
    /// See [`waits_between_warps::waits_between_warps`].
    pub waits_between_warps: bool,
    /// Which instructions are volatile accesses, counted through all functions; known if histories are kept.
    pub volatile: Vec<bool>,
    /// Which instructions are stores to surfaces, counted through all functions; empty if there are none.
    pub surface_stores: Vec<bool>,
}

impl ProgramFacts {
    /// Those of a program, without what only histories need.
    pub fn of(program: &MachineProgram) -> Self {
        let mut first = 0;
        let first_instructions = program.functions.iter().map(|function| {
            let own = first;
            first += function.code.len() as u32;
            own
        });
        Self {
            first_instructions: first_instructions.collect(),
            acquires_later: order::acquires_later(program),
            waits_between_warps: waits_between_warps::waits_between_warps(program),
            volatile: Vec::new(),
            surface_stores: proxies::surface_stores(program),
        }
    }

    /// Finds what histories need, too.
    pub fn add_volatile(&mut self, program: &MachineProgram) {
        self.volatile = program.instructions().map(|instruction| history::is_volatile(&instruction.action)).collect();
    }
}
