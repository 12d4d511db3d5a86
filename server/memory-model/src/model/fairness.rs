//! Fairness: what every infinite execution of a program must let happen in the end.
//!
//! Every thread is scheduled again and again, and every write is at last seen: a read that is repeated without end reads a write that no
//! other is after in coherence order. This is the definition; the search in `termination` finds executions that satisfy it.

use crate::relations::event::EventKind;
use crate::relations::event_set::EventSet;
use crate::search::endless::EndlessExecution;
use crate::search::endless_wait::EndlessWait;

/// Which writes a repeated read sees in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// Those that are morally strong relative to it, as a read and a write of atomics in scopes that include both threads. A weak access, or
    /// one in a narrower scope, may miss the others forever.
    MorallyStrong,
    /// All.
    EveryWrite,
}

impl EndlessExecution {
    /// Whether the execution can go on forever, and is fair.
    ///
    /// - A repeated read reads what it read before, through atomics that change nothing.
    /// - No write that the fairness is about is in coherence order after what a repeated read reads, but for repeated writes, which change
    ///   nothing.
    pub fn is_fair(&self, fairness: Fairness) -> bool {
        let x = &self.execution;
        let mut pairs = Vec::new();
        let mut repeated_writes = EventSet::EMPTY;
        for (thread, wait) in &self.waits {
            let EndlessWait::Loop { first, second } = *wait else { continue };
            let [before, after] = self.iterations(*thread, first, second);
            if before.len() != after.len() {
                return false;
            }
            let of_kind = |at: &usize, kind| x.events[*at].kind == kind;
            repeated_writes |=
                before.iter().chain(&after).copied().filter(|at| of_kind(at, EventKind::Write)).collect();
            pairs.extend(before.into_iter().zip(after));
        }
        let source = |read: usize| repeated_writes.source(read, |at| x.write_read_by(at), |at| x.events[at].partner);
        let is_seen = |read: usize, write: usize| fairness == Fairness::EveryWrite || x.atomic.contains(read, write);
        let is_last = |read: usize| {
            let later = x.write_read_by(read).map_or(EventSet::EMPTY, |from| x.coherence_order.successors(from));
            (later - repeated_writes).into_iter().all(|write| !is_seen(read, write))
        };
        let reads = pairs.into_iter().filter(|(_, at)| x.events[*at].kind == EventKind::Read);
        reads.into_iter().all(|(a, b)| source(a).is_some() && source(a) == source(b) && is_last(b))
    }
}
