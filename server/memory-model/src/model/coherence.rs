//! Finds coherence orders of one location that satisfy the axioms, and the writes that can be last.
//!
//! Causality order does not depend on coherence order, and each axiom is easier to satisfy with fewer coherence edges. So only forced edges
//! are added, and for morally strong writes one of the two directions.

use crate::relations::candidate_execution::CandidateExecution;
use crate::relations::event_set::{EventSet, MAX_EVENTS};
use crate::relations::partial_execution::PartialExecution;
use crate::relations::reads_from::ReadsFrom;
use crate::relations::relation::Relation;

/// Buffers that are reused between calls.
#[derive(Debug)]
pub struct Scratch {
    /// Proxy-preserved base causality.
    preserved: Relation,
    causality_order: Relation,
    /// From a write to the writes that must not be after it in coherence order, because they are causally before a read of it.
    not_after: Relation,
    /// Morally strong communication, and program order.
    communication: Relation,
}

impl Default for Scratch {
    fn default() -> Self {
        let relation = || Relation::empty(MAX_EVENTS);
        Scratch { preserved: relation(), causality_order: relation(), not_after: relation(), communication: relation() }
    }
}

/// The search for a coherence order of one location, given base causality order and reads-from.
pub struct CoherenceProblem<'p, 'a> {
    candidate: &'p CandidateExecution<'a>,
    base: &'p Relation,
    reads_from: &'p ReadsFrom,
    location: usize,
    accesses: EventSet,
    writes: EventSet,
    reads: EventSet,
}

impl<'p, 'a> CoherenceProblem<'p, 'a> {
    /// The problem of a location in a partial execution.
    pub fn new(candidate: &'p CandidateExecution<'a>, partial: &'p PartialExecution, location: usize) -> Self {
        let accesses = candidate.accesses[location];
        CoherenceProblem {
            candidate,
            base: &partial.base_causality_order,
            reads_from: &partial.reads_from,
            location,
            accesses,
            writes: accesses & candidate.writes,
            reads: accesses & candidate.reads,
        }
    }

    /// Appends everything that the answers depend on, except the candidate execution.
    pub fn key(&self, key: &mut Vec<u128>) {
        key.push(self.location as u128);
        for (at, read) in self.reads.into_iter().enumerate() {
            // 16 bytes fill a word.
            if at % 16 == 0 {
                key.push(0);
            }
            if let Some(word) = key.last_mut() {
                *word = *word << 8 | u128::from(self.reads_from.byte(read));
            }
        }
        if *self.base != self.candidate.base_causality_order {
            key.extend(self.accesses.into_iter().map(|at| self.candidate.proxy_preserved(self.base, at).bits()));
        }
    }

    /// Whether the decisions so far already violate an axiom.
    pub fn contradicts(&self, scratch: &mut Scratch) -> bool {
        match self.begin(scratch) {
            Some(mut order) => !self.propagate(&mut order, scratch),
            None => true,
        }
    }

    /// A coherence order that satisfies the axioms.
    pub fn order(&self, scratch: &mut Scratch) -> Option<Relation> {
        let mut found = None;
        self.solve(scratch, &mut |order| {
            found = Some(order.clone());
            true
        });
        found
    }

    /// The writes that can be the last; empty if no order satisfies the axioms.
    pub fn last_writes(&self, scratch: &mut Scratch) -> EventSet {
        let Some(mut order) = self.begin(scratch) else { return EventSet::EMPTY };
        let mut last = EventSet::EMPTY;
        self.collect_last_writes(&mut order, scratch, &mut last);
        last
    }

    /// Calls back with each order, until the callback returns true.
    pub fn solve(&self, scratch: &mut Scratch, stop: &mut dyn FnMut(&Relation) -> bool) {
        if let Some(mut order) = self.begin(scratch) {
            self.branch(&mut order, scratch, stop);
        }
    }

    /// The decided reads, each with the write that it reads.
    fn decided(&self) -> impl Iterator<Item = (usize, usize)> {
        self.decided_of(self.reads)
    }

    /// The decided reads of a set, each with the write that it reads.
    fn decided_of(&self, reads: EventSet) -> impl Iterator<Item = (usize, usize)> {
        reads.into_iter().filter_map(|read| Some((read, self.reads_from.write_of(read)?)))
    }

    /// The coherence edges that causality order forces; `None` if they violate an axiom.
    fn begin(&self, scratch: &mut Scratch) -> Option<Relation> {
        let candidate = self.candidate;
        let Scratch { preserved, causality_order, not_after, .. } = scratch;
        for at in self.accesses {
            *preserved.successors_mut(at) = candidate.proxy_preserved(self.base, at);
            *causality_order.successors_mut(at) = preserved.successors(at);
            *not_after.successors_mut(at) = EventSet::EMPTY;
        }
        for (read, _) in self.decided() {
            let behind = preserved.successors(read);
            if !behind.is_empty() {
                for write in candidate.observed(self.reads_from, read) {
                    *causality_order.successors_mut(write) |= behind;
                }
            }
        }
        if self.decided().any(|(read, write)| causality_order.contains(read, write)) {
            return None;
        }
        let mut order = Relation::empty(candidate.run.events.len());
        for write in self.writes {
            let causality = causality_order.successors(write);
            let after = (causality | candidate.program_order_per_location.successors(write)) & self.writes;
            if after.contains(write) {
                return None;
            }
            *order.successors_mut(write) = after;
            for (_, older) in self.decided_of(causality & self.reads) {
                not_after.insert(older, write);
            }
        }
        if let Some(first) = self.writes.first() {
            *order.successors_mut(first) |= self.writes.without(first);
        }
        Some(order)
    }

