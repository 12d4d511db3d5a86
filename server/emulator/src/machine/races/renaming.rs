//! Other numbers for CTAs: two states are alike if one is the other with CTAs that have changed places.

use super::clock::Agent;
use super::location::RacedMemory;

/// CTAs that change places with all that is theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renaming {
    warps_of_cta: u32,
    /// The slots of the CTAs, by their new numbers; empty if all keep theirs.
    ctas: Vec<u32>,
    /// The new number of each CTA.
    new_ctas: Vec<u32>,
}

impl Renaming {
    /// Nobody changes places.
    pub const NONE: Self = Self { warps_of_cta: 1, ctas: Vec::new(), new_ctas: Vec::new() };

    /// The slots of all CTAs by their new numbers, each with some warps.
    pub fn new(warps_of_cta: u32, ctas: Vec<u32>) -> Self {
        let mut new_ctas = vec![0; ctas.len()];
        ctas.iter().zip(0..).for_each(|(slot, new)| new_ctas[*slot as usize] = new);
        Self { warps_of_cta, ctas, new_ctas }
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

    /// The number that a thread has now; other agents than threads keep theirs.
    pub fn agent(&self, agent: Agent) -> Agent {
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

    /// The CTAs that have other places in another state that is like one, with those.
    pub fn changes(&self, other: &Self) -> Vec<(usize, usize)> {
        let all = (0..self.ctas.len()).map(|slot| (slot, other.cta_at(self.cta(slot as u32) as usize)));
        all.filter(|(from, to)| from != to).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctas_change_places_and_back() {
        let renaming = Renaming::new(2, vec![1, 2, 0]);
        let agent = |warp| Agent { warp, lane: 3 };
        assert_eq!([0, 3, 4, 9].map(|warp| renaming.agent(agent(warp))), [4, 1, 2, 9].map(agent));
        assert_eq!([0, 1, 5].map(|new| renaming.warp_at(new)), [2, 3, 1]);
        assert_eq!(renaming.changes(&renaming), []);
        assert_eq!(renaming.changes(&Renaming::new(2, vec![0, 1, 2])), [(0, 2), (1, 0), (2, 1)]);
        assert_eq!(Renaming::NONE.agent(agent(7)), agent(7));
    }
}
