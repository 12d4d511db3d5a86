//! What was found out about a location before, under the same causality and with the same reads. Most decisions change nothing at most
//! locations, so most questions have been asked already.
//!
//! An answer is reused only if everything that it depends on is the same, bit by bit. Must not know how executions are found.

use crate::coherence::{Memory, Scratch};
use crate::quick::Quick;

/// How many answers are kept, so that a long search does not fill the machine.
const MOST: usize = 1 << 15;

/// After how many questions it is seen whether answers are worth keeping.
const TRIAL: u32 = 2_000;

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    contradicts: Option<bool>,
    last: Option<u128>,
    possible: Option<bool>,
}

/// Answers about the locations of one skeleton.
#[derive(Debug, Default)]
pub struct Memo {
    known: Quick<Box<[u128]>, Known>,
    key: Vec<u128>,
    scratch: Scratch,
    asked: u32,
    answered: u32,
}

impl Memo {
    /// Whether what is known so far already contradicts the axioms.
    pub fn contradicts(&mut self, memory: &Memory) -> bool {
        self.ask(memory, |known| &mut known.contradicts, |scratch| memory.contradicts(scratch))
    }

    /// The writes that can be the last; none if no order fulfils the axioms.
    pub fn last(&mut self, memory: &Memory) -> u128 {
        self.ask(memory, |known| &mut known.last, |scratch| memory.last(scratch))
    }

    /// Whether an order fulfils the axioms.
    pub fn possible(&mut self, memory: &Memory) -> bool {
        self.ask(memory, |known| &mut known.possible, |scratch| memory.order(scratch).is_some())
    }

    fn ask<T: Copy>(
        &mut self,
        memory: &Memory,
        field: impl Fn(&mut Known) -> &mut Option<T>,
        find: impl FnOnce(&mut Scratch) -> T,
    ) -> T {
        // Where everything hangs together, nothing is asked twice, and looking is in vain.
        if self.asked >= TRIAL && self.answered < self.asked / 4 {
            return find(&mut self.scratch);
        }
        self.asked = self.asked.saturating_add(1);
        self.key.clear();
        memory.circumstances(&mut self.key);
        if let Some(known) = self.known.get_mut(&self.key[..]) {
            self.answered = self.answered.saturating_add(1);
            return *field(known).get_or_insert_with(|| find(&mut self.scratch));
        }
        let found = find(&mut self.scratch);
        if self.known.len() >= MOST {
            self.known.clear();
        }
        let mut known = Known::default();
        *field(&mut known) = Some(found);
        self.known.insert(self.key.clone().into_boxed_slice(), known);
        found
    }
}
