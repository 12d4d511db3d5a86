//! Whether load buffering, which is not explored, matters.

use super::super::races::{Agent, BufferedLoads, EarlierRead, IsUpdate, LocationKey, ReadThenWrite};
use super::super::state::Machine;
use super::sharing::SharedLocations;
use std::collections::BTreeSet;

/// What load buffering would need, of all states.
#[derive(Default)]
pub(super) struct BufferedReads {
    pairs: BTreeSet<ReadThenWrite>,
    /// The locations where reads acquire, or fences after them.
    acquired_at: BTreeSet<LocationKey>,
    /// The locations with writes that do not depend on what they overwrite.
    unchained: BTreeSet<LocationKey>,
    /// The locations that asynchronous reductions update.
    reduced_at: BTreeSet<LocationKey>,
}

impl BufferedReads {
    /// Adds what happened on the way to a state.
    pub fn add(&mut self, machine: &mut Machine) {
        self.pairs.append(&mut machine.races.take_reads_then_writes());
        self.acquired_at.append(&mut machine.races.take_acquired());
        self.unchained.append(&mut machine.races.take_unchained());
        self.reduced_at.append(&mut machine.races.take_reduced());
    }

    /// Whether executions with load buffering may exist that end otherwise than those without.
    ///
    /// What reads of a counter read is nowhere seen, and they acquire nothing: another order of its updates is an execution, too.
    pub fn may_matter(&self, first: &Machine, shared: &SharedLocations) -> BufferedLoads {
        first.races.buffered_reads(&self.seen(shared))
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
        first.races.buffered_reads(&all)
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
