//! The events of an execution that matter for its problem.

use crate::execution::{KernelEdge, KernelEvent, KernelExecution};
use std::collections::BTreeSet;

/// An execution with so many events is short.
const FEW_EVENTS: usize = 12;

impl KernelExecution {
    /// The events that lead to the problem: of a race the two accesses and those that say what is missing, else what threads do where they meet the
    /// problem. Reads are among them with the writes that they have read from. A short execution is shown whole.
    pub fn essential(&self) -> Self {
        if self.events.len() <= FEW_EVENTS {
            return self.clone();
        }
        let mut kept = match &self.cause {
            Some(cause) => cause.all_events(),
            None => self.around_problem(),
        };
        let writes = self.edges.iter().filter(|edge| edge.relation == "rf" && kept.contains(&edge.to));
        let writes: Vec<usize> = writes.map(|edge| edge.from).collect();
        kept.extend(writes);
        if self.cause.is_none() {
            self.share(&mut kept);
        }
        self.retaining(&kept)
    }

    /// The events at the problem, and what their threads have accessed last before; at the end of an execution without one its last accesses.
    fn around_problem(&self) -> BTreeSet<usize> {
        let marked: Vec<usize> = (0..self.events.len()).filter(|at| self.events[*at].problem.is_some()).collect();
        let accesses = |at: &usize| !self.events[*at].accesses.is_empty();
        if marked.is_empty() {
            return (0..self.events.len()).rev().filter(accesses).take(FEW_EVENTS).collect();
        }
        let before = |at: &usize| {
            let own = |other: &usize| self.events[*other].column == self.events[*at].column;
            (0..*at).rev().filter(own).find(accesses)
        };
        let before: Vec<usize> = marked.iter().take(FEW_EVENTS).filter_map(before).collect();
        marked.into_iter().chain(before).collect()
    }

    /// Of events at the same instruction of threads of a CTA, which access no memory, only the first one is kept.
    fn share(&self, kept: &mut BTreeSet<usize>) {
        let key = |event: &KernelEvent| (event.thread.cta, event.range.start, event.problem);
        let mut seen = BTreeSet::new();
        kept.retain(|at| !self.events[*at].accesses.is_empty() || seen.insert(key(&self.events[*at])));
    }

    /// The execution with some of its events.
    fn retaining(&self, kept: &BTreeSet<usize>) -> Self {
        let order: Vec<usize> = kept.iter().copied().collect();
        let index = |at: usize| order.binary_search(&at).ok();
        let columns: BTreeSet<usize> = order.iter().map(|at| self.events[*at].column).collect();
        let columns: Vec<usize> = columns.into_iter().collect();
        let column = |known: usize| columns.binary_search(&known).unwrap_or_default();
        let event = |at: &usize| KernelEvent { column: column(self.events[*at].column), ..self.events[*at].clone() };
        let edge = |edge: &KernelEdge| Some(KernelEdge { from: index(edge.from)?, to: index(edge.to)?, ..*edge });
        Self {
            columns: columns.iter().map(|at| self.columns[*at].clone()).collect(),
            events: order.iter().map(event).collect(),
            edges: self.edges.iter().filter_map(edge).collect(),
            missing: self.missing.iter().filter_map(|one| one.renumbered(index)).collect(),
            cause: self.cause.as_ref().and_then(|cause| cause.renumbered(index)),
            left_out: self.left_out + self.events.len() - order.len(),
        }
    }
}
