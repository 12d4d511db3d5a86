//! A branch of the search: a candidate execution with a partial execution.

use crate::model::coherence::CoherenceProblem;
use crate::model::memo::Memo;
use crate::relations::candidate_execution::CandidateExecution;
use crate::relations::event_set::EventSet;
use crate::relations::partial_execution::PartialExecution;
use std::sync::Arc;

/// A candidate execution, the reads that are decided so far, and cached answers about the coherence of its locations.
pub struct Branch<'c, 'a> {
    pub candidate: &'c Arc<CandidateExecution<'a>>,
    pub partial: PartialExecution,
    memo: Memo,
}

impl<'c, 'a> Branch<'c, 'a> {
    pub fn new(candidate: &'c Arc<CandidateExecution<'a>>, partial: PartialExecution) -> Self {
        Branch { candidate, partial, memo: Memo::default() }
    }

    /// Whether no axiom is violated so far.
    pub fn is_consistent(&mut self) -> bool {
        let candidate = self.candidate;
        candidate.locations.iter().all(|location| self.is_consistent_at(*location))
    }

    /// Whether no axiom is violated so far at a location.
    pub fn is_consistent_at(&mut self, location: usize) -> bool {
        !self.memo.contradicts(&CoherenceProblem::new(self.candidate, &self.partial, location))
    }

    /// Whether the writes of a location have a coherence order.
    pub fn is_coherent_at(&mut self, location: usize) -> bool {
        self.memo.possible(&CoherenceProblem::new(self.candidate, &self.partial, location))
    }

    /// The writes of a location that can be the last; none if they have no coherence order.
    pub fn last_writes(&mut self, location: usize) -> EventSet {
        self.memo.last_writes(&CoherenceProblem::new(self.candidate, &self.partial, location))
    }

    /// Whether fence-SC order would have a cycle.
    pub fn has_fence_cycle(&self) -> bool {
        self.candidate.sc_pairs.iter().any(|(a, b)| self.partial.is_cyclic(*a, *b))
    }

    /// The writes that a read may read, by program order of its thread and by atomicity.
    pub fn readable(&self, read: usize) -> EventSet {
        let (candidate, partial) = (self.candidate, &self.partial);
        let writes = (candidate.same_memory(read) & candidate.writes) - self.read_by_other_atomics(read);
        let later = candidate.program_order.successors(read) & candidate.morally_strong.successors(read);
        let postponed = partial.postponed[read];
        let was_there = |write: usize| postponed > 0 && candidate.run.events[write].located <= postponed;
        (writes - later).filter(|write| !was_there(write) && !partial.depends(candidate, write, read))
    }

    /// The writes that an atomic cannot read because another atomic reads them: the write of one would come between the halves of the other.
    fn read_by_other_atomics(&self, read: usize) -> EventSet {
        let candidate = self.candidate;
        let events = &candidate.run.events;
        let Some(own) = events[read].partner else { return EventSet::EMPTY };
        let strong = |a: usize, b: usize| candidate.atomic.contains(a, b);
        let mut taken = EventSet::EMPTY;
        for other in (candidate.same_memory(read) & candidate.reads).without(read) {
            let (Some(write), Some(theirs)) = (self.partial.reads_from.write_of(other), events[other].partner) else {
                continue;
            };
            let ordered =
                events[write].thread.is_none() || [read, own, other, theirs].iter().all(|at| strong(write, *at));
            if ordered && strong(read, theirs) && strong(own, theirs) && strong(other, own) {
                taken.insert(write);
            }
        }
        taken
    }
}
