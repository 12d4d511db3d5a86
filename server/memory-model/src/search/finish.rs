//! The end of a search branch. Every read is decided; barriers that depend on values, fence-SC order and the last writes remain.

use crate::Bits;
use crate::code::program::Observable;
use crate::relations::barrier::BarrierPairing;
use crate::relations::complete_execution::open_pairings;
use crate::relations::event_set::EventSet;
use crate::search::branch::Branch;
use crate::search::explore::Explorer;
use crate::search::outcomes::OutcomeSet;
use std::sync::Arc;

/// The observed locations, each with the writes that can be last.
type LastWrites = Vec<(usize, EventSet)>;

/// The most combinations of last writes that are checked for a new outcome.
const MAX_COMBINATIONS: usize = 64;

impl<'a> Explorer<'_, 'a> {
    /// Keeps every outcome of the decided reads. Restores causality afterwards.
    pub fn finish(&mut self, branch: &mut Branch<'_, 'a>) {
        let candidate = branch.candidate;
        for pairing in open_pairings(branch) {
            let pairing = Arc::new(pairing);
            if pairing.is_empty() && candidate.sc_pairs.is_empty() {
                self.keep(branch, &pairing);
                continue;
            }
            if pairing.is_empty() {
                self.order_fences(branch, &pairing);
                continue;
            }
            let saved = branch.partial.base_causality_order.clone();
            branch.partial.base_causality_order.extend_transitive(&pairing);
            branch.partial.force_fence_sc(candidate, None);
            self.order_fences(branch, &pairing);
            branch.partial.base_causality_order = saved;
        }
    }

    /// Keeps the outcomes of all consistent fence-SC orders.
    fn order_fences(&mut self, branch: &mut Branch<'_, 'a>, pairing: &Arc<BarrierPairing>) {
        let Some(last) = self.last_writes(branch) else { return };
        // A stronger fence-SC order allows fewer outcomes, so no outcome but these is possible.
        let mut missing = 0;
        self.each_outcome(branch, &last, |found, outcome| {
            missing += usize::from(!found.rows.contains(outcome));
            true
        });
        if missing == 0 || branch.has_fence_cycle() {
            return;
        }
        // Usually one consistent order of the fences yields all outcomes. Otherwise all orders are tried.
        let saved = branch.partial.base_causality_order.clone();
        branch.partial.order_fence_sc(branch.candidate);
        missing -= self.keep(branch, pairing);
        branch.partial.base_causality_order = saved;
        self.try_fence_orders(branch, pairing, &mut missing);
    }

    /// Whether these decisions cannot add an outcome: the observables are known whatever the other reads read, and all are found already.
    pub fn adds_no_outcome(&mut self, branch: &mut Branch<'_, 'a>) -> bool {
        let (candidate, partial) = (branch.candidate, &branch.partial);
        let known = |observable: &Observable| match observable {
            Observable::Register(thread, register) => partial.register(candidate, *thread, *register).is_some(),
            Observable::Location(at) => {
                let accesses = candidate.accesses[candidate.run.program.physical(*at)];
                (accesses & candidate.writes).into_iter().all(|write| partial.value(candidate, write).is_some())
            }
        };
        if candidate.incomplete || self.found.rows.count() == 0 || !self.observed.iter().all(known) {
            return false;
        }
        // The fewer reads are decided, the more writes can be last.
        let Some(last) = self.last_writes(branch) else { return true };
        let combinations = last.iter().try_fold(1usize, |all, (_, writes)| all.checked_mul(writes.len()));
        combinations.is_some_and(|combinations| combinations <= MAX_COMBINATIONS)
            && self.each_outcome(branch, &last, |found, outcome| found.rows.contains(outcome))
    }

    /// Keeps the outcomes that the current fence-SC order allows; returns how many are new.
    fn keep(&mut self, branch: &mut Branch<'_, 'a>, pairing: &Arc<BarrierPairing>) -> usize {
        let Some(last) = self.last_writes(branch) else { return 0 };
        let mut new = 0;
        self.each_outcome(branch, &last, |found, outcome| {
            new += usize::from(found.keep(outcome, branch.candidate, &branch.partial, pairing));
            true
        });
        new
    }

    /// Tries every order of the morally strong fences, until no outcome is missing.
    fn try_fence_orders(&mut self, branch: &mut Branch<'_, 'a>, pairing: &Arc<BarrierPairing>, missing: &mut usize) {
        if *missing == 0 || branch.has_fence_cycle() {
            return;
        }
        let candidate = branch.candidate;
        let base = &branch.partial.base_causality_order;
        let Some(&(a, b)) = candidate.sc_pairs.iter().find(|(a, b)| !base.relates(*a, *b)) else {
            *missing -= self.keep(branch, pairing);
            return;
        };
        if self.limit_reached() {
            return;
        }
        for (a, b) in [(a, b), (b, a)] {
            let saved = branch.partial.base_causality_order.clone();
            branch.partial.base_causality_order.insert_transitive(a, b);
            branch.partial.force_fence_sc(candidate, None);
            // If some location has no coherence order any more, stronger fence orders have none either.
            if self.last_writes(branch).is_some() {
                self.try_fence_orders(branch, pairing, missing);
            }
            branch.partial.base_causality_order = saved;
        }
    }

    /// The writes that can be last at each observed location; `None` if some location has no coherence order, or a read violates causality.
    fn last_writes(&self, branch: &mut Branch) -> Option<LastWrites> {
        if branch.partial.reads_later_operation(branch.candidate) {
            return None;
        }
        let mut last = LastWrites::new();
        for location in branch.candidate.locations.iter().copied() {
            if self.observed_locations.contains(&location) {
                let writes = branch.last_writes(location);
                if writes.is_empty() {
                    return None;
                }
                last.push((location, writes));
            } else if !branch.is_coherent_at(location) {
                return None;
            }
        }
        Some(last)
    }

    /// Calls back with the outcome of every combination of last writes, until the callback returns false. Returns whether it never did.
    fn each_outcome(
        &mut self,
        Branch { candidate, partial, .. }: &Branch<'_, 'a>,
        last: &[(usize, EventSet)],
        mut accept: impl FnMut(&mut OutcomeSet<'a>, &[Bits]) -> bool,
    ) -> bool {
        let values = |writes: EventSet| {
            let mut values: Vec<_> = writes.into_iter().filter_map(|at| partial.value(candidate, at)).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let last: Vec<(usize, Vec<Bits>)> =
            last.iter().map(|(location, writes)| (*location, values(*writes))).collect();
        let mut chosen = vec![0usize; last.len()];
        loop {
            let value = |observable: &Observable| match observable {
                Observable::Register(thread, register) => {
                    partial.register(candidate, *thread, *register).unwrap_or_default()
                }
                Observable::Location(at) => {
                    let physical = candidate.run.program.physical(*at);
                    let at = last.iter().position(|(location, _)| *location == physical);
                    at.and_then(|at| last[at].1.get(chosen[at]).copied()).unwrap_or_default()
                }
            };
            self.outcome.clear();
            self.outcome.extend(self.observed.iter().map(value));
            if !accept(&mut self.found, &self.outcome) {
                return false;
            }
            let Some(at) = (0..last.len()).find(|at| chosen[*at] + 1 < last[*at].1.len()) else { return true };
            chosen[at] += 1;
            chosen[..at].fill(0);
        }
    }
}
