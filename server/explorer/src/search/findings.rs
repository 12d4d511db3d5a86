//! What the states of a search show: problems, claims that do not hold, and notes.

use crate::choices::waits::is_meant_by_limit;
use crate::result::FoundProblem;
use crate::search::omission::Omission;
use crate::search::replay::Repeated;
use crate::search::state_graph::StateOrigin;
use crate::search::state_search::StateSearch;
use crate::search::unconfirmed::Finding;
use machine::state::Machine;
use ordering::step_log;
use program::problem::{Problem, ProblemKind};
use program::waiting::mbarrier_instruction::MbarrierMistake;

impl StateSearch<'_, '_> {
    /// Reports the problems of a state. Returns whether its successors are worth a visit.
    pub fn report(&mut self, machine: &mut Machine, origin: Option<&StateOrigin>) -> bool {
        self.found.unsupported = self.found.unsupported.take().or(machine.unsupported.take());
        let mut goes_on = !machine.stopped;
        for note in std::mem::take(&mut machine.notes).into_list() {
            self.add_note(note, origin);
        }
        for problem in std::mem::take(&mut machine.problems).into_list() {
            match problem.kind {
                ProblemKind::InstructionLimit { .. } => {
                    self.found.omissions.insert(Omission::Instructions);
                    self.found.omitted.instructions.insert(problem.place);
                    continue;
                }
                ProblemKind::DataRace { .. }
                | ProblemKind::Deadlock { .. }
                | ProblemKind::Livelock { .. }
                | ProblemKind::Mbarrier { mistake: MbarrierMistake::NotInitialized, .. } => {
                    goes_on = false;
                }
                _ => {}
            }
            if machine.has_timed_out() && is_meant_by_limit(&problem.kind) {
                continue;
            }
            self.add(Some(problem), None, origin);
        }
        goes_on
    }

    /// Notes of what a machine has come to only one order is explored, and what it has to be explored with.
    pub fn note_left_out(&mut self, machine: &mut Machine) {
        let mut left_out = step_log::drain_left_out(&mut machine.races);
        self.shared.follow(left_out.locations);
        self.found.omitted.allocations.append(&mut left_out.unordered_allocations);
        if machine.explored.leaves_out_lanes {
            self.found.omissions.insert(Omission::LaneGroups);
        }
        self.found.omitted.warpgroups.extend(&machine.explored.parted_warpgroups);
    }

    /// Adds a problem, or a claim that does not hold, if an execution shows it.
    pub fn add(&mut self, problem: Option<Problem>, claim: Option<String>, origin: Option<&StateOrigin>) {
        let of_problem = |one: &Problem| Some((one.place, one.kind.code()));
        let key = |problem: &Option<Problem>| problem.as_ref().and_then(of_problem);
        let claims = self.claims;
        let is_known = |known: &FoundProblem| key(&known.problem) == key(&problem) && known.claim == claim;
        if !self.found.problems.iter().any(is_known) {
            let is_there = |machine: &Machine| match &problem {
                // Found by what can follow, which is the same with any order of the fences before.
                Some(Problem { kind: ProblemKind::Livelock { .. }, .. }) => true,
                Some(_) => machine.problems.list().iter().any(|shown| of_problem(shown) == key(&problem)),
                None => machine.has_ended() && claim.iter().all(|claim| (claims)(&machine.memory).contains(claim)),
            };
            let thread = problem.as_ref().map(|problem| problem.thread);
            let finding = match (&problem, &claim) {
                (Some(problem), _) => Finding::Problem(problem.place, problem.kind.code()),
                (None, claim) => Finding::Claim(claim.clone().unwrap_or_default()),
            };
            if self.unconfirmed.is_given_up(&finding) {
                return;
            }
            let Some(Repeated { steps, execution, .. }) = self.repeat(origin, thread, &is_there) else {
                self.unconfirmed.add(finding);
                return;
            };
            self.unconfirmed.remove(&finding);
            self.limits.note_problem(self.graph.len());
            self.found.problems.push(FoundProblem { problem, claim, steps, execution });
        }
    }

    /// Adds volatile accesses that nothing orders. The same two instructions are named once, whichever of them is executed first.
    fn add_note(&mut self, note: Problem, origin: Option<&StateOrigin>) {
        let pair = |note: &Problem| {
            let mut places: Vec<_> = note.related.iter().map(|(_, place)| *place).chain([note.place]).collect();
            places.sort_unstable();
            places
        };
        let is_known = |known: &FoundProblem| known.problem.as_ref().is_some_and(|known| pair(known) == pair(&note));
        let finding = Finding::Note(pair(&note));
        if self.found.notes.iter().any(is_known) || self.unconfirmed_notes.is_given_up(&finding) {
            return;
        }
        let is_there = |machine: &Machine| machine.notes.list().iter().any(|shown| pair(shown) == pair(&note));
        match self.repeat(origin, Some(note.thread), &is_there) {
            Some(Repeated { steps, execution, .. }) => {
                self.found.notes.push(FoundProblem { problem: Some(note), claim: None, steps, execution });
            }
            None => self.unconfirmed_notes.add(finding),
        }
    }
}
