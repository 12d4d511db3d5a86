//! Other numbers for CTAs and threads: two states are alike if one is the other with CTAs, or threads of a CTA, that have changed places.

use crate::clock::Agent;
use program::lanes::WARP_SIZE;
use program::memory::location::RacedMemory;

/// CTAs and threads that change places with all that is theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadPermutation {
    warps_of_cta: u32,
    /// The slots of the CTAs, by their new numbers; empty if all keep theirs.
    ctas: Vec<u32>,
    /// The new number of each CTA.
    new_ctas: Vec<u32>,
    /// The threads by their new numbers, warp by warp; empty if they keep theirs within their CTAs.
    threads: Vec<Agent>,
    /// The new number of each thread.
    new_threads: Vec<Agent>,
}

/// The position of a thread among all of them.
const fn index(Agent { warp, lane }: Agent) -> usize {
    (warp as usize).saturating_mul(WARP_SIZE as usize).saturating_add(lane as usize)
}

impl ThreadPermutation {
    /// Nobody changes places.
    pub const NONE: Self =
        Self { warps_of_cta: 1, ctas: Vec::new(), new_ctas: Vec::new(), threads: Vec::new(), new_threads: Vec::new() };

    /// The slots of all CTAs by their new numbers, each with some warps.
    pub fn new(warps_of_cta: u32, ctas: Vec<u32>) -> Self {
        let mut new_ctas = vec![0; ctas.len()];
        ctas.iter().zip(0..).for_each(|(slot, new)| new_ctas[*slot as usize] = new);
        Self { warps_of_cta, ctas, new_ctas, ..Self::NONE }
    }

    /// The same where each thread has the place of another one of its CTA, before that changes places: the threads by these places, for all lanes of
    /// all warps.
    pub fn with_threads(self, places: &[Agent]) -> Self {
        let of_cta = (self.warps_of_cta * WARP_SIZE) as usize;
        let new_ctas = 0..self.ctas.len();
        let threads: Vec<Agent> =
            new_ctas.flat_map(|new| &places[self.cta_at(new) * of_cta..][..of_cta]).copied().collect();
        let mut new_threads = threads.clone();
        for (new, thread) in threads.iter().enumerate() {
            new_threads[index(*thread)] = Agent { warp: new as u32 / WARP_SIZE, lane: new as u32 % WARP_SIZE };
        }
        Self { threads, new_threads, ..self }
    }

    /// Whether threads may have changed places within their CTAs.
    pub const fn moves_threads(&self) -> bool {
        !self.threads.is_empty()
    }

    /// Whether CTAs may have changed places.
    pub const fn is_some(&self) -> bool {
        !self.ctas.is_empty()
    }

    /// The CTA that has a number now.
    pub fn cta_at(&self, new: usize) -> usize {
        self.ctas.get(new).map_or(new, |slot| *slot as usize)
    }

    /// The number that a CTA has now.
    pub fn cta(&self, slot: u32) -> u32 {
        self.new_ctas.get(slot as usize).copied().unwrap_or(slot)
    }

    /// The warp that has a number now.
    pub fn warp_at(&self, new: usize) -> usize {
        let of_cta = self.warps_of_cta as usize;
        self.cta_at(new / of_cta) * of_cta + new % of_cta
    }

    /// The thread that has a number now.
    pub fn thread_at(&self, new: Agent) -> Agent {
        self.threads.get(index(new)).copied().unwrap_or(Agent { warp: self.warp_at(new.warp as usize) as u32, ..new })
    }

    /// The number that a thread has now; other agents than threads keep theirs.
    pub fn agent(&self, agent: Agent) -> Agent {
        if let Some(new) = self.new_threads.get(index(agent)) {
            return *new;
        }
        let slot = agent.warp / self.warps_of_cta;
        Agent { warp: self.cta(slot) * self.warps_of_cta + agent.warp % self.warps_of_cta, ..agent }
    }

    /// A region with the number that its CTA has now.
    pub fn region(&self, region: RacedMemory) -> RacedMemory {
        match region {
            RacedMemory::Shared(slot) => RacedMemory::Shared(self.cta(slot as u32) as usize),
            global => global,
        }
    }

    /// The threads that have other places in another state that is like one, with those; lanes without a thread are among them.
    pub fn changes(&self, other: &Self) -> Vec<(Agent, Agent)> {
        let warps = 0..self.ctas.len() as u32 * self.warps_of_cta;
        let all = warps.flat_map(|warp| (0..WARP_SIZE).map(move |lane| Agent { warp, lane }));
        all.map(|from| (from, other.thread_at(self.agent(from)))).filter(|(from, to)| from != to).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctas_change_places_and_back() {
        let permutation = ThreadPermutation::new(2, vec![1, 2, 0]);
        let agent = |warp| Agent { warp, lane: 3 };
        assert_eq!([0, 3, 4, 9].map(|warp| permutation.agent(agent(warp))), [4, 1, 2, 9].map(agent));
        assert_eq!([0, 1, 5].map(|new| permutation.warp_at(new)), [2, 3, 1]);
        assert_eq!(permutation.changes(&permutation), []);
        let changes = permutation.changes(&ThreadPermutation::new(2, vec![0, 1, 2]));
        let of_warp = |warp| changes.iter().find(|(from, _)| *from == agent(warp)).map(|(_, to)| to.warp);
        assert_eq!([0, 1, 2, 5].map(of_warp), [Some(4), Some(5), Some(0), Some(3)]);
        assert_eq!(changes.len(), 6 * 32);
        assert_eq!(ThreadPermutation::NONE.agent(agent(7)), agent(7));
        assert_eq!(ThreadPermutation::NONE.agent(Agent::NOBODY), Agent::NOBODY);
    }

    #[test]
    fn threads_change_places_in_their_cta() {
        let mut places: Vec<Agent> = (0..64).map(|at| Agent { warp: at / 32, lane: at % 32 }).collect();
        places.swap(3, 5);
        let [three, five] = [3, 5].map(|lane| Agent { warp: 0, lane });
        let swapped = ThreadPermutation::new(1, vec![1, 0]).with_threads(&places);
        assert_eq!(swapped.agent(three), Agent { warp: 1, ..five });
        assert_eq!(swapped.thread_at(Agent { warp: 1, ..five }), three);
        assert_eq!(swapped.agent(Agent { warp: 1, ..three }), three);
        assert_eq!(swapped.agent(Agent { warp: 2, ..three }), Agent { warp: 2, ..three });
        let within = ThreadPermutation::new(1, vec![0, 1]).with_threads(&places);
        assert_eq!(within.changes(&ThreadPermutation::new(1, vec![0, 1])), [(three, five), (five, three)]);
    }
}
