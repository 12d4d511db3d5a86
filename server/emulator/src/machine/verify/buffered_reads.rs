//! Whether load buffering, which is not explored, matters.

use super::super::races::{
    Agent, BufferedLoads, DecidedWrites, EarlierRead, IsUpdate, LocationKey, ReadThenWrite, StrongAccesses, ThreadPlace,
};
use super::super::state::Machine;
use super::sharing::SharedLocations;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What load buffering would need, of all states.
#[derive(Default)]
pub(super) struct BufferedReads {
    pairs: BTreeSet<ReadThenWrite>,
    /// The locations where reads acquire, or fences after them.
    acquired_at: BTreeSet<LocationKey>,
    /// The locations with writes that do not depend on what they overwrite.
    unchained: BTreeSet<LocationKey>,
    /// The strong accesses of each location.
    accesses: StrongAccesses,
    /// The locations that asynchronous reductions update.
    reduced_at: BTreeSet<LocationKey>,
    /// What the program may write because of what it reads.
    decided: Arc<DecidedWrites>,
    /// The reads of what might be missing in an execution with load buffering.
    missable: BTreeSet<ThreadPlace>,
    /// Where branches have led threads.
    led_to: BTreeSet<ThreadPlace>,
}

impl BufferedReads {
    /// Of a program, what it may write because of what it reads.
    pub fn of(decided: Arc<DecidedWrites>) -> Self {
        Self { decided, ..Self::default() }
    }

    /// Adds what happened on the way to a state.
    pub fn add(&mut self, machine: &mut Machine) {
        self.pairs.append(&mut machine.races.take_reads_then_writes());
        self.acquired_at.append(&mut machine.races.take_acquired());
        self.unchained.append(&mut machine.races.take_unchained());
        self.accesses.append(machine.races.take_strong_accesses());
        self.reduced_at.append(&mut machine.races.take_reduced());
        self.missable.append(&mut machine.races.take_missable());
        self.led_to.append(&mut machine.races.take_led_to());
    }

    /// Whether executions with load buffering may exist that end otherwise than those without.
    ///
    /// What reads of a counter read is nowhere seen, and they acquire nothing: another order of its updates is an execution, too.
    pub fn may_matter(&self, first: &Machine, shared: &SharedLocations) -> BufferedLoads {
        self.decided(|| first.races.buffered_reads(&self.seen(shared), &self.accesses))
    }

    /// The same if each thread may do what those do with which it has changed places.
    pub fn may_matter_moved(&self, first: &Machine, shared: &SharedLocations) -> BufferedLoads {
        let seen = self.seen(shared);
        let mut all = BTreeSet::new();
        for pair in &seen {
            let places = |(warp, lane)| shared.moved.places(Agent { warp, lane }).into_iter();
            for reader in places(pair.read.reader) {
                for writer in places(pair.writer) {
                    let is_one = pair.read.reader == pair.writer;
                    if is_one == (reader == writer) {
                        all.insert(pair.of_threads((reader.warp, reader.lane), (writer.warp, writer.lane)));
                    }
                }
            }
        }
        self.decided(|| first.races.buffered_reads(&all, &self.accesses))
    }

    fn decided(&self, cycles: impl FnOnce() -> BufferedLoads) -> BufferedLoads {
        let may_write_after = |read: &ThreadPlace| self.decided.may_write_after(*read, &self.led_to);
        if self.missable.iter().any(may_write_after) { BufferedLoads::Unknown } else { cycles() }
    }

    fn seen(&self, shared: &SharedLocations) -> BTreeSet<ReadThenWrite> {
        let is_seen = |key: &LocationKey| !shared.is_counter(*key) || self.acquired_at.contains(key);
        // Who reads there may read what a reduction has made of a write, and synchronizes with nobody then.
        let passes_on = |pair: &ReadThenWrite| match self.reduced_at.contains(&pair.read.location) {
            true => ReadThenWrite { read: EarlierRead { acquired: None, ..pair.read }, update: IsUpdate::No, ..*pair },
            false => *pair,
        };
        // Each write after its own one depends on that: the update reads there what depends on its earlier read.
        let follow_chain = |pair: ReadThenWrite| {
            let is_chained = pair.rewrites() && !self.unchained.contains(&pair.written);
            if is_chained { pair.depending() } else { pair }
        };
        self.pairs.iter().filter(|pair| is_seen(&pair.read.location)).map(passes_on).map(follow_chain).collect()
    }
}