    /// Adds the forced edges until nothing changes; returns whether no axiom is violated so far.
    fn propagate(&self, order: &mut Relation, scratch: &mut Scratch) -> bool {
        loop {
            order.close(self.writes);
            let hidden = |write: usize| (order.successors(write) & scratch.not_after.successors(write)).without(write);
            if self.writes.into_iter().any(|write| order.contains(write, write) || !hidden(write).is_empty()) {
                return false;
            }
            let Some(communication_forced) = self.propagate_communication(order, &mut scratch.communication) else {
                return false;
            };
            let Some(atomicity_forced) = self.propagate_atomicity(order) else { return false };
            if !communication_forced && !atomicity_forced {
                return true;
            }
        }
    }

    /// SC per location: adds the edges that communication forces. Returns whether it added any; `None` if there is a cycle.
    fn propagate_communication(&self, order: &mut Relation, communication: &mut Relation) -> Option<bool> {
        let candidate = self.candidate;
        let strong = |at: usize| candidate.atomic.successors(at);
        for at in self.accesses {
            let coherence = if self.writes.contains(at) { order.successors(at) } else { EventSet::EMPTY };
            *communication.successors_mut(at) =
                candidate.program_order_per_location.successors(at) | strong(at) & coherence;
        }
        for (read, write) in self.decided() {
            *communication.successors_mut(write) |= strong(write) & EventSet::of(read);
            *communication.successors_mut(read) |= strong(read) & order.successors(write);
        }
        communication.close(self.accesses);
        let mut added = false;
        for at in self.accesses {
            if communication.contains(at, at) {
                return None;
            }
            if self.writes.contains(at) {
                let forced = (communication.successors(at) & self.writes & strong(at)) - order.successors(at);
                added |= !forced.is_empty();
                *order.successors_mut(at) |= forced;
            }
        }
        Some(added)
    }

    /// Atomicity: orders morally strong writes before or after read-modify-writes. Returns whether it added edges; `None` if a write is
    /// between the halves of one.
    fn propagate_atomicity(&self, order: &mut Relation) -> Option<bool> {
        let strong = &self.candidate.atomic;
        let mut added = false;
        for (read, before) in self.decided() {
            let Some(own) = self.candidate.run.events[read].partner else { continue };
            let others = strong.successors(read) & strong.successors(own) & self.writes;
            for other in others.without(own).without(before) {
                let after = order.contains(before, other);
                if after && order.contains(other, own) {
                    return None;
                }
                if after && !order.contains(own, other) {
                    order.insert(own, other);
                    added = true;
                }
                let ahead = order.contains(other, own) && strong.contains(other, before);
                if ahead && !order.contains(other, before) {
                    order.insert(other, before);
                    added = true;
                }
            }
        }
        Some(added)
    }

    /// Two morally strong writes without an order.
    fn unordered(&self, order: &Relation) -> Option<(usize, usize)> {
        self.writes.into_iter().find_map(|a| {
            let strong = self.candidate.atomic.successors(a) & self.writes;
            let after_or_unordered = (strong - order.successors(a)).without(a);
            after_or_unordered.into_iter().find(|b| !order.contains(*b, a)).map(|b| (a, b))
        })
    }

    fn branch(&self, order: &mut Relation, scratch: &mut Scratch, stop: &mut dyn FnMut(&Relation) -> bool) -> bool {
        if !self.propagate(order, scratch) {
            return false;
        }
        let Some((a, b)) = self.unordered(order) else { return stop(order) };
        let mut other = order.clone();
        order.insert(a, b);
        if self.branch(order, scratch, stop) {
            return true;
        }
        other.insert(b, a);
        self.branch(&mut other, scratch, stop)
    }

    /// Like `branch`, but skips orders that cannot add to the last writes.
    fn collect_last_writes(&self, order: &mut Relation, scratch: &mut Scratch, last: &mut EventSet) {
        if !self.propagate(order, scratch) {
            return;
        }
        let maximal = order.maximal(self.writes);
        if (maximal - *last).is_empty() {
            return;
        }
        let Some((a, b)) = self.unordered(order) else {
            *last |= maximal;
            return;
        };
        let mut other = order.clone();
        order.insert(a, b);
        self.collect_last_writes(order, scratch, last);
        other.insert(b, a);
        self.collect_last_writes(&mut other, scratch, last);
    }
}
