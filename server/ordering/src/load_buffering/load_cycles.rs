//! Whether strong writes after strong reads can form a cycle in which each read reads what the one before writes.
//!
//! In an execution with such a cycle there is one in which each thread has to do with one pair only, as its reader, its writer or both: of two accesses
//! of a thread to which pairs lead, or which lead to pairs, the earlier one is before what the later one leads to, so that some pairs can be left
//! out. If one pair remains, its read would read what is after it. No such cycle is
//! - one of dependencies alone: a value out of thin air;
//! - one in which all reads but at most one synchronize with the writes that they read: the last one would read what is after it;
//! - one in which all reads that do not synchronize are of a single location: what such a read observes is before the next write that is observed
//!   so, and coherence orders those in a circle. That needs accesses that are morally strong.
//! - one with a read of a write that happens before it in each execution without load buffering, where all that decides about that is a dependency of
//!   the next write.
//!
//! The second and the third need that each read happens before the write of its pair. Where threads have only waited for each other, it may not.
//!
//! A read synchronizes with the release of a write that it does not read, if what it reads is made of that by read-modify-writes. Where all writes of
//! a location are such, each later one is.

use crate::load_buffering::earlier_reads::{AcquiredReads, BarrierThreads, PassedOrder, ReadThenWrite, ThreadKey};
use crate::messages::strong_accesses::StrongAccesses;
use crate::release::ScopePosition;
use isa::types::Scope;
use program::memory::location::{IsUpdate, LocationKey};
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What a search may cost before there may be a cycle, in pairs that are looked at as the next one of a path.
const MAX_STEPS: usize = 3_000_000;

/// What a path costs beside the pairs after it.
const PATH_STEPS: usize = 30;

/// Whether load buffering may exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BufferedLoads {
    /// It does not.
    #[default]
    None,
    /// If it does, each cycle goes through a read by one of these instructions.
    Through(BTreeSet<CodePlace>),
    /// It may.
    Unknown,
}

/// The cycles that pairs can form; not known if the search for them is cancelled.
pub fn cycles(
    pairs: &BTreeSet<ReadThenWrite>,
    accesses: &StrongAccesses,
    position: &dyn Fn(ThreadKey) -> ScopePosition,
    cancelled: &dyn Fn() -> bool,
) -> BufferedLoads {
    let coherent = accesses.coherent(pairs, position);
    let pairs = in_cycles(pairs);
    let mut readers: BTreeMap<LocationKey, Vec<&ReadThenWrite>> = BTreeMap::new();
    for pair in &pairs {
        readers.entry(pair.read.location).or_default().push(pair);
    }
    let (threads, left) = (PathThreads::Any, MAX_STEPS);
    let mut search = CycleSearch { readers, coherent, accesses, position, cancelled, threads, left };
    let mut starts: Vec<&ReadThenWrite> = pairs.iter().filter(|pair| !pair.depends()).copied().collect();
    // There are far fewer paths if their threads do not matter, and seldom other cycles.
    for threads in [PathThreads::Any, PathThreads::Different] {
        search = CycleSearch { threads, left: MAX_STEPS, ..search };
        let is_last = threads == PathThreads::Different;
        starts.retain(|start| search.left == 0 && !is_last || search.may_have_cycle(start));
    }
    let places: Option<BTreeSet<CodePlace>> = starts.iter().map(|start| start.read.place).collect();
    match places {
        Some(none) if none.is_empty() => BufferedLoads::None,
        Some(places) if search.left > 0 => BufferedLoads::Through(places),
        _ => BufferedLoads::Unknown,
    }
}

/// The reads of pairs whose locations can lead back to each other.
pub fn reads_in_cycles(pairs: &BTreeSet<ReadThenWrite>) -> BTreeSet<CodePlace> {
    in_cycles(pairs).into_iter().filter_map(|pair| pair.read.place).collect()
}

/// The pairs whose locations can lead back to each other.
fn in_cycles(pairs: &BTreeSet<ReadThenWrite>) -> Vec<&ReadThenWrite> {
    let mut kept: Vec<&ReadThenWrite> = pairs.iter().collect();
    loop {
        let (mut read, mut written) = (BTreeMap::new(), BTreeMap::new());
        for pair in &kept {
            read.entry(pair.read.location).or_insert_with(HashSet::new).insert(pair.read.reader);
            written.entry(pair.written).or_insert_with(HashSet::new).insert(pair.writer);
        }
        let has_other = |all: &BTreeMap<LocationKey, HashSet<ThreadKey>>, key: &LocationKey, own: ThreadKey| {
            all.get(key).is_some_and(|threads| threads.iter().any(|thread| *thread != own))
        };
        let before = kept.len();
        kept.retain(|pair| {
            has_other(&read, &pair.written, pair.writer) && has_other(&written, &pair.read.location, pair.read.reader)
        });
        if kept.len() == before {
            return kept;
        }
    }
}

