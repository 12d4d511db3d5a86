//! Answers about the coherence of a location, kept while causality and reads are the same. Most decisions change nothing at most locations,
//! so most questions have been asked already.
//!
//! An answer is reused only if everything that it depends on is the same, bit by bit.

use crate::coherence::{CoherenceProblem, Scratch};
use crate::event_set::EventSet;
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// How many answers are kept, so that a long search does not fill the machine.
const MAX_ANSWERS: usize = 1 << 15;

/// After how many questions it is seen whether answers are worth keeping.
const TRIAL: u32 = 2_000;

#[derive(Clone, Copy, Debug, Default)]
struct MemoAnswers {
    contradicts: Option<bool>,
    last_writes: Option<EventSet>,
    possible: Option<bool>,
}

/// Answers about the locations of one candidate execution.
#[derive(Debug, Default)]
pub struct Memo {
    known: HashMap<Box<[u128]>, MemoAnswers, FixedState>,
    key: Vec<u128>,
    scratch: Scratch,
    asked: u32,
    answered: u32,
}

impl Memo {
    /// Whether what is known so far already contradicts the axioms.
    pub fn contradicts(&mut self, problem: &CoherenceProblem) -> bool {
        self.ask(problem, |known| &mut known.contradicts, |scratch| problem.contradicts(scratch))
    }

    /// The writes that can be the last; none if no order fulfils the axioms.
    pub fn last_writes(&mut self, problem: &CoherenceProblem) -> EventSet {
        self.ask(problem, |known| &mut known.last_writes, |scratch| problem.last_writes(scratch))
    }

    /// Whether an order fulfils the axioms.
    pub fn possible(&mut self, problem: &CoherenceProblem) -> bool {
        self.ask(problem, |known| &mut known.possible, |scratch| problem.order(scratch).is_some())
    }

    fn ask<T: Copy>(
        &mut self,
        problem: &CoherenceProblem,
        field: impl Fn(&mut MemoAnswers) -> &mut Option<T>,
        find: impl FnOnce(&mut Scratch) -> T,
    ) -> T {
        // Where everything hangs together, nothing is asked twice, and looking is in vain.
        if self.asked >= TRIAL && self.answered < self.asked / 4 {
            return find(&mut self.scratch);
        }
        self.asked = self.asked.saturating_add(1);
        self.key.clear();
        problem.key(&mut self.key);
        if let Some(known) = self.known.get_mut(&self.key[..]) {
            self.answered = self.answered.saturating_add(1);
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
