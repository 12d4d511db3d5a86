//! Strong reads that have been executed, and strong writes after them.

use isa::types::Scope;
use program::memory::location::{IsUpdate, LocationKey};
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A thread, as its warp and lane.
pub type ThreadKey = (u32, u32);

/// A strong read of an element by an instruction, the last one of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReadPlace {
    /// The instruction.
    pub place: CodePlace,
    /// The number of the element.
    pub element: u32,
    /// The location.
    pub location: LocationKey,
}

/// A strong read that has been executed, and what lies between it and what its thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EarlierRead {
    /// The thread.
    pub reader: ThreadKey,
    /// The instruction; `None` if all that the thread does next depends on it.
    pub place: Option<CodePlace>,
    /// The location.
    pub location: LocationKey,
    /// What it takes part in.
    pub pattern: ReadPattern,
    /// Whether it is the read of a read-modify-write.
    pub update: IsUpdate,
    /// The scope in which it, or a fence of its thread after it, acquires.
    pub acquired: Option<Scope>,
    /// The scope in which a fence after it, or the write, releases.
    pub released: Option<Scope>,
    /// Who has waited for each other in between.
    pub barrier: Option<BarrierThreads>,
    /// Whether what the thread does next depends on it.
    pub influence: ReadInfluence,
    /// Where its thread has released after it for the last time, and in which scope: its later writes there release, too.
    pub released_at: Option<(LocationKey, Scope)>,
    /// A fence or barrier after it that strong reads may decide about: it counts for the writes that are behind it in each execution.
    pub decided: Option<ValueDependentOrder>,
}

impl EarlierRead {
    /// The same if all that the thread does next depends on it.
    pub const fn controlling(self) -> Self {
        Self { influence: ReadInfluence::Controls, place: None, ..self }
    }

    /// Whether its thread may have synchronized by it, with a fence or barrier after it that strong reads may decide about, too.
    pub const fn may_acquire(&self) -> bool {
        self.acquired.is_some() || self.decided.is_some()
    }

    /// The same if it is not known what depends on it.
    pub const fn of_unknown_influence(self) -> Self {
        Self { influence: ReadInfluence::Unknown, ..self }
    }

    /// The same without its thread.
    pub const fn of_anybody(self) -> Self {
        Self { reader: (0, 0), ..self }
    }
}

/// What a fence or barrier that strong reads may decide about orders after a read: the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueDependentOrder {
    /// The instruction, if it is known.
    pub place: Option<CodePlace>,
    /// See [`EarlierRead::acquired`].
    pub acquired: Option<Scope>,
    /// See [`EarlierRead::released`].
    pub released: Option<Scope>,
    /// See [`EarlierRead::barrier`].
    pub barrier: Option<BarrierThreads>,
}

/// Whether a read takes part in acquire patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadPattern {
    /// It does, with its own order or a fence after it.
    Acquire,
    /// It does not: the read of `red`.
    None,
}

/// The threads that wait for each other at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierThreads {
    /// Those of a warp.
    Warp,
    /// Those of a CTA.
    Cta,
}

/// Whether what the thread does next depends on a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadInfluence {
    /// That is not known.
    Unknown,
    /// What is computed from it does.
    Value(ReadPlace),
    /// All of it does, after a branch.
    Controls,
}

/// The strong reads of each thread.
pub type EarlierReads = BTreeMap<ThreadKey, BTreeSet<EarlierRead>>;

/// The strong reads of a thread before one of its barriers, arrivals, copies or fences, with its epoch.
#[derive(Clone, Debug)]
pub struct PassedReads {
    /// The epoch.
    pub epoch: u32,
    /// The reads.
    pub reads: Arc<BTreeSet<EarlierRead>>,
    /// Who is after them.
    pub order: PassedOrder,
}

/// Who does something after reads of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PassedOrder {
    /// Those before whom they happen.
    HappensBefore,
    /// Others, too: threads have waited for each other without an order of memory.
    Executed,
}

/// A strong write after a strong read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReadThenWrite {
    /// The thread that writes.
    pub writer: ThreadKey,
    /// The read.
    pub read: EarlierRead,
    /// The location that is written.
    pub written: LocationKey,
    /// Whether they are one read-modify-write.
    pub update: IsUpdate,
    /// Whether the read happens before the write, or is only executed before it.
    pub order: PassedOrder,
    /// Whether the write depends on all other reads by which the reader may have synchronized.
    pub acquired: AcquiredReads,
}

/// Whether what a thread does next depends on all reads by which it may have synchronized, but for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AcquiredReads {
    /// It does.
    Control,
    /// That is not known.
    Unknown,
}

impl ReadThenWrite {
    /// The same of other threads.
    pub const fn of_threads(self, reader: ThreadKey, writer: ThreadKey) -> Self {
        Self { writer, read: EarlierRead { reader, ..self.read }, ..self }
    }

    /// The same, if the write depends on the read.
    pub const fn depending(self) -> Self {
        Self { read: self.read.controlling(), ..self }
    }

    /// Whether a thread updates a location, and later writes to it.
    pub fn rewrites(&self) -> bool {
        self.read.update == IsUpdate::Yes && self.read.location == self.written && self.read.reader == self.writer
    }

    /// Whether the write depends on the read, through values, addresses or branches.
    pub fn depends(&self) -> bool {
        self.read.influence == ReadInfluence::Controls
    }
}
