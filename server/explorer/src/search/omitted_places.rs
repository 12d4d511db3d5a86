//! The instructions that the reasons of an unfinished search are about.

use crate::search::omission::Omission;
use program::analysis::code_places::instruction;
use program::analysis::strong_actions::may_write_strongly;
use program::machine_program::MachineProgram;
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet};

/// The most instructions that are named for a bound on states: those with the most of them.
const MOST_NAMED: usize = 3;

/// What a search leaves out, by the instructions that it is about.
#[derive(Debug, Default)]
pub struct OmittedPlaces {
    /// How many states the steps of each instruction have led to.
    states: BTreeMap<CodePlace, usize>,
    /// Those that may write.
    writes: BTreeSet<CodePlace>,
    /// Where an execution reached the bound on instructions.
    pub instructions: BTreeSet<CodePlace>,
    /// The steps that end rounds in vain of loops that count, and where threads wait for time to pass.
    pub waits: BTreeSet<CodePlace>,
    /// The operations on tensor memory that nothing orders with a change of what is allocated there. One order is explored.
    pub allocations: BTreeSet<CodePlace>,
    /// The waits for products that a warp has passed before its warpgroup. Only one moment of that is explored.
    pub warpgroups: BTreeSet<CodePlace>,
    /// The strong accesses that nothing orders with those of an overlapping kernel. One order is explored.
    pub overlaps: BTreeSet<CodePlace>,
    /// Where threads were when the search was cancelled.
    pub cancelled: BTreeSet<CodePlace>,
}

impl OmittedPlaces {
    /// A step of an instruction has led to a new state.
    pub fn count_state(&mut self, place: CodePlace) {
        *self.states.entry(place).or_default() += 1;
    }

    /// The search is over: which of the instructions may write is known from the program.
    pub fn end(&mut self, program: &MachineProgram) {
        let may_write = |place: &&CodePlace| may_write_strongly(&instruction(program, **place).action);
        self.writes = self.states.keys().filter(may_write).copied().collect();
    }

    /// The instructions that a reason is about. Those of load buffering are the reads of the verification.
    pub fn places(&self, why: Omission) -> BTreeSet<CodePlace> {
        match why {
            Omission::States | Omission::Choices | Omission::Memories | Omission::AfterProblem => {
                self.with_most_states(|_| true)
            }
            Omission::Writes => self.with_most_states(|place| self.writes.contains(place)),
            Omission::Cancelled if self.states.is_empty() => self.cancelled.clone(),
            Omission::Cancelled => self.with_most_states(|_| true),
            Omission::Instructions => self.instructions.clone(),
            Omission::Waits => self.waits.clone(),
            Omission::Allocations => self.allocations.clone(),
            Omission::Warpgroups => self.warpgroups.clone(),
            Omission::Overlap => self.overlaps.clone(),
            Omission::LoadBuffering(_)
            | Omission::NoAccess
            | Omission::WaitRounds
            | Omission::ReadSequences
            | Omission::BufferedExecutions
            | Omission::LaneGroups => BTreeSet::new(),
        }
    }

    /// The instructions of some kind that have led to the most states.
    fn with_most_states(&self, is_of_kind: impl Fn(&CodePlace) -> bool) -> BTreeSet<CodePlace> {
        let mut all: Vec<_> = self.states.iter().filter(|(place, _)| is_of_kind(place)).collect();
        all.sort_by_key(|(_, states)| std::cmp::Reverse(**states));
        all.into_iter().take(MOST_NAMED).map(|(place, _)| *place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instructions_with_the_most_states_are_named() {
        let place = |instruction| CodePlace { function: 0, instruction };
        let mut omitted = OmittedPlaces::default();
        for (instruction, states) in [(1, 3), (2, 1), (3, 9), (4, 5), (5, 4)] {
            (0..states).for_each(|_| omitted.count_state(place(instruction)));
        }
        assert_eq!(omitted.places(Omission::States), [3, 4, 5].map(place).into());
        omitted.writes = [1, 2].map(place).into();
        assert_eq!(omitted.places(Omission::Writes), [1, 2].map(place).into());
        assert!(omitted.places(Omission::Waits).is_empty());
    }
}
