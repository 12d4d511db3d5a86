//! The ends of executions, and what is claimed of them.

use crate::choices::message_choices::Recency;
use crate::equivalence::fingerprint;
use crate::search::replay::RepeatedStep;
use crate::search::state_graph::StateOrigin;
use crate::search::state_search::StateSearch;
use crate::search::unconfirmed::Finding;
use machine::state::Machine;
use ordering::{SequentialFenceOrder, ThreadPermutation};

impl StateSearch<'_, '_> {
    /// An execution has ended.
    pub fn end(&mut self, machine: &Machine, origin: Option<&StateOrigin>, state: u32) {
        let is_claimed = !machine.has_timed_out();
        // Whoever makes claims may remember the memory, so that it has to be possible.
        if is_claimed && !self.is_possible_end(machine, origin) {
            self.unconfirmed.add(Finding::End(state));
            return;
        }
        self.unconfirmed.remove(&Finding::End(state));
        self.found.final_states += usize::from(is_claimed);
        if is_claimed && self.first_end.is_none() {
            self.first_end = origin.cloned();
        }
        let unknown = machine.unknown.of_global().map(|place| machine.result_at(place));
        let claims = if is_claimed && unknown.is_none() { (self.claims)(&machine.memory) } else { Vec::new() };
        self.found.unknown_result = self.found.unknown_result.take().or(unknown);
        for claim in claims {
            self.add(None, Some(claim), origin);
        }
    }

    /// Whether an order of all `fence.sc` allows an execution that has ended. That of the steps does if each of them reads the last messages.
    fn is_possible_end(&self, end: &Machine, origin: Option<&StateOrigin>) -> bool {
        let memory = |machine: &Machine| fingerprint::fingerprint(machine, self.live, &ThreadPermutation::NONE);
        let is_end = |machine: &Machine| machine.has_ended() && memory(machine) == memory(end);
        let is_latest = |step: &RepeatedStep| step.transition.recency() == Recency::Latest;
        self.fences != SequentialFenceOrder::Implied
            || self.graph.way(origin).into_iter().all(is_latest)
            || self.repeat(origin, None, &is_end).is_some()
    }
}