/// Of which threads the pairs of a path are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathThreads {
    /// Of any: each cycle of different threads is one of these.
    Any,
    /// Of different ones.
    Different,
}

struct CycleSearch<'s> {
    /// The pairs by the location of their reads.
    readers: BTreeMap<LocationKey, Vec<&'s ReadThenWrite>>,
    /// The locations whose accesses are morally strong.
    coherent: BTreeSet<LocationKey>,
    accesses: &'s StrongAccesses,
    position: &'s dyn Fn(ThreadKey) -> ScopePosition,
    cancelled: &'s dyn Fn() -> bool,
    threads: PathThreads,
    /// What the search may still cost.
    left: usize,
}

/// The reads of a path that need not synchronize with the writes that they read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum UnsynchronizedReads {
    /// There are none.
    None,
    /// One, of accesses that may not be morally strong.
    One,
    /// Those of a location with morally strong accesses.
    At(LocationKey),
    /// Others.
    Several,
}

/// Whose release the first pair of a path passes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstRelease {
    /// Its own one, if there is one.
    Own,
    /// The last one of the cycle.
    Last,
}

/// A release that readers of the last write of a path can synchronize with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ReadRelease {
    /// It is known.
    Known(PathRelease),
    /// The last one of the cycle, which the first pair passes on.
    Last,
}

/// Who synchronizes with the last release of a cycle, and in which scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct LastAcquire {
    thread: ThreadKey,
    scope: Scope,
}

/// A release: of which thread, in which scope, and which reads before it did not synchronize.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PathRelease {
    thread: ThreadKey,
    scope: Scope,
    unsynchronized: UnsynchronizedReads,
}

/// A path from a read on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ReadPath<'s> {
    last: &'s ReadThenWrite,
    release: Option<ReadRelease>,
    /// An earlier release that they can synchronize with, too, before which all reads synchronized.
    earlier_release: Option<PathRelease>,
    /// The last one that synchronizes with the last release of the cycle.
    acquire: Option<LastAcquire>,
    /// Those since then.
    unsynchronized: UnsynchronizedReads,
    /// The threads of its pairs, if they are different ones.
    threads: BTreeSet<ThreadKey>,
    /// Whether it has one pair.
    is_first: bool,
    /// Whether each read happens before the write of its pair; else nothing but the axioms of dependencies is known of a cycle.
    order: PassedOrder,
}

impl<'s> CycleSearch<'s> {
    fn may_have_cycle(&mut self, start: &'s ReadThenWrite) -> bool {
        let passes_on = self.is_later(start);
        self.has_cycle(start, FirstRelease::Own) && (!passes_on || self.has_cycle(start, FirstRelease::Last))
    }

    /// Whether the read of a pair may read the write of another one: that does not happen before it in each execution.
    fn may_read(&self, write: &ReadThenWrite, read: &ReadThenWrite) -> bool {
        let (writer, reader) = (write.writer, read.read.reader);
        read.acquired == AcquiredReads::Unknown || self.accesses.may_be_unordered(write.written, writer, reader)
    }

    /// Whether the write of a pair is made of what its read reads by read-modify-writes.
    fn is_later(&self, pair: &ReadThenWrite) -> bool {
        let location = pair.read.location;
        location == pair.written && self.coherent.contains(&location) && self.accesses.is_chain(location)
    }

