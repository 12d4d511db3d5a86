//! Which events of an execution synchronize.
//!
//! Each event keeps the epoch of its agent and what happens before it. An agent that knows more after an event than before it synchronizes there
//! with the last events of others that it now knows.

use crate::clock::{Agent, Clock};
use std::collections::{BTreeMap, BTreeSet};

/// The most events that synchronize with one event. Where more do, as at a barrier of many threads, those that are next to it are kept.
const MAX_LEARNED: usize = 48;

/// The agent of an event, its epoch, and what happens before.
#[derive(Clone, Debug)]
pub struct EventMoment {
    pub agent: Agent,
    pub epoch: u32,
    pub known: Clock,
    /// Whether it arrives at a barrier, or waits for one.
    pub is_barrier: bool,
}

/// What is needed to find the events that synchronize.
pub struct Synchronizations<'r> {
    moments: &'r [EventMoment],
    /// The events of each agent, by its warp and lane.
    of_agents: BTreeMap<u32, BTreeMap<u32, Vec<usize>>>,
    /// What the agent of each event knows after it.
    behind: Vec<&'r Clock>,
}

impl<'r> Synchronizations<'r> {
    /// The moments of all events, and what agents know that have ended.
    pub fn of(moments: &'r [EventMoment], ended: &'r BTreeMap<Agent, Clock>) -> Self {
        let mut of_agents: BTreeMap<u32, BTreeMap<u32, Vec<usize>>> = BTreeMap::new();
        let mut behind: Vec<&Clock> = Vec::new();
        for (at, EventMoment { agent, known, .. }) in moments.iter().enumerate() {
            behind.push(ended.get(agent).unwrap_or(known));
            let own = of_agents.entry(agent.warp).or_default().entry(agent.lane).or_default();
            if let Some(last) = own.last() {
                behind[*last] = known;
            }
            own.push(at);
        }
        Self { moments, of_agents, behind }
    }

    /// The pairs of events that synchronize.
    pub fn all(&self) -> BTreeSet<(usize, usize)> {
        let none = Clock::default();
        let mut all = BTreeSet::new();
        for (at, EventMoment { agent, known, .. }) in self.moments.iter().enumerate() {
            let is_first = self.of_agents[&agent.warp][&agent.lane].first() == Some(&at);
            let mut found = if is_first { self.learned(at, &none, known) } else { Vec::new() };
            found.extend(self.learned(at, known, self.behind[at]));
            if found.len() > MAX_LEARNED {
                found.retain(|from| !self.is_repeated(*from, at));
                found.sort_unstable();
                found.drain(..found.len().saturating_sub(MAX_LEARNED));
            }
            let follows = |from: &usize| found.iter().any(|other| other != from && self.includes(*other, *from, at));
            all.extend(found.iter().filter(|from| !follows(from)).map(|from| (*from, at)));
        }
        let is_kept = |(from, to): &(usize, usize)| !(all.contains(&(*to, *from)) && self.is_repeated(*from, *to));
        all.iter().copied().filter(is_kept).collect()
    }

    /// Whether both have arrived at one barrier, and the second is the earlier one.
    fn is_repeated(&self, from: usize, to: usize) -> bool {
        from > to
            && self.is_barrier(from)
            && self.is_barrier(to)
            && self.is_known(to, self.behind[from])
            && !self.is_known(to, &self.moments[from].known)
    }

    fn is_barrier(&self, at: usize) -> bool {
        self.moments[at].is_barrier
    }

    /// Whether a clock says that an event happens before.
    fn is_known(&self, event: usize, clock: &Clock) -> bool {
        let EventMoment { agent, epoch, .. } = self.moments[event];
        clock.epochs(agent.warp).is_some_and(|epochs| epochs[agent.lane as usize] >= epoch)
    }

    /// The last events of other agents that are before a clock and not before an earlier one.
    fn learned(&self, at: usize, before: &Clock, behind: &Clock) -> Vec<usize> {
        let mut all = Vec::new();
        if behind.is_shared_with(before) {
            return all;
        }
        let own = self.moments[at].agent;
        for (warp, lanes) in &self.of_agents {
            let Some(new) = behind.epochs(*warp) else { continue };
            let old = before.epochs(*warp).unwrap_or(&[0; 32]);
            if std::ptr::eq(old, new) {
                continue;
            }
            for (lane, events) in lanes.iter().filter(|(lane, _)| (*warp, **lane) != (own.warp, own.lane)) {
                let (old, new) = (old[*lane as usize], new[*lane as usize]);
                let last = events.iter().rev().find(|at| self.moments[**at].epoch <= new);
                all.extend(last.filter(|last| self.moments[**last].epoch > old));
            }
        }
        all
    }

    /// Whether what one event knows already says that another one is before a third one.
    fn includes(&self, one: usize, other: usize, third: usize) -> bool {
        let is_barrier = self.is_barrier(one) && self.is_barrier(third);
        self.is_known(other, if is_barrier { &self.moments[one].known } else { self.behind[one] })
    }
}
