//! Partial executions: which write each decided read reads, and what follows from that.

use crate::Bits;
use crate::relations::candidate_execution::CandidateExecution;
use crate::relations::event::Event;
use crate::relations::event_set::EventSet;
use crate::relations::reads_from::ReadsFrom;
use crate::relations::relation::Relation;
use crate::runs::node::Node;

/// The decisions made for a candidate execution, and their consequences.
#[derive(Clone, Debug, Default)]
pub struct PartialExecution {
    pub reads_from: ReadsFrom,
    /// The reads that are decided.
    pub decided: EventSet,
    /// Per node: its value, if known.
    pub values: Vec<Option<Bits>>,
    pub base_causality_order: Relation,
    /// Per event: the generation up to which a read is postponed, so that it reads a later write; 0 if it is not postponed.
    pub postponed: Vec<u32>,
}

impl PartialExecution {
    /// The partial execution of a resumed run, with the decisions made before.
    pub fn resume(candidate: &CandidateExecution, reads_from: ReadsFrom, mut postponed: Vec<u32>) -> Self {
        let count = candidate.run.events.len();
        let reads_from = reads_from.resized(count);
        postponed.resize(count, 0);
        let mut partial = PartialExecution {
            decided: candidate.reads.filter(|read| reads_from.write_of(read).is_some()),
            reads_from,
            values: candidate.run.constants(),
            base_causality_order: candidate.base_causality_order.clone(),
            postponed,
        };
        partial.propagate_values(candidate, &mut Vec::new());
        for read in partial.decided {
            partial.synchronize(candidate, read);
        }
        partial
    }

    /// Decides that a read reads a write.
    pub fn decide(&mut self, read: usize, write: usize) {
        self.reads_from.decide(read, write);
        self.decided.insert(read);
    }

    /// Undoes a decision and the values that followed from it.
    pub fn undo(&mut self, read: usize, trail: &mut Vec<usize>) {
        trail.drain(..).for_each(|node| self.values[node] = None);
        self.reads_from.undo(read);
        self.decided.remove(read);
    }

    /// The value that an event reads or writes.
    pub fn value(&self, candidate: &CandidateExecution, event: usize) -> Option<Bits> {
        self.values[candidate.run.events[event].value]
    }

    /// The value that an event reads or writes; `None` for fences and barriers.
    pub fn value_of(&self, event: &Event) -> Option<Bits> {
        event.is_memory().then(|| self.values[event.value]).flatten()
    }

    /// The final value of a register.
    pub fn register(&self, candidate: &CandidateExecution, thread: usize, register: usize) -> Option<Bits> {
        self.values[candidate.run.threads[thread].registers[register]]
    }

    /// Computes all values that are determined; returns whether every assumption can still hold.
    pub fn propagate_values(&mut self, candidate: &CandidateExecution, trail: &mut Vec<usize>) -> bool {
        let mut changed = true;
        while changed {
            changed = false;
            for (at, node) in candidate.run.nodes.iter().enumerate() {
                if self.values[at].is_some() {
                    continue;
                }
                let value = match node {
                    Node::Read(read) => self.reads_from.write_of(*read).and_then(|write| self.value(candidate, write)),
                    node => node.value(|at| self.values[at]),
                };
                self.set_value(at, value, trail);
                changed |= value.is_some();
            }
        }
        self.assumptions_hold(candidate)
    }

    /// Computes the values that follow from the decision of one read; returns whether every assumption can still hold.
    pub fn propagate_value(&mut self, candidate: &CandidateExecution, read: usize, trail: &mut Vec<usize>) -> bool {
        let run = &candidate.run;
        let begun = trail.len();
        let mut next = begun;
        let read_value = self.reads_from.write_of(read).and_then(|write| self.value(candidate, write));
        self.set_value(run.events[read].value, read_value, trail);
        while let Some(known) = trail.get(next).copied() {
            next += 1;
            for user in &candidate.users[known] {
                self.set_value(*user, run.nodes[*user].value(|at| self.values[at]), trail);
            }
            for write in candidate.writers[known] {
                let Some(accesses) = candidate.accesses.get(run.events[write].physical) else { continue };
                for read in *accesses & candidate.reads {
                    if self.reads_from.write_of(read) == Some(write) {
                        self.set_value(run.events[read].value, self.values[known], trail);
                    }
                }
            }
        }
        trail.len() == begun || self.assumptions_hold(candidate)
    }

    fn set_value(&mut self, node: usize, value: Option<Bits>, trail: &mut Vec<usize>) {
        if self.values[node].is_none() && value.is_some() {
            self.values[node] = value;
            trail.push(node);
        }
    }

    fn assumptions_hold(&self, candidate: &CandidateExecution) -> bool {
        let may_hold = |value: Bits, holds: bool| (value != 0) == holds;
        let mut assumptions = candidate.run.assumptions.iter();
        assumptions.all(|assumption| self.values[assumption.node].is_none_or(|value| may_hold(value, assumption.holds)))
    }

    /// The transitive dependencies of some reads, themselves included: through data, addresses, branches and the writes that they read.
    pub fn sources(&self, candidate: &CandidateExecution, reads: EventSet) -> EventSet {
        let (mut seen, mut open) = (EventSet::EMPTY, reads);
        while let Some(read) = open.first() {
            seen.insert(read);
            open |= candidate.dependencies[read];
            if let Some(write) = self.reads_from.write_of(read) {
                open |= candidate.dependencies[write];
            }
            open -= seen;
        }
        seen
    }

    /// Whether a write depends on a read.
    pub fn depends(&self, candidate: &CandidateExecution, write: usize, read: usize) -> bool {
        self.sources(candidate, candidate.dependencies[write]).contains(read)
    }
}
