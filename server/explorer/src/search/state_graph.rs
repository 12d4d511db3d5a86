//! The states that a search has visited, and the steps between them.

use crate::choices::message_choices::Recency;
use crate::search::fair_cycle::Successor;
use crate::search::progress::state_without_end;
use crate::search::replay::RepeatedStep;
use std::collections::{BTreeSet, HashMap};

/// How a state was reached: from which one, and by which step.
#[derive(Clone, Debug)]
pub struct StateOrigin {
    /// The state that the step was taken from.
    pub state: u32,
    /// The step.
    pub repeated: RepeatedStep,
}

/// What can follow a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// Other states.
    Inner,
    /// None that has to come to an end.
    End,
    /// Clusters have neither begun nor been cancelled. Whether those come to an end is not asked.
    Withholding,
}

/// Whether an end can be reached from every state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReached {
    /// It can.
    Always,
    /// What was left out may lead to one.
    Unknown,
    /// Not from this state.
    NotFrom(u32),
}

/// All states of a search, numbered in the order of their first visits.
#[derive(Debug, Default)]
pub struct StateGraph {
    /// The states, by their fingerprints.
    visited: HashMap<u64, u32>,
    /// How each state was reached first; the first one was not.
    origins: Vec<Option<StateOrigin>>,
    /// The states that each one leads to by steps that read the last messages.
    successors: Vec<Vec<Successor>>,
    ends: Vec<bool>,
    /// The states of [`StateKind::Withholding`].
    withholding: BTreeSet<u32>,
    /// The states at which rounds of loops that wait and count were left out.
    shortened: BTreeSet<u32>,
}

impl StateGraph {
    /// The number of states.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// The number of the state with a fingerprint: the next one if it is new. Then it has to be added before the next one is asked for.
    pub fn number(&mut self, fingerprint: u64) -> u32 {
        *self.visited.entry(fingerprint).or_insert(self.origins.len() as u32)
    }

    /// Whether a state has yet to be added.
    pub fn is_new(&self, state: u32) -> bool {
        state as usize >= self.len()
    }

    /// Adds a state.
    pub fn add(&mut self, origin: Option<StateOrigin>, kind: StateKind) {
        if kind == StateKind::Withholding {
            self.withholding.insert(self.len() as u32);
        }
        self.successors.push(Vec::new());
        self.ends.push(kind != StateKind::Inner);
        self.origins.push(origin);
    }

    /// Adds a step. Whether threads come to their ends is decided by what reads see in the long run: the last messages.
    pub fn add_successor(&mut self, from: u32, recency: Recency, successor: Successor) {
        if recency == Recency::Latest && !self.withholding.contains(&from) {
            self.successors[from as usize].push(successor);
        }
    }

    /// Notes that rounds of loops that wait and count were left out at a state.
    pub fn shorten(&mut self, state: u32) {
        self.shortened.insert(state);
    }

    /// Whether any were.
    pub fn is_shortened(&self) -> bool {
        !self.shortened.is_empty()
    }

    /// The states that each one leads to by steps that read the last messages.
    pub fn successors(&self) -> &[Vec<Successor>] {
        &self.successors
    }

    /// How a state was reached first.
    pub fn origin(&self, state: u32) -> Option<&StateOrigin> {
        self.origins[state as usize].as_ref()
    }

    /// The steps from the first state on.
    pub fn way<'o>(&'o self, last: Option<&'o StateOrigin>) -> Vec<&'o RepeatedStep> {
        let before = |origin: &&'o StateOrigin| self.origin(origin.state);
        let mut way: Vec<_> = std::iter::successors(last, before).map(|origin| &origin.repeated).collect();
        way.reverse();
        way
    }

    /// Whether an end can be reached from every state.
    pub fn end_reached(&self) -> EndReached {
        let next = |all: &Vec<Successor>| all.iter().map(|successor| successor.to).collect();
        let successors: Vec<Vec<u32>> = self.successors.iter().map(next).collect();
        if state_without_end(&successors, &self.ends).is_none() {
            return EndReached::Always;
        }
        // What was left out may lead to an end.
        let mut ends = self.ends.clone();
        self.shortened.iter().for_each(|state| ends[*state as usize] = true);
        state_without_end(&successors, &ends).map_or(EndReached::Unknown, |state| EndReached::NotFrom(state as u32))
    }
}
