//! The edges that reads add to base causality order: synchronizes-with, and the fence-SC edges that they force.

use crate::relations::candidate_execution::CandidateExecution;
use crate::relations::event_set::{EventSet, MAX_EVENTS};
use crate::relations::partial_execution::PartialExecution;

impl PartialExecution {
    /// Adds the edges that follow from the decision of one read; returns whether it added any.
    pub fn add_causality(&mut self, candidate: &CandidateExecution, read: usize) -> bool {
        let more = self.synchronize_observers(candidate, read);
        let location = candidate.run.events[read].physical;
        self.force_fence_sc(candidate, if more { None } else { Some(location) }) | more
    }

    /// Adds synchronizes-with for a read, and for the reads that observe through it.
    fn synchronize_observers(&mut self, candidate: &CandidateExecution, read: usize) -> bool {
        let (mut more, mut seen, mut open) = (false, EventSet::EMPTY, EventSet::of(read));
        while let Some(read) = open.first() {
            seen.insert(read);
            more |= self.synchronize(candidate, read);
            // A read of the write of a read-modify-write observes what the read of the read-modify-write observes.
            if let Some(own) = candidate.run.events[read].partner {
                let reads = candidate.same_memory(read) & self.decided;
                open |= reads.filter(|other| self.reads_from.write_of(other) == Some(own));
            }
            open -= seen;
        }
        more
    }

    /// Adds synchronizes-with from the begins of the release patterns that a read observes to the ends of the acquire patterns that it
    /// begins. Returns whether it added any.
    pub fn synchronize(&mut self, candidate: &CandidateExecution, read: usize) -> bool {
        let ends = candidate.acquire_patterns.successors(read);
        if ends.is_empty() {
            return false;
        }
        let mut more = false;
        for write in candidate.observed(&self.reads_from, read) {
            for start in candidate.release_patterns.successors(write) {
                let events = &candidate.run.events;
                let can_end = |end: &usize| events[start].can_synchronize_with(&events[*end]);
                for end in (ends & candidate.morally_strong.successors(start)).into_iter().filter(can_end) {
                    more |= self.base_causality_order.insert_transitive(start, end);
                }
            }
        }
        more
    }

    /// Whether a read reads what an asynchronous operation writes that is issued after it. Here patterns of mbarriers order in every scope.
    pub fn reads_later_operation(&self, candidate: &CandidateExecution) -> bool {
        if !candidate.has_operations() {
            return false;
        }
        let mut order = self.base_causality_order.clone();
        for read in self.decided.filter(|read| candidate.run.events[read].mbarrier) {
            for write in candidate.observed(&self.reads_from, read) {
                for start in candidate.release_patterns.successors(write) {
                    for end in candidate.acquire_patterns.successors(read) {
                        if candidate.run.events[start].can_synchronize_with(&candidate.run.events[end]) {
                            order.insert_transitive(start, end);
                        }
                    }
                }
            }
        }
        self.reads_from.edges().any(|(write, read)| candidate.is_issued_after(&order, read, write))
    }

    /// Orders fences where only one direction is possible: a read must not be causally after a write newer than the one it reads, or
    /// after a read that observes such a write. Begins with the reads of one location if only they changed. Returns whether it added any.
    pub fn force_fence_sc(&mut self, candidate: &CandidateExecution, location: Option<usize>) -> bool {
        if candidate.sc_pairs.is_empty() {
            return false;
        }
        let mut reads = self.decided & location.map_or(EventSet::ALL, |location| candidate.accesses[location]);
        let mut more = false;
        while self.force_fence_sc_for(candidate, reads) {
            (reads, more) = (self.decided, true);
        }
        more
    }

    /// Adds the fence orders that some reads force. The set must contain all decided reads of their locations.
    fn force_fence_sc_for(&mut self, candidate: &CandidateExecution, reads: EventSet) -> bool {
        let mut observers = [EventSet::EMPTY; MAX_EVENTS];
        for read in reads {
            for write in candidate.observed(&self.reads_from, read) {
                observers[write].insert(read);
            }
        }
        // Per read: the fences that must not be causally before it.
        let (mut bound, mut fences_behind) = (EventSet::EMPTY, [EventSet::EMPTY; MAX_EVENTS]);
        for read in reads {
            let newer = self.newer_writes(candidate, read);
            let sources = newer.into_iter().fold(newer, |all, write| all | observers[write]);
            let sources = sources & candidate.same_proxy.successors(read);
            fences_behind[read] = sources.union_of(|at| self.base_causality_order.successors(at)) & candidate.sc_fences;
            if !fences_behind[read].is_empty() {
                bound.insert(read);
            }
        }
        let mut more = false;
        for first in if bound.is_empty() { EventSet::EMPTY } else { candidate.sc_fences } {
            let behind = self.base_causality_order.successors(first);
            let later = (behind & bound).union_of(|read| fences_behind[read]);
            for second in (later & candidate.morally_strong.successors(first)) - behind {
                more |= self.base_causality_order.insert_transitive(first, second);
            }
        }
        more
    }

    /// The writes that are in coherence order after the write that a read reads, in every coherence order.
    fn newer_writes(&self, candidate: &CandidateExecution, read: usize) -> EventSet {
        let Some(write) = self.reads_from.write_of(read) else { return EventSet::EMPTY };
        let writes = (candidate.same_memory(write) & candidate.writes).without(write);
        if candidate.run.events[write].thread.is_none() {
            return writes;
        }
        let causality = self.base_causality_order.successors(write) & candidate.same_proxy.successors(write);
        writes & (candidate.program_order_per_location.successors(write) | causality)
    }

    /// Whether two events are ordered both ways.
    pub fn is_cyclic(&self, a: usize, b: usize) -> bool {
        self.base_causality_order.contains(a, b) && self.base_causality_order.contains(b, a)
    }

    /// Orders all morally strong pairs of `fence.sc`, in one consistent way.
    pub fn order_fence_sc(&mut self, candidate: &CandidateExecution) {
        let base = &mut self.base_causality_order;
        let before = |fence: usize| candidate.sc_fences.filter(|other| base.contains(other, fence)).len();
        let mut sequence: Vec<(usize, usize)> =
            candidate.sc_fences.into_iter().map(|fence| (before(fence), fence)).collect();
        sequence.sort_unstable();
        let sequence: Vec<usize> = sequence.into_iter().map(|(_, fence)| fence).collect();
        let strong = |(first, second): &(usize, usize)| candidate.morally_strong.contains(*first, *second);
        // Neighbours first: most other pairs follow from them by transitivity.
        let neighbours = sequence.iter().copied().zip(sequence.iter().copied().skip(1));
        let others = sequence.iter().enumerate().flat_map(|(at, a)| sequence[at + 1..].iter().map(move |b| (*a, *b)));
        for (first, second) in neighbours.chain(others).filter(strong) {
            base.insert_transitive(first, second);
        }
    }
}
