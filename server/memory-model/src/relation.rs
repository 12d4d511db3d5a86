//! Relations between events: for each event, the set of its successors.

use crate::event_set::EventSet;
use std::collections::VecDeque;

/// A relation between the events of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    successors: Vec<EventSet>,
}

impl Relation {
    /// Without an edge.
    pub fn empty(count: usize) -> Self {
        Relation { successors: vec![EventSet::EMPTY; count] }
    }

    /// With the edges that a predicate names.
    pub fn of(count: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        (0..count).map(|a| (0..count).filter(|b| holds(a, *b)).collect()).collect()
    }

    /// With the given edges.
    pub fn from_edges(count: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut relation = Relation::empty(count);
        edges.into_iter().for_each(|(a, b)| relation.insert(a, b));
        relation
    }

    /// The number of events.
    pub fn count(&self) -> usize {
        self.successors.len()
    }

    /// Whether an edge is there.
    pub fn contains(&self, a: usize, b: usize) -> bool {
        self.successors[a].contains(b)
    }

    /// Whether an edge is there in one direction or the other.
    pub fn relates(&self, a: usize, b: usize) -> bool {
        self.contains(a, b) || self.contains(b, a)
    }

    /// Adds an edge.
    pub fn insert(&mut self, a: usize, b: usize) {
        self.successors[a].insert(b);
    }

    /// Adds an edge to a relation that is transitive, so that it stays so; says whether it was new.
    pub fn insert_transitive(&mut self, a: usize, b: usize) -> bool {
        if self.contains(a, b) {
            return false;
        }
        let reached = self.successors[b] | EventSet::of(b);
        self.successors[a] |= reached;
        for successors in &mut self.successors {
            *successors |= if successors.contains(a) { reached } else { EventSet::EMPTY };
        }
        true
    }

    /// Adds edges to a relation that is transitive, so that it stays so.
    pub fn extend_transitive(&mut self, edges: &[(usize, usize)]) {
        for (a, b) in edges {
            self.insert_transitive(*a, *b);
        }
    }

    /// The successors of an event.
    pub fn successors(&self, a: usize) -> EventSet {
        self.successors[a]
    }

    /// The successors of an event, to be changed.
    pub fn successors_mut(&mut self, a: usize) -> &mut EventSet {
        &mut self.successors[a]
    }

    /// The predecessors of an event.
    pub fn predecessors(&self, b: usize) -> EventSet {
        (0..self.count()).filter(|a| self.contains(*a, b)).collect()
    }

    /// All edges, ordered.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.successors.iter().enumerate().flat_map(|(a, successors)| successors.into_iter().map(move |b| (a, b)))
    }

    /// Edges of either.
    pub fn union(&self, other: &Self) -> Self {
        self.successors.iter().zip(&other.successors).map(|(a, b)| *a | *b).collect()
    }

    /// Edges of both.
    pub fn intersection(&self, other: &Self) -> Self {
        self.successors.iter().zip(&other.successors).map(|(a, b)| *a & *b).collect()
    }

    /// The edges that a predicate holds for.
    pub fn filter(&self, holds: impl Fn(usize, usize) -> bool) -> Self {
        self.successors.iter().enumerate().map(|(a, successors)| successors.filter(|b| holds(a, b))).collect()
    }

    /// Composition: an edge of this, then one of the other.
    pub fn then(&self, other: &Self) -> Self {
        self.successors.iter().map(|successors| successors.union_of(|b| other.successors[b])).collect()
    }

    /// Every edge, and an event with itself.
    pub fn reflexive(&self) -> Self {
        self.successors.iter().enumerate().map(|(a, successors)| *successors | EventSet::of(a)).collect()
    }

    /// Every edge the other way.
    pub fn inverse(&self) -> Self {
        Relation::from_edges(self.count(), self.edges().map(|(a, b)| (b, a)))
    }

    /// Transitive closure.
    pub fn closure(&self) -> Self {
        let mut closure = self.clone();
        closure.close((0..self.count()).collect());
        closure
    }

    /// Makes the relation transitive between some events.
    pub fn close(&mut self, events: EventSet) {
        for middle in events {
            let reached = self.successors[middle];
            for a in events {
                if self.successors[a].contains(middle) {
                    self.successors[a] |= reached;
                }
            }
        }
    }

    /// Those of some events that have no successor.
    pub fn maximal(&self, events: EventSet) -> EventSet {
        events.filter(|event| self.successors(event).is_empty())
    }

    /// An event that is related to itself.
    pub fn reflexive_event(&self) -> Option<usize> {
        (0..self.count()).find(|a| self.contains(*a, *a))
    }

    /// A shortest path of edges, both ends included; of a path from an event to itself, the event is first and last.
    pub fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut predecessor = vec![None; self.count()];
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for next in self.successors[at] {
                if next == to {
                    let back = std::iter::successors(Some(at), |at| predecessor[*at]);
                    let mut path: Vec<usize> = std::iter::once(to).chain(back).collect();
                    path.reverse();
                    return Some(path);
                }
                if predecessor[next].is_none() && next != from {
                    predecessor[next] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// A shortest cycle, its first event last again.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        let closure = self.closure();
        (0..self.count()).filter(|a| closure.contains(*a, *a)).filter_map(|a| self.path(a, a)).min_by_key(Vec::len)
    }
}

/// From the successors of each event.
impl FromIterator<EventSet> for Relation {
    fn from_iter<I: IntoIterator<Item = EventSet>>(successors: I) -> Self {
        Relation { successors: successors.into_iter().collect() }
    }
}
