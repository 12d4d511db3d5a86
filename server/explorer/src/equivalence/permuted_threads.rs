//! The threads that have changed places in a search.
//!
//! What is found there about one thread is then true of others, too: what it reads and writes after it has changed places is what the other one does.

use ordering::Agent;
use std::collections::{BTreeMap, BTreeSet};

/// Threads, and with which others they have changed places, if only in several steps.
#[derive(Clone, Debug, Default)]
pub struct PermutedThreads {
    /// For each thread another one of its group, up to one that stands for all of them.
    groups: BTreeMap<Agent, Agent>,
    members: BTreeSet<Agent>,
    /// The slots of CTAs.
    ctas: BTreeSet<usize>,
}

impl PermutedThreads {
    /// A thread of a CTA has taken the place of one of another CTA, or of the same.
    pub fn add(&mut self, (from, from_cta): (Agent, usize), (to, to_cta): (Agent, usize)) {
        self.members.extend([from, to]);
        if from_cta != to_cta {
            self.ctas.extend([from_cta, to_cta]);
        }
        let (one, two) = (self.group(from), self.group(to));
        if one != two {
            self.groups.insert(one, two);
        }
    }

    fn group(&self, mut agent: Agent) -> Agent {
        while let Some(next) = self.groups.get(&agent) {
            agent = *next;
        }
        agent
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether a thread has changed places.
    pub fn contains(&self, agent: Agent) -> bool {
        self.members.contains(&agent)
    }

    /// Whether a CTA has.
    pub fn contains_cta(&self, slot: usize) -> bool {
        self.ctas.contains(&slot)
    }

    /// The threads in whose places a thread may be, itself included.
    pub fn places(&self, agent: Agent) -> Vec<Agent> {
        if !self.contains(agent) {
            return vec![agent];
        }
        let group = self.group(agent);
        self.members.iter().filter(|member| self.group(**member) == group).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_changed_places_with_one_has_done_so_with_its_group() {
        let agent = |warp| Agent { warp, lane: 0 };
        let mut moved = PermutedThreads::default();
        assert!(moved.is_empty());
        moved.add((agent(0), 0), (agent(1), 1));
        moved.add((agent(3), 3), (agent(1), 1));
        moved.add((agent(5), 4), (agent(6), 4));
        assert_eq!(moved.places(agent(0)), [agent(0), agent(1), agent(3)]);
        assert_eq!((moved.places(agent(2)), moved.places(agent(6))), (vec![agent(2)], vec![agent(5), agent(6)]));
        assert!(moved.contains_cta(3) && !moved.contains_cta(4));
    }
}