    fn has_cycle(&mut self, start: &'s ReadThenWrite, release: FirstRelease) -> bool {
        let first = ReadPath {
            last: start,
            release: match release {
                FirstRelease::Own => own_release(start, UnsynchronizedReads::None),
                FirstRelease::Last => Some(ReadRelease::Last),
            },
            earlier_release: None,
            acquire: None,
            unsynchronized: UnsynchronizedReads::None,
            threads: self.threads_with(&BTreeSet::new(), start),
            is_first: true,
            order: start.order,
        };
        let (mut open, mut seen) = (vec![first], HashSet::new());
        while let Some(path) = open.pop() {
            let following = self.readers.get(&path.last.written).map_or(&[][..], Vec::as_slice);
            self.left = self.left.saturating_sub(PATH_STEPS + following.len());
            if self.left == 0 || (self.cancelled)() {
                self.left = 0;
                return true;
            }
            for next in following.iter().copied() {
                if !self.may_read(path.last, next) {
                    continue;
                }
                let is_end = next == start && (!path.is_first || start.order == PassedOrder::Executed);
                let is_own = next.read.reader == path.last.writer;
                let is_there = path.threads.contains(&next.read.reader) || path.threads.contains(&next.writer);
                if !is_end && (is_own || is_there) {
                    continue;
                }
                if is_end {
                    if path.order == PassedOrder::Executed
                        || self.unsynchronized_of_cycle(&path, start) == UnsynchronizedReads::Several
                    {
                        return true;
                    }
                } else {
                    let next = self.with(&path, next);
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        false
    }

    /// Those of a whole cycle.
    fn unsynchronized_of_cycle(&self, path: &ReadPath, start: &ReadThenWrite) -> UnsynchronizedReads {
        let Some(LastAcquire { thread, scope: acquired }) = path.acquire else {
            return self.unsynchronized(path, start);
        };
        match path.release {
            Some(ReadRelease::Known(release)) if self.synchronizes(release, acquired, thread) => release.unsynchronized,
            _ => UnsynchronizedReads::Several,
        }
    }

    fn synchronizes(&self, release: PathRelease, acquired: Scope, thread: ThreadKey) -> bool {
        release.scope.min(acquired) >= (self.position)(release.thread).distance((self.position)(thread))
    }

    /// The reads up to one of the last write that need not synchronize.
    fn unsynchronized(&self, path: &ReadPath, next: &ReadThenWrite) -> UnsynchronizedReads {
        let last = path.last;
        let (from, to) = ((self.position)(last.read.reader), (self.position)(next.read.reader));
        let narrowest = last.read.barrier.min(next.read.barrier);
        // Both have waited for the other one between their read and their write: the later read is after the earlier one.
        let is_behind_barrier = match narrowest {
            None => false,
            Some(BarrierThreads::Warp) => last.read.reader.0 == next.read.reader.0,
            Some(BarrierThreads::Cta) => from.cta == to.cta,
        };
        if is_behind_barrier {
            return path.unsynchronized;
        }
        match (path.release, next.read.acquired) {
            (Some(ReadRelease::Last), Some(_)) => UnsynchronizedReads::None,
            (_, Some(acquired))
                if path
                    .earlier_release
                    .is_some_and(|release| self.synchronizes(release, acquired, next.read.reader)) =>
            {
                UnsynchronizedReads::None
            }
            (Some(ReadRelease::Known(release)), Some(acquired))
                if self.synchronizes(release, acquired, next.read.reader) =>
            {
                release.unsynchronized
            }
            _ => path.unsynchronized.with(next.read.location, &self.coherent),
        }
    }

    fn with(&self, path: &ReadPath<'s>, next: &'s ReadThenWrite) -> ReadPath<'s> {
        let unsynchronized = self.unsynchronized(path, next);
        let carries = next.update == IsUpdate::Yes || self.is_later(next);
        let carried = path.release.filter(|_| carries);
        let release = own_release(next, unsynchronized).or(carried);
        let is_last = path.release == Some(ReadRelease::Last);
        let acquire = next.read.acquired.filter(|_| is_last);
        ReadPath {
            last: next,
            release,
            earlier_release: earlier_release(path, release).filter(|_| carries),
            acquire: acquire.map(|scope| LastAcquire { thread: next.read.reader, scope }).or(path.acquire),
            unsynchronized,
            threads: self.threads_with(&path.threads, next),
            is_first: false,
            order: path.order.max(next.order),
        }
    }

    fn threads_with(&self, threads: &BTreeSet<ThreadKey>, pair: &ReadThenWrite) -> BTreeSet<ThreadKey> {
        match self.threads {
            PathThreads::Any => BTreeSet::new(),
            PathThreads::Different => threads.iter().copied().chain([pair.read.reader, pair.writer]).collect(),
        }
    }
}

impl UnsynchronizedReads {
    /// The same with one of a location.
    fn with(self, location: LocationKey, coherent: &BTreeSet<LocationKey>) -> Self {
        match self {
            Self::None if coherent.contains(&location) => Self::At(location),
            Self::None => Self::One,
            Self::At(at) if at == location => self,
            Self::At(_) | Self::One | Self::Several => Self::Several,
        }
    }
}

/// A release that a write passes on beside its own one, or beside the last one that it passes on: the one that is worth more.
fn earlier_release(path: &ReadPath, release: Option<ReadRelease>) -> Option<PathRelease> {
    let is_clean = |release: &PathRelease| release.unsynchronized == UnsynchronizedReads::None;
    let known = |release| match release {
        ReadRelease::Known(release) => Some(release).filter(is_clean),
        ReadRelease::Last => None,
    };
    let earlier = path.earlier_release.or(path.release.and_then(known));
    earlier.filter(|_| release.and_then(known).is_none())
}

/// The release of the write of a pair.
fn own_release(pair: &ReadThenWrite, unsynchronized: UnsynchronizedReads) -> Option<ReadRelease> {
    let release = |scope| ReadRelease::Known(PathRelease { thread: pair.writer, scope, unsynchronized });
    pair.read.released.map(release)
}
