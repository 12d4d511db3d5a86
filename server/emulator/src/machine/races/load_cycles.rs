//! Whether strong writes after strong reads can form a cycle in which each read reads what the one before writes.
//!
//! In an execution with such a cycle there is one in which each thread has to do with one pair only, as its reader, its writer or both: of two accesses
//! of a thread to which pairs lead, or which lead to pairs, the earlier one is before what the later one leads to, so that some pairs can be left
//! out. If one pair remains, its read would read what is after it. No such cycle is
//! - one of dependencies alone: a value out of thin air;
//! - one in which all reads but at most one synchronize with the writes that they read: the last one would read what is after it. Reads of a
//!   location one after the other, each but the last one of a read-modify-write, are one: the last one observes the first write;
//! - one in a single location: that contradicts coherence.
//!
//! The last two need that each read happens before the write of its pair. Where threads have only waited for each other, it may not.

use super::super::problem::CodePlace;
use super::earlier_reads::{BarrierThreads, PassedOrder, ReadThenWrite, ThreadKey};
use super::release::ScopePosition;
use super::{IsUpdate, LocationKey};
use isa::types::Scope;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The most paths that are searched before there may be a cycle.
const MAX_PATHS: usize = 100_000;

/// The reads of a cycle that need not synchronize for the cycle to be no contradiction.
const UNSYNCHRONIZED: u8 = 2;

/// The most that are counted.
const MOST_UNSYNCHRONIZED: u8 = UNSYNCHRONIZED + 2;

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

/// The cycles that pairs can form.
pub fn cycles(pairs: &BTreeSet<ReadThenWrite>, position: &dyn Fn(ThreadKey) -> ScopePosition) -> BufferedLoads {
    let pairs = in_cycles(pairs);
    let mut readers: BTreeMap<LocationKey, Vec<&ReadThenWrite>> = BTreeMap::new();
    for pair in &pairs {
        readers.entry(pair.read.location).or_default().push(pair);
    }
    let mut search = CycleSearch { readers, position, paths: 0 };
    let starts = pairs.iter().filter(|pair| !pair.depends());
    let found: Option<BTreeSet<CodePlace>> =
        starts.filter(|start| search.has_cycle(start)).map(|start| start.read.place).collect();
    match found {
        Some(none) if none.is_empty() => BufferedLoads::None,
        Some(places) if search.paths <= MAX_PATHS => BufferedLoads::Through(places),
        _ => BufferedLoads::Unknown,
    }
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

struct CycleSearch<'s> {
    /// The pairs by the location of their reads.
    readers: BTreeMap<LocationKey, Vec<&'s ReadThenWrite>>,
    position: &'s dyn Fn(ThreadKey) -> ScopePosition,
    paths: usize,
}

/// A release that readers of the last write of a path can synchronize with: of which thread, in which scope, and how many reads before it did not
/// synchronize.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PathRelease {
    thread: ThreadKey,
    scope: Scope,
    unsynchronized: u8,
}

/// A path from a read on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ReadPath<'s> {
    last: &'s ReadThenWrite,
    release: Option<PathRelease>,
    unsynchronized: u8,
    /// The same before the read-modify-writes at its end.
    before_updates: u8,
    /// The same after the first read.
    first: u8,
    /// The location, if there is only one.
    single: Option<LocationKey>,
    /// The threads of its pairs.
    threads: BTreeSet<ThreadKey>,
    /// Whether it has one pair.
    is_first: bool,
    /// Whether each read happens before the write of its pair; else nothing but the axioms of dependencies is known of a cycle.
    order: PassedOrder,
}

impl<'s> CycleSearch<'s> {
    fn has_cycle(&mut self, start: &'s ReadThenWrite) -> bool {
        let first = ReadPath {
            last: start,
            release: own_release(start, 0),
            unsynchronized: 0,
            before_updates: 0,
            first: 0,
            single: Some(start.written).filter(|written| start.read.location == *written),
            threads: BTreeSet::from([start.read.reader, start.writer]),
            is_first: true,
            order: start.order,
        };
        let (mut open, mut seen) = (vec![first], HashSet::new());
        while let Some(path) = open.pop() {
            self.paths += 1;
            if self.paths > MAX_PATHS {
                return true;
            }
            for next in self.readers.get(&path.last.written).into_iter().flatten().copied() {
                let is_end = next == start && (!path.is_first || start.order == PassedOrder::Executed);
                if !is_end && (path.threads.contains(&next.read.reader) || path.threads.contains(&next.writer)) {
                    continue;
                }
                let unsynchronized = self.unsynchronized(&path, next);
                if is_end {
                    // The first and the last read may be one after the other.
                    let is_joined = start.update == IsUpdate::Yes && unsynchronized > path.unsynchronized;
                    let unsynchronized = unsynchronized - if is_joined { path.first } else { 0 };
                    let is_contradiction = path.single.is_some() || unsynchronized < UNSYNCHRONIZED;
                    if path.order == PassedOrder::Executed || !is_contradiction {
                        return true;
                    }
                } else {
                    let next = path.with(next, unsynchronized);
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        false
    }

    /// The reads up to one of the last write that need not synchronize.
    fn unsynchronized(&self, path: &ReadPath, next: &ReadThenWrite) -> u8 {
        let more = (path.before_updates + 1).max(path.unsynchronized).min(MOST_UNSYNCHRONIZED);
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
            (Some(PathRelease { thread, scope, unsynchronized }), Some(acquired))
                if scope.min(acquired) >= (self.position)(thread).distance(to) =>
            {
                more.min(unsynchronized)
            }
            _ => more,
        }
    }
}

impl<'s> ReadPath<'s> {
    fn with(&self, next: &'s ReadThenWrite, unsynchronized: u8) -> Self {
        let carried = if next.update == IsUpdate::Yes { self.release } else { None };
        let before_updates = match next.update {
            IsUpdate::Yes => self.before_updates.min(unsynchronized),
            IsUpdate::No => unsynchronized,
        };
        let mut threads = self.threads.clone();
        threads.extend([next.read.reader, next.writer]);
        Self {
            last: next,
            release: own_release(next, unsynchronized).or(carried),
            unsynchronized,
            before_updates,
            first: if self.is_first { unsynchronized } else { self.first.min(unsynchronized) },
            single: self.single.filter(|one| next.read.location == *one && next.written == *one),
            threads,
            is_first: false,
            order: self.order.max(next.order),
        }
    }
}

/// The release of the write of a pair.
fn own_release(pair: &ReadThenWrite, unsynchronized: u8) -> Option<PathRelease> {
    pair.read.released.map(|scope| PathRelease { thread: pair.writer, scope, unsynchronized })
}
