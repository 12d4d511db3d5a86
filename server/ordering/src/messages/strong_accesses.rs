//! How locations are accessed strongly in all executions: what orders the writes of each of them.

use crate::load_buffering::earlier_reads::{ReadThenWrite, ThreadKey};
use crate::release::ScopePosition;
use isa::types::Scope;
use program::memory::location::{IsUpdate, LocationKey};
use std::collections::{BTreeMap, BTreeSet};

/// The scope of asynchronous reductions.
const REDUCTION_SCOPE: Scope = Scope::Gpu;

/// The strong accesses of locations.
#[derive(Clone, Debug, Default)]
pub struct StrongAccesses {
    /// The narrowest scope of an access.
    scopes: BTreeMap<LocationKey, Scope>,
    /// Where something writes that is no read-modify-write.
    overwritten: BTreeSet<LocationKey>,
    /// The writes that do not happen before a read of the same location: who writes, and who reads; `None` is anybody.
    unordered: BTreeSet<(LocationKey, Option<ThreadKey>, Option<ThreadKey>)>,
    /// Threads that have changed places, each with one that stands for all of them there.
    places: BTreeMap<ThreadKey, ThreadKey>,
}

impl StrongAccesses {
    /// A strong read.
    pub fn read(&mut self, key: LocationKey, scope: Scope) {
        self.scopes.entry(key).and_modify(|narrowest| *narrowest = scope.min(*narrowest)).or_insert(scope);
    }

    /// A strong write.
    pub fn write(&mut self, key: LocationKey, scope: Scope, update: IsUpdate) {
        self.read(key, scope);
        if update == IsUpdate::No {
            self.overwritten.insert(key);
        }
    }

    /// An asynchronous reduction: nobody synchronizes through it.
    pub fn reduce(&mut self, key: LocationKey) {
        self.write(key, REDUCTION_SCOPE, IsUpdate::No);
        self.add_unordered(key, None, None);
    }

    /// A write, by any thread or a given one, does not happen before a read.
    pub fn add_unordered(&mut self, key: LocationKey, writer: Option<ThreadKey>, reader: Option<ThreadKey>) {
        self.unordered.insert((key, writer, reader));
    }

    /// Whether a write of a thread may not happen before a read of another one.
    pub fn may_be_unordered(&self, key: LocationKey, writer: ThreadKey, reader: ThreadKey) -> bool {
        let one = |thread| self.places.get(&thread).copied().unwrap_or(thread);
        let writers = [Some(one(writer)), None];
        let readers = [Some(one(reader)), None];
        writers.iter().any(|writer| readers.iter().any(|reader| self.unordered.contains(&(key, *writer, *reader))))
    }

    /// The same if each thread may do what those do with which it has changed places.
    pub fn moved(&self, places: &dyn Fn(ThreadKey) -> Vec<ThreadKey>) -> Self {
        let threads = self.unordered.iter().flat_map(|(_, writer, reader)| [*writer, *reader]).flatten();
        let threads: BTreeSet<ThreadKey> = threads.collect();
        let first = |thread| places(thread).into_iter().min().unwrap_or(thread);
        let all =
            threads.into_iter().flat_map(|thread| places(thread).into_iter().map(move |place| (place, first(thread))));
        let known: BTreeMap<ThreadKey, ThreadKey> = all.collect();
        let one = |thread: Option<ThreadKey>| thread.map(|thread| known.get(&thread).copied().unwrap_or(thread));
        let unordered = self.unordered.iter().map(|(key, writer, reader)| (*key, one(*writer), one(*reader)));
        Self { unordered: unordered.collect(), places: known, ..self.clone() }
    }

    /// A write that is not strong, or of another size.
    pub fn overwrite(&mut self, key: LocationKey) {
        self.overwritten.insert(key);
        self.add_unordered(key, None, None);
    }

    /// Adds others.
    pub fn append(&mut self, others: Self) {
        for (key, scope) in others.scopes {
            self.read(key, scope);
        }
        self.overwritten.extend(others.overwritten);
        self.unordered.extend(others.unordered);
    }

    /// The locations of some pairs whose accesses are all morally strong: their coherence order is that of what the threads observe.
    pub fn coherent(
        &self,
        pairs: &BTreeSet<ReadThenWrite>,
        position: &dyn Fn(ThreadKey) -> ScopePosition,
    ) -> BTreeSet<LocationKey> {
        let accesses =
            pairs.iter().flat_map(|pair| [(pair.read.location, pair.read.reader), (pair.written, pair.writer)]);
        let mut widest: BTreeMap<LocationKey, (ScopePosition, Scope)> = BTreeMap::new();
        for (key, thread) in accesses {
            let at = position(thread);
            let (first, distance) = widest.entry(key).or_insert((at, Scope::Cta));
            *distance = first.distance(at).max(*distance);
        }
        let is_coherent =
            |key: &LocationKey, distance: Scope| self.scopes.get(key).is_some_and(|scope| *scope >= distance);
        widest.into_iter().filter(|(key, (_, distance))| is_coherent(key, *distance)).map(|(key, _)| key).collect()
    }

    /// Whether all writes of a location are read-modify-writes, each of what is before it.
    pub fn is_chain(&self, key: LocationKey) -> bool {
        !self.overwritten.contains(&key)
    }
}
