//! Which threads have changed places between states of a search that are alike.

use crate::equivalence::permuted_threads::PermutedThreads;
use crate::search::fair_cycle::PlaceChanges;
use machine::state::Machine;
use ordering::{Agent, ThreadPermutation};
use program::launch::kernel_launch::ThreadId;
use std::collections::HashMap;

/// The threads that change places where a state was visited that is like another one.
#[derive(Default)]
pub struct StatePermutations {
    /// The numbers of the threads of each state that others are like, as indices of those below: most states have the same.
    of_states: Vec<u32>,
    permutations: Vec<ThreadPermutation>,
    known: HashMap<ThreadPermutation, u32>,
    /// The threads that change places between two states.
    changes: Vec<PlaceChanges>,
    indices: HashMap<PlaceChanges, u32>,
}

impl StatePermutations {
    /// The changes of places between two states, by the numbers that [`Self::note`] has given them.
    pub fn changes(&self) -> &[PlaceChanges] {
        &self.changes
    }

    /// Keeps the numbers of the threads of a new state. Of one that is like another one, it notes who has changed places.
    pub fn note(
        &mut self,
        machine: &Machine,
        state: u32,
        permutation: ThreadPermutation,
        moved: &mut PermutedThreads,
    ) -> Option<u32> {
        if !permutation.is_some() {
            return None;
        }
        let Some(known) = self.of_states.get(state as usize) else {
            let index = self.index(permutation);
            self.of_states.push(index);
            return None;
        };
        let changes = permutation.changes(&self.permutations[*known as usize]);
        if changes.is_empty() {
            return None;
        }
        let threads = machine.launch.block.count() as u32;
        let of_agent = |agent: &Agent| {
            let (cta, thread) = machine.races.thread(*agent);
            ThreadId { cta: cta as u32, thread }
        };
        let changes = changes.iter().map(|(from, to)| (of_agent(from), of_agent(to)));
        let changes: PlaceChanges = changes.filter(|(from, _)| from.thread < threads).collect();
        // Who has ended does nothing more.
        let live = machine.live_agents();
        for (from, to) in &changes {
            let agent = |thread: &ThreadId| machine.races.agent(thread.cta as usize, *thread);
            if live.contains(&agent(from)) {
                moved.add((agent(from), from.cta as usize), (agent(to), to.cta as usize));
            }
        }
        if let Some(index) = self.indices.get(&changes) {
            return Some(*index);
        }
        let index = self.changes.len() as u32;
        self.changes.push(changes.clone());
        self.indices.insert(changes, index);
        Some(index)
    }

    fn index(&mut self, permutation: ThreadPermutation) -> u32 {
        let next = self.permutations.len() as u32;
        *self.known.entry(permutation).or_insert_with_key(|permutation| {
            self.permutations.push(permutation.clone());
            next
        })
    }
}
