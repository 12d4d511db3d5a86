//! What all states together show, after the last one was visited.

use crate::choices::steps;
use crate::choices::steps::never;
use crate::choices::waits;
use crate::choices::waits::has_clock;
use crate::result::{ProvedExample, Verification};
use crate::search::fair_cycle::fair_cycle;
use crate::search::omission::Omission;
use crate::search::replay::RepeatedStep;
use crate::search::state_graph::EndReached;
use crate::search::state_search::StateSearch;
use machine::state::Machine;
use machine::tensor::warpgroup_wait;
use ordering::BufferedLoads;
use program::problem::ProblemKind;
use std::collections::BTreeSet;

impl<'p> StateSearch<'_, 'p> {
    /// What the search has found. `root` is the state that it began with.
    pub fn conclude(mut self, root: Machine<'p>) -> Verification {
        self.leave_out_polled();
        self.found.states = self.graph.len();
        self.found.omitted.end(root.program);
        self.found.merges_permuted = !self.shared.moved.is_empty();
        if self.graph.is_shortened() || has_clock(root.program) {
            self.found.omissions.insert(Omission::WaitRounds);
        }
        if self.lost.iter().any(|(key, lost)| self.shared.may_read(*key, *lost)) {
            self.found.omissions.insert(Omission::ReadSequences);
        }
        // What a search that did not end leaves open is not proved anyway.
        if self.found.unfinished().is_some() && self.found.problems.is_empty() {
            self.found.buffered_loads = BufferedLoads::Unknown;
        } else {
            self.found.buffered_loads = self.reads.may_matter(&root, self.shared, self.cancelled);
            self.check_permuted_threads(&root);
        }
        self.found.buffered_reads = match &self.found.buffered_loads {
            BufferedLoads::None => BTreeSet::new(),
            BufferedLoads::Through(reads) => reads.clone(),
            BufferedLoads::Unknown => self.reads.suspected(),
        };
        let is_whole = self.shared.is_whole();
        // Else some steps are missing, and with them ways to the end.
        if self.found.unfinished().is_none() && self.shared.is_settled() && self.found.problems.is_empty() {
            self.report_livelock(root);
            if self.found.problems.is_empty() {
                match fair_cycle(self.graph.successors(), self.places.changes()) {
                    Ok(found) => self.found.fair_cycle = found,
                    Err(_) => self.shared.doubts_symmetry = true,
                }
            }
        }
        self.found.is_unconfirmed = !self.unconfirmed.is_empty();
        if !self.found.omitted.allocations.is_empty() {
            self.found.omissions.insert(Omission::Allocations);
        }
        if !self.found.omitted.warpgroups.is_empty() {
            self.found.omissions.insert(Omission::Warpgroups);
        }
        if !self.found.omitted.overlaps.is_empty() {
            self.found.omissions.insert(Omission::Overlap);
        }
        let is_example = self.example == ProvedExample::Shown && self.found.problems.is_empty();
        if is_whole && is_example {
            match self.repeat(self.first_end.as_ref(), None, &|_| true) {
                Some(shown) => self.found.example = shown.execution,
                None => self.found.is_unconfirmed = true,
            }
        }
        self.found
    }

    /// What was found about threads is true of those that have changed places with them, too. Where it is not known that this changes nothing,
    /// the search has to do without.
    fn check_permuted_threads(&mut self, root: &Machine) {
        if self.shared.moved.is_empty() {
            return;
        }
        let loses_reads = self.lost.iter().any(|(key, lost)| self.shared.may_read_permuted(*key, *lost));
        let buffered_loads = self.reads.may_matter_permuted(root, self.shared, self.cancelled);
        let found = &mut self.found;
        let is_new = buffered_loads != BufferedLoads::None && found.buffered_loads == BufferedLoads::None;
        self.shared.doubts_symmetry = loses_reads && !found.omits(Omission::ReadSequences) || is_new;
        found.buffered_loads = buffered_loads;
        found.omissions.remove(&Omission::ReadSequences);
        if loses_reads {
            found.omissions.insert(Omission::ReadSequences);
        }
    }

    /// Leaves out the notes about addresses that loops wait for: those accesses are the synchronization.
    fn leave_out_polled(&mut self) {
        let polled = &self.polled;
        self.found.notes.retain(|note| match note.problem.as_ref().map(|note| &note.kind) {
            Some(ProblemKind::UnorderedAccess { address, .. }) => !polled.contains(address),
            _ => true,
        });
    }

    /// Reports threads that run forever under every schedule.
    fn report_livelock(&mut self, mut machine: Machine) {
        let state = match self.graph.end_reached() {
            EndReached::Always => return,
            EndReached::Unknown => {
                self.found.omissions.insert(Omission::Waits);
                return;
            }
            EndReached::NotFrom(state) => state,
        };
        let origin = self.graph.origin(state).cloned();
        steps::settle(&mut machine, self.shared, &never);
        for RepeatedStep { transition, delay, .. } in self.graph.way(origin.as_ref()) {
            steps::settle_deadlocks(&mut machine, self.shared, &never);
            steps::take(&mut machine, transition, self.shared, &never);
            waits::pass_time(&mut machine, transition, *delay);
        }
        if waits::waits_for_time(&machine) {
            self.found.omissions.insert(Omission::Waits);
            self.found.omitted.waits.append(&mut machine.places());
            return;
        }
        // A warp that waits for others to multiply with it may go on without them, so that this may not be the end.
        if warpgroup_wait::has_waiting_warpgroup(&machine) {
            self.found.omissions.insert(Omission::Warpgroups);
            self.found.omitted.warpgroups.append(&mut machine.places());
            return;
        }
        // What they look at in vain is not on the way there: such rounds are left out.
        for transition in steps::transitions(&mut machine, self.shared).all() {
            let mut after = machine.clone();
            steps::take(&mut after, &transition, self.shared, &never);
            waits::note_polled(&mut machine, &after, &transition);
        }
        waits::report_livelock(&mut machine);
        self.report(&mut machine, origin.as_ref());
    }
}
