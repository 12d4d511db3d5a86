//! A cache of answers about the coherence of a location. Most decisions do not change most locations, so most answers are cached already.
//!
//! The key holds everything that an answer depends on.

use crate::model::coherence::{CoherenceProblem, Scratch};
use crate::relations::event_set::EventSet;
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// The most cached answers, which bounds the memory of a long search.
const MAX_ANSWERS: usize = 1 << 15;

/// The number of queries after which a cache with few hits is switched off.
const TRIAL_QUERIES: u32 = 2_000;

#[derive(Clone, Copy, Debug, Default)]
struct MemoAnswers {
    contradicts: Option<bool>,
    last_writes: Option<EventSet>,
    possible: Option<bool>,
}

/// Cached answers about the locations of one candidate execution.
#[derive(Debug, Default)]
pub struct Memo {
    known: HashMap<Box<[u128]>, MemoAnswers, FixedState>,
    key: Vec<u128>,
    scratch: Scratch,
    queries: u32,
    hits: u32,
}

impl Memo {
    /// Whether the decisions so far already violate an axiom.
    pub fn contradicts(&mut self, problem: &CoherenceProblem) -> bool {
        self.ask(problem, |known| &mut known.contradicts, |scratch| problem.contradicts(scratch))
    }

    /// The writes that can be last; empty if no order satisfies the axioms.
    pub fn last_writes(&mut self, problem: &CoherenceProblem) -> EventSet {
        self.ask(problem, |known| &mut known.last_writes, |scratch| problem.last_writes(scratch))
    }

    /// Whether some order satisfies the axioms.
    pub fn possible(&mut self, problem: &CoherenceProblem) -> bool {
        self.ask(problem, |known| &mut known.possible, |scratch| problem.order(scratch).is_some())
    }

    fn ask<T: Copy>(
        &mut self,
        problem: &CoherenceProblem,
        field: impl Fn(&mut MemoAnswers) -> &mut Option<T>,
        find: impl FnOnce(&mut Scratch) -> T,
    ) -> T {
        // Where all locations depend on each other, keys rarely repeat and lookups only cost time.
        if self.queries >= TRIAL_QUERIES && self.hits < self.queries / 4 {
            return find(&mut self.scratch);
        }
        self.queries = self.queries.saturating_add(1);
        self.key.clear();
        problem.key(&mut self.key);
        if let Some(known) = self.known.get_mut(&self.key[..]) {
            self.hits = self.hits.saturating_add(1);
            return *field(known).get_or_insert_with(|| find(&mut self.scratch));
        }
        let found = find(&mut self.scratch);
        if self.known.len() >= MAX_ANSWERS {
            self.known.clear();
        }
        let mut known = MemoAnswers::default();
        *field(&mut known) = Some(found);
        self.known.insert(self.key.clone().into_boxed_slice(), known);
        found
    }
}
