//! Writes that a thread has observed: causality order has a strong write before all that happens after a read that observes it, with or without
//! a release, and the same holds for the writes that it updates (PTX ISA, Memory Consistency Model: Observation order, Causality order). It does not
//! hold for writes that were overwritten by others than updates.
//!
//! That orders accesses to the location itself only, so it matters where weak accesses meet strong ones: the last of several threads that count
//! may reset the counter by a plain store. Such locations are few. They are followed when all executions are explored, from the second search on.

use crate::clock::{Agent, Clock};
use crate::shadow::shadow_access::ShadowAccess;
use program::lanes::lanes_of;
use program::memory::location::{LocationKey, RacedMemory};
use std::collections::{BTreeMap, BTreeSet};

/// A write of a thread, and its writes before that one to the same location that reading it does not observe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChainedWrite {
    /// The thread.
    pub writer: Agent,
    /// The epoch of its last earlier write that was not updated up to this one; 0 if there is none.
    pub older: u32,
}

impl ChainedWrite {
    /// Whether the earlier writes happen before what a clock knows.
    pub fn is_older_before(&self, known: &Clock) -> bool {
        let epochs = known.epochs(self.writer.warp);
        self.older == 0 || epochs.is_some_and(|epochs| epochs[self.writer.lane as usize] >= self.older)
    }
}

/// A thread that has observed the last write of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedWrite {
    /// The write.
    pub write: ChainedWrite,
    /// The thread that has observed it.
    pub observer: Agent,
    /// The epoch in which it did.
    pub epoch: u32,
}

impl ObservedWrite {
    /// Whether the observation is one of an agent, or happens before what a clock knows.
    pub fn is_before(&self, own: Option<Agent>, known: &Clock) -> bool {
        let epochs = known.epochs(self.observer.warp);
        own == Some(self.observer) || epochs.is_some_and(|epochs| epochs[self.observer.lane as usize] >= self.epoch)
    }
}

/// The writes that threads have observed, to the locations that are followed.
#[derive(Clone, Debug, Default)]
pub struct ObservedWrites {
    followed: BTreeSet<LocationKey>,
    known: BTreeMap<LocationKey, Vec<ObservedWrite>>,
    /// The epoch of the last write of each thread.
    last: BTreeMap<(LocationKey, Agent), u32>,
    /// The locations that should be followed.
    missing: BTreeSet<LocationKey>,
}

impl ObservedWrites {
    /// Follows some locations.
    pub fn of_locations(followed: BTreeSet<LocationKey>) -> Self {
        Self { followed, ..Self::default() }
    }

    /// Whether a location is followed.
    pub fn follows(&self, key: LocationKey) -> bool {
        self.followed.contains(&key)
    }

    /// A thread has observed the last writes of others.
    pub fn observe(&mut self, key: LocationKey, writes: &[ChainedWrite], observer: Agent, epoch: u32) {
        let known = self.known.entry(key).or_default();
        for write in writes.iter().filter(|write| write.writer != observer) {
            let says_more = |one: &ObservedWrite| {
                (one.write.writer, one.observer) == (write.writer, observer) && one.write.older <= write.older
            };
            if !known.iter().any(says_more) {
                known.push(ObservedWrite { write: *write, observer, epoch });
            }
        }
    }

    /// A thread writes: nobody has observed that yet. `updated` are the writes that are observed with it; returns what is, of its own ones.
    pub fn write(&mut self, key: LocationKey, writer: Agent, epoch: u32, updated: &[ChainedWrite]) -> ChainedWrite {
        if let Some(known) = self.known.get_mut(&key) {
            known.retain(|one| one.write.writer != writer);
        }
        let before = self.last.insert((key, writer), epoch).unwrap_or(0);
        let chained = updated.iter().find(|write| write.writer == writer);
        chained.copied().unwrap_or(ChainedWrite { writer, older: before })
    }

    /// Whether an earlier write of threads to a word is before an access of an agent, because they were observed. If its location is not
    /// followed, it is taken for missing, and nothing is said about it.
    pub fn is_before(
        &mut self,
        (region, word): (RacedMemory, usize),
        earlier: &ShadowAccess,
        (agent, known): (Agent, &Clock),
    ) -> bool {
        let key = (region, earlier.offset(word));
        if !self.followed.contains(&key) {
            self.missing.insert(key);
            return true;
        }
        let observed = self.known.get(&key).map_or(&[][..], |observed| observed);
        lanes_of(earlier.lanes).all(|lane| {
            let writer = Agent { warp: earlier.warp, lane: lane as u32 };
            let is_before = |one: &ObservedWrite| {
                one.write.writer == writer && one.is_before(Some(agent), known) && one.write.is_older_before(known)
            };
            writer == agent || observed.iter().any(is_before)
        })
    }

    /// The locations that should have been followed since the last call.
    pub fn drain_missing(&mut self) -> BTreeSet<LocationKey> {
        std::mem::take(&mut self.missing)
    }

    /// All that were observed, in a fixed order.
    pub fn all(&self) -> impl Iterator<Item = (&LocationKey, &ObservedWrite)> {
        self.known.iter().flat_map(|(key, all)| all.iter().map(move |one| (key, one)))
    }

    /// The last write of each thread, as what later ones would not observe.
    pub fn last_writes(&self) -> impl Iterator<Item = (&LocationKey, ChainedWrite)> {
        self.last.iter().map(|((key, writer), epoch)| (key, ChainedWrite { writer: *writer, older: *epoch }))
    }

    /// Brings what was observed into an order that does not depend on the steps.
    pub fn sort(&mut self) {
        self.known.values_mut().for_each(|all| all.sort_unstable_by_key(|one| (one.write, one.observer)));
    }
}
