//! What is left to choose once every read is decided: the pairing of barriers, the order of the fences and that of the writes.

use crate::model::coherence::{CoherenceProblem, Scratch};
use crate::relations::barrier::{BarrierPairing, pairings};
use crate::relations::execution::{Choices, Execution};
use crate::relations::relation::Relation;
use crate::search::branch::Branch;
use crate::search::explore::Explorer;

/// The pairings of the barriers that depend on values; one without pairs if none does.
pub fn open_pairings(branch: &Branch) -> Vec<BarrierPairing> {
    let run = &branch.candidate.run;
    let depends_on_values = !run.barriers.is_empty() && pairings(run, &run.constants()).is_none();
    let known = if depends_on_values { pairings(run, &branch.partial.values) } else { None };
    known.unwrap_or_else(|| vec![BarrierPairing::new()])
}

/// What a search does with executions whose barriers are paired and whose fences are ordered.
pub trait OrderVisitor<'a> {
    /// Whether an execution with more order than this can still matter.
    fn may_matter(&self, branch: &Branch<'_, 'a>) -> bool;

    /// All fences are ordered.
    fn visit(&self, explorer: &mut Explorer<'_, 'a>, branch: &Branch<'_, 'a>, pairing: &BarrierPairing);
}

impl<'a> Explorer<'_, 'a> {
    /// Whether the execution that it looks for is found.
    pub const fn has_found(&self) -> bool {
        self.endless.is_some() || self.race.is_some()
    }

    /// Counts a step; returns whether the search ends here.
    pub fn limit_reached(&mut self) -> bool {
        self.steps += 1;
        if self.steps.is_multiple_of(64) && (self.cancelled)() {
            self.budget.steps = 0;
        }
        if self.steps > self.budget.steps || self.found.rows.count() > self.budget.outcomes {
            self.complete = false;
            return true;
        }
        false
    }

    /// Pairs the barriers and orders the morally strong fences in each way, until the search has found something. Restores causality afterwards.
    pub fn each_order(&mut self, branch: &mut Branch<'_, 'a>, visitor: &impl OrderVisitor<'a>) {
        for pairing in open_pairings(branch) {
            let saved = branch.partial.base_causality_order.clone();
            branch.partial.base_causality_order.extend_transitive(&pairing);
            branch.partial.force_fence_sc(branch.candidate, None);
            self.each_fence_order(branch, &pairing, visitor);
            branch.partial.base_causality_order = saved;
        }
    }

    fn each_fence_order(
        &mut self,
        branch: &mut Branch<'_, 'a>,
        pairing: &BarrierPairing,
        visitor: &impl OrderVisitor<'a>,
    ) {
        if self.has_found() || branch.has_fence_cycle() || !visitor.may_matter(branch) || self.limit_reached() {
            return;
        }
        let candidate = branch.candidate;
        let base = &branch.partial.base_causality_order;
        let Some(&(a, b)) = candidate.sc_pairs.iter().find(|(a, b)| !base.relates(*a, *b)) else {
            return visitor.visit(self, branch, pairing);
        };
        for (a, b) in [(a, b), (b, a)] {
            let saved = branch.partial.base_causality_order.clone();
            branch.partial.base_causality_order.insert_transitive(a, b);
            branch.partial.force_fence_sc(candidate, None);
            self.each_fence_order(branch, pairing, visitor);
            branch.partial.base_causality_order = saved;
        }
    }
}

/// The execution of a branch whose barriers are paired and whose fences are ordered, with the first coherence order of each location that is
/// accepted; `None` if a location has none, or if a read violates causality.
pub fn complete_execution(
    Branch { candidate, partial, .. }: &Branch,
    pairing: &BarrierPairing,
    accepts: impl Fn(usize, &Relation) -> bool,
) -> Option<Execution> {
    if partial.reads_later_operation(candidate) {
        return None;
    }
    let mut scratch = Scratch::default();
    let mut coherence = Relation::empty(candidate.run.events.len());
    for location in candidate.locations.iter().copied() {
        let mut found = None;
        CoherenceProblem::new(candidate, partial, location).solve(&mut scratch, &mut |order| {
            let is_accepted = accepts(location, order);
            if is_accepted {
                found = Some(order.clone());
            }
            is_accepted
        });
        coherence = coherence.union(&found?);
    }
    let barriers = [&candidate.barriers[..], pairing].concat();
    let forward = |&(a, b): &(usize, usize)| {
        if partial.base_causality_order.contains(a, b) { (a, b) } else { (b, a) }
    };
    let fence_sc: Vec<(usize, usize)> = candidate.sc_pairs.iter().map(forward).collect();
    let choices = Choices { barriers: &barriers, fence_sc: &fence_sc, coherence: &coherence };
    Some(Execution::new(candidate, partial, &choices))
}
