//! Load buffering: cycles in which each thread reads what another one writes after its own read.
//!
//! Such a cycle is forbidden if one of its reads synchronizes with the write that it reads, so fences and orders on both sides matter, and if each
//! write depends on the read of its thread: here after a branch that is taken for what was read. Other executions
//! of that kind are not explored. Here is recorded what they would need: strong writes after strong reads of the same thread.

use super::super::problem::CodePlace;
use super::clock::Agent;
use super::release::ScopePosition;
use super::{LocationKey, Races};
use isa::types::Scope;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A strong read that has been executed: its location, and the scopes in which accesses after it acquire and release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EarlierRead {
    location: LocationKey,
    acquired: Option<Scope>,
    released: Option<Scope>,
    influence: ReadInfluence,
}

/// Whether what the thread does next depends on a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum ReadInfluence {
    /// That is not known.
    Unknown,
    /// It will, after a branch.
    Awaited { read: CodePlace, branch: CodePlace },
    /// It does.
    Controls,
}

/// The strong reads of each thread.
pub type EarlierReads = BTreeMap<(u32, u32), BTreeSet<EarlierRead>>;

/// A strong write after a strong read of the same thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReadThenWrite {
    thread: (u32, u32),
    read: EarlierRead,
    written: LocationKey,
    /// Whether they are one read-modify-write.
    is_update: bool,
}

impl Races {
    /// A strong read, with the scope in which it acquires.
    pub(super) fn add_read(&mut self, agent: Agent, location: LocationKey, acquired: Option<Scope>, place: CodePlace) {
        let function = self.controlled_branches.get(place.function as usize);
        let branch = function.and_then(|function| *function.get(place.instruction as usize)?);
        let awaited = |instruction| ReadInfluence::Awaited { read: place, branch: CodePlace { instruction, ..place } };
        let influence = branch.map_or(ReadInfluence::Unknown, awaited);
        let read = EarlierRead { location, acquired, released: None, influence };
        self.earlier_reads.entry((agent.warp, agent.lane)).or_default().insert(read);
    }

    /// A thread executes an instruction again that has read something before: no branch depends on that any more.
    pub fn read_again(&mut self, agent: Agent, place: CodePlace) {
        self.influence(agent, |influence| match influence {
            ReadInfluence::Awaited { read, .. } if read == place => ReadInfluence::Unknown,
            other => other,
        });
    }

    /// A thread executes a branch: what it does after it depends on the reads that its guard is computed from.
    pub fn branch(&mut self, agent: Agent, place: CodePlace) {
        self.influence(agent, |influence| match influence {
            ReadInfluence::Awaited { branch, .. } if branch == place => ReadInfluence::Controls,
            other => other,
        });
    }

    fn influence(&mut self, agent: Agent, change: impl Fn(ReadInfluence) -> ReadInfluence) {
        let Some(reads) = self.earlier_reads.get_mut(&(agent.warp, agent.lane)) else { return };
        if reads.iter().any(|read| change(read.influence) != read.influence) {
            *reads = reads.iter().map(|read| EarlierRead { influence: change(read.influence), ..*read }).collect();
        }
    }

    /// A strong write, with the scope in which it releases.
    pub(super) fn write_behind_reads(
        &mut self,
        agent: Agent,
        written: LocationKey,
        released: Option<Scope>,
        update: super::IsUpdate,
    ) {
        let thread = (agent.warp, agent.lane);
        for read in self.earlier_reads.get(&thread).into_iter().flatten() {
            let is_update = update == super::IsUpdate::Yes && read.location == written && read.released.is_none();
            let influence = match read.influence {
                ReadInfluence::Controls => ReadInfluence::Controls,
                ReadInfluence::Awaited { .. } | ReadInfluence::Unknown => ReadInfluence::Unknown,
            };
            let read = EarlierRead { released: read.released.max(released), influence, ..*read };
            self.reads_then_writes.insert(ReadThenWrite { thread, read, written, is_update });
        }
    }

    /// A fence or a barrier of a thread.
    pub(super) fn order_reads(&mut self, agent: Agent, scope: Scope) {
        if let Some(reads) = self.earlier_reads.get_mut(&(agent.warp, agent.lane)) {
            let fenced = |read: &EarlierRead| EarlierRead {
                acquired: read.acquired.max(Some(scope)),
                released: read.released.max(Some(scope)),
                ..*read
            };
            *reads = reads.iter().map(fenced).collect();
        }
    }

    /// The pairs since the last call.
    pub fn take_reads_then_writes(&mut self) -> BTreeSet<ReadThenWrite> {
        std::mem::take(&mut self.reads_then_writes)
    }

    /// Whether pairs of several threads can form a cycle without synchronization.
    pub fn may_buffer_loads(&self, pairs: &BTreeSet<ReadThenWrite>) -> bool {
        let search = CycleSearch { pairs, position: &|thread| self.position(Agent { warp: thread.0, lane: thread.1 }) };
        // A cycle in which all writes depend on the reads before them would be a value out of thin air.
        pairs.iter().filter(|pair| pair.read.influence != ReadInfluence::Controls).any(|start| search.has_cycle(start))
    }
}

struct CycleSearch<'s> {
    pairs: &'s BTreeSet<ReadThenWrite>,
    position: &'s dyn Fn((u32, u32)) -> ScopePosition,
}

/// A pair on a path, with the thread that the readers of its write can synchronize with and the scope of its release.
type Reached<'s> = (&'s ReadThenWrite, Option<((u32, u32), Scope)>);

impl CycleSearch<'_> {
    fn has_cycle(&self, start: &ReadThenWrite) -> bool {
        let own_release = |pair: &ReadThenWrite| pair.read.released.map(|scope| (pair.thread, scope));
        let (mut open, mut seen): (Vec<Reached>, HashSet<Reached>) =
            (vec![(start, own_release(start))], HashSet::new());
        while let Some((pair, release)) = open.pop() {
            for next in self.pairs.iter().filter(|next| next.read.location == pair.written) {
                if next.thread == pair.thread || self.synchronizes(release, next) {
                    continue;
                }
                // A cycle in one location contradicts coherence.
                if next == start && (start.read.location != start.written || pair.read.location != pair.written) {
                    return true;
                }
                let carried = if next.is_update { release } else { None };
                let reached = (next, own_release(next).or(carried));
                if seen.insert(reached) {
                    open.push(reached);
                }
            }
        }
        false
    }

    fn synchronizes(&self, release: Option<((u32, u32), Scope)>, reader: &ReadThenWrite) -> bool {
        let (Some((thread, released)), Some(acquired)) = (release, reader.read.acquired) else { return false };
        released.min(acquired) >= (self.position)(thread).distance((self.position)(reader.thread))
    }
}
