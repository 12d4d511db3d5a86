//! Relations between events: for each event, the set of its successors.

use crate::relations::event_set::EventSet;
use std::collections::VecDeque;

/// A relation between the events of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    successors: Vec<EventSet>,
}

impl Relation {
    /// The empty relation.
    pub fn empty(count: usize) -> Self {
        Relation { successors: vec![EventSet::EMPTY; count] }
    }

    /// The relation with the edges that satisfy a predicate.
    pub fn of(count: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        (0..count).map(|a| (0..count).filter(|b| holds(a, *b)).collect()).collect()
    }

    /// The relation with the given edges.
    pub fn from_edges(count: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut relation = Relation::empty(count);
        edges.into_iter().for_each(|(a, b)| relation.insert(a, b));
        relation
    }

    /// The number of events.
    pub fn count(&self) -> usize {
        self.successors.len()
    }

    /// Whether there is an edge.
    pub fn contains(&self, a: usize, b: usize) -> bool {
        self.successors[a].contains(b)
    }

    /// Whether there is an edge in either direction.
    pub fn relates(&self, a: usize, b: usize) -> bool {
        self.contains(a, b) || self.contains(b, a)
    }

    /// Adds an edge.
    pub fn insert(&mut self, a: usize, b: usize) {
        self.successors[a].insert(b);
    }

    /// Adds an edge to a transitive relation and closes it again; returns whether the edge is new.
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

    /// Adds edges to a transitive relation and closes it again.
    pub fn extend_transitive(&mut self, edges: &[(usize, usize)]) {
        for (a, b) in edges {
            self.insert_transitive(*a, *b);
        }
    }

    /// The successors of an event.
    pub fn successors(&self, a: usize) -> EventSet {
        self.successors[a]
    }

    /// The mutable successors of an event.
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

    /// The union.
    pub fn union(&self, other: &Self) -> Self {
        self.successors.iter().zip(&other.successors).map(|(a, b)| *a | *b).collect()
    }

    /// The intersection.
    pub fn intersection(&self, other: &Self) -> Self {
        self.successors.iter().zip(&other.successors).map(|(a, b)| *a & *b).collect()
    }

    /// The edges that satisfy a predicate.
    pub fn filter(&self, holds: impl Fn(usize, usize) -> bool) -> Self {
        self.successors.iter().enumerate().map(|(a, successors)| successors.filter(|b| holds(a, b))).collect()
    }

    /// The composition: an edge of this relation, then one of the other.
    pub fn then(&self, other: &Self) -> Self {
        self.successors.iter().map(|successors| successors.union_of(|b| other.successors[b])).collect()
    }

    /// The reflexive closure.
    pub fn reflexive(&self) -> Self {
        self.successors.iter().enumerate().map(|(a, successors)| *successors | EventSet::of(a)).collect()
    }

    /// The inverse.
    pub fn inverse(&self) -> Self {
        Relation::from_edges(self.count(), self.edges().map(|(a, b)| (b, a)))
    }

    /// The transitive closure.
    pub fn closure(&self) -> Self {
        let mut closure = self.clone();
        closure.close((0..self.count()).collect());
        closure
    }

    /// Closes the relation transitively over a set of events.
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

    /// The events of a set without successors.
    pub fn maximal(&self, events: EventSet) -> EventSet {
        events.filter(|event| self.successors(event).is_empty())
    }

    /// An event that is related to itself.
    pub fn reflexive_event(&self) -> Option<usize> {
        (0..self.count()).find(|a| self.contains(*a, *a))
    }

    /// A shortest path with at least one edge, both ends included. A path from an event to itself begins and ends with it.
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

    /// A shortest cycle; its first event is repeated at the end.
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
