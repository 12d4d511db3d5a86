//! The events of one execution, so that it can be shown: which write each read reads, and what each thread gets to know by whom.

use crate::CheckedAccess;
use crate::clock::{Agent, Clock};
use crate::synchronizations::{EventMoment, Synchronizations};
use program::launch::kernel_launch::ThreadId;
use program::memory::location::{LocationKey, RacedMemory};
use program::problem::{CodePlace, MachineAccessKind};
use std::collections::{BTreeMap, BTreeSet};

/// The most events that are kept: the last ones.
const MAX_EVENTS: usize = 4_000;

/// An execution, as far as threads can notice each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutionRecord {
    /// The events, in the order in which the execution was explored.
    pub events: Vec<ExecutionEvent>,
    /// How events are related, each by their indices.
    pub edges: Vec<ExecutionEdge>,
    /// The number of earlier events that are not kept.
    pub forgotten: usize,
}

/// An event of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionEvent {
    /// The thread; that of a copy is the one that began it.
    pub thread: ThreadId,
    /// Who executes it.
    pub performer: EventPerformer,
    /// The instruction.
    pub place: CodePlace,
    /// What it does.
    pub action: EventAction,
}

/// Who executes an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventPerformer {
    /// The thread.
    Thread,
    /// An asynchronous copy of the thread.
    Copy,
}

/// What an event does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventAction {
    /// It accesses memory.
    Access(EventAccess),
    /// A fence, between accesses or proxies.
    Fence,
    /// An arrival at a barrier, or a wait for one.
    Barrier,
    /// An operation on an mbarrier.
    Mbarrier,
    /// A wait for copies.
    Wait,
}

/// An access of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventAccess {
    /// What it does.
    pub kind: MachineAccessKind,
    /// The state space.
    pub space: &'static str,
    /// The address.
    pub address: u64,
    /// The bytes of an element.
    pub element: u32,
    /// The values of the elements that it reads; empty for copies.
    pub read: Vec<u128>,
    /// The values of the elements that it writes; empty for copies.
    pub written: Vec<u128>,
    /// Whether other threads or copies access the same memory, too, and one of them writes.
    pub is_shared: bool,
}

/// How two events are related. The names are those of the memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventRelation {
    /// The second reads what the first has written (`rf`).
    ReadsFrom,
    /// The second write is the next one in coherence order (`co`).
    Coherence,
    /// The first reads the write before the second one in coherence order (`fr`).
    FromReads,
    /// The first synchronizes with the second (`sync`).
    Synchronizes,
}

/// An edge between events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExecutionEdge {
    /// The first event.
    pub from: usize,
    /// The second event.
    pub to: usize,
    /// How they are related.
    pub relation: EventRelation,
}

/// Records the events of an execution. They are numbered from the first one on, also if that is not kept.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The number of events that are not kept any more.
    forgotten: usize,
    events: Vec<ExecutionEvent>,
    moments: Vec<EventMoment>,
    /// The memory that each access touches.
    touched: Vec<Option<(RacedMemory, usize, usize)>>,
    reads_from: BTreeSet<(usize, usize)>,
    /// The writes to each location in coherence order.
    order: BTreeMap<LocationKey, Vec<usize>>,
    /// For each read: its location, and the write that it reads, if that is not the initial value.
    reads: Vec<(usize, LocationKey, Option<usize>)>,
    /// What agents know that have ended.
    ended: BTreeMap<Agent, Clock>,
}

/// The one of an event that is recorded.
pub struct EventOrigin {
    /// The thread.
    pub thread: ThreadId,
    /// Who executes it.
    pub performer: EventPerformer,
    /// The instruction.
    pub place: CodePlace,
    /// The agent.
    pub agent: Agent,
    /// The epoch of the agent.
    pub epoch: u32,
    /// What happens before.
    pub known: Clock,
}

impl Recorder {
    /// Adds an event.
    pub fn push(&mut self, origin: EventOrigin, action: EventAction) {
        if self.events.len() >= 2 * MAX_EVENTS {
            self.forget(MAX_EVENTS);
        }
        let EventOrigin { thread, performer, place, agent, epoch, known } = origin;
        let is_barrier = action == EventAction::Barrier;
        self.events.push(ExecutionEvent { thread, performer, place, action });
        self.moments.push(EventMoment { agent, epoch, known, is_barrier });
        self.touched.push(None);
    }

    /// Forgets the first events.
    fn forget(&mut self, count: usize) {
        self.events.drain(..count);
        self.moments.drain(..count);
        self.touched.drain(..count);
        self.forgotten += count;
        let first = self.forgotten;
        self.reads_from.retain(|(write, read)| *write >= first && *read >= first);
        self.reads.retain(|(read, ..)| *read >= first);
        for order in self.order.values_mut() {
            // The last one stays: what reads it reads before the next one.
            let old = order.iter().take_while(|write| **write < first).count();
            order.drain(..old.saturating_sub(1));
        }
    }

    /// Says what memory the last event touches.
    pub fn touch(&mut self, access: &CheckedAccess) {
        if let Some(last) = self.touched.last_mut() {
            *last = Some((access.region, access.offset, access.bytes));
        }
    }

    /// The number of the last event.
    pub fn last(&self) -> Option<usize> {
        (self.forgotten + self.events.len()).checked_sub(1)
    }

    /// The last event that writes to a location.
    pub fn last_write(&self, (region, offset): LocationKey, bytes: u32) -> Option<usize> {
        let last = (0..self.events.len()).rev().find(|at| {
            let writes =
                matches!(&self.events[*at].action, EventAction::Access(one) if one.kind != MachineAccessKind::Read);
            let meets = |(known, from, length): (RacedMemory, usize, usize)| {
                known == region && from < offset + bytes as usize && offset < from + length
            };
            writes && self.touched[*at].is_some_and(meets)
        });
        last.map(|at| self.forgotten + at)
    }

    /// The last event reads a location, and there what an event has written.
    pub fn read(&mut self, key: LocationKey, written_by: Option<usize>) {
        let Some(last) = self.last() else { return };
        self.reads.push((last, key, written_by));
        self.reads_from.extend(written_by.map(|write| (write, last)));
    }

    /// The last event writes to a location, in coherence order after what an event has written there, or the initial value.
    pub fn write(&mut self, key: LocationKey, after: Option<usize>) {
        let Some(last) = self.last() else { return };
        let order = self.order.entry(key).or_default();
        let at = after.and_then(|after| order.iter().rposition(|known| *known == after)).map_or(0, |at| at + 1);
        order.insert(at, last);
    }

    /// The last event writes to a location, in coherence order after all others.
    pub fn write_last(&mut self, key: LocationKey) {
        let last = self.last();
        self.order.entry(key).or_default().extend(last);
    }

    /// An agent that executes nothing more knows what a clock says.
    pub fn end(&mut self, agent: Agent, known: Clock) {
        self.ended.insert(agent, known);
    }

    /// The agents of all events.
    pub fn agents(&self) -> BTreeSet<Agent> {
        self.moments.iter().map(|moment| moment.agent).collect()
    }

    /// The execution, when all events are recorded.
    pub fn finish(mut self) -> ExecutionRecord {
        self.forget(self.events.len().saturating_sub(MAX_EVENTS));
        self.find_shared();
        let first = self.forgotten;
        let mut edges: BTreeSet<ExecutionEdge> = BTreeSet::new();
        let edge = |from, to, relation| ExecutionEdge { from, to, relation };
        edges.extend(self.reads_from.iter().map(|(from, to)| edge(*from, *to, EventRelation::ReadsFrom)));
        for order in self.order.values() {
            edges.extend(order.windows(2).map(|pair| edge(pair[0], pair[1], EventRelation::Coherence)));
        }
        for (read, key, write) in &self.reads {
            let Some(order) = self.order.get(key) else { continue };
            let at = write.and_then(|write| order.iter().rposition(|known| *known == write));
            let next = order.get(at.map_or(0, |at| at + 1)).filter(|_| write.is_none() || at.is_some());
            edges.extend(next.map(|next| edge(*read, *next, EventRelation::FromReads)));
        }
        let kept = edges.into_iter().filter(|edge| edge.from >= first && edge.to >= first);
        let mut edges: BTreeSet<_> = kept.map(|one| edge(one.from - first, one.to - first, one.relation)).collect();
        let synchronizations = Synchronizations::of(&self.moments, &self.ended).all();
        edges.extend(synchronizations.into_iter().map(|(from, to)| edge(from, to, EventRelation::Synchronizes)));
        ExecutionRecord { events: self.events, edges: edges.into_iter().collect(), forgotten: first }
    }

    /// Marks the accesses to memory that several agents access.
    fn find_shared(&mut self) {
        let writes = |event: &ExecutionEvent| match &event.action {
            EventAction::Access(access) => access.kind != MachineAccessKind::Read,
            _ => false,
        };
        let meet = |one: usize, two: usize| {
            let (Some(one), Some(two)) = (self.touched[one], self.touched[two]) else { return false };
            one.0 == two.0 && one.1 < two.1 + two.2 && two.1 < one.1 + one.2
        };
        let is_shared = |at: usize| {
            let other = |other: &usize| {
                self.moments[*other].agent != self.moments[at].agent
                    && (writes(&self.events[*other]) || writes(&self.events[at]))
                    && meet(*other, at)
            };
            (0..self.events.len()).any(|at| other(&at))
        };
        let shared: Vec<bool> = (0..self.events.len()).map(is_shared).collect();
        for (event, shared) in self.events.iter_mut().zip(shared) {
            if let EventAction::Access(access) = &mut event.action {
                access.is_shared = shared;
            }
        }
    }
}

impl crate::Races {
    /// Records the events of this execution from now on.
    pub fn begin_recording(&mut self) {
        self.recorder = Some(Box::default());
    }

    /// Whether events are recorded.
    pub const fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// Records an event of a thread.
    pub fn record_event(&mut self, agent: Agent, thread: ThreadId, place: CodePlace, action: EventAction) {
        if self.recorder.is_none() {
            return;
        }
        let known = self.known(agent);
        let epoch = self.warp(agent.warp).epoch;
        let origin = EventOrigin { thread, performer: EventPerformer::Thread, place, agent, epoch, known };
        if let Some(recorder) = &mut self.recorder {
            recorder.push(origin, action);
        }
    }

    /// Keeps what the threads of a warp know, before it ends.
    pub fn record_end(&mut self, warp: u32) {
        let Some(mut recorder) = self.recorder.take() else { return };
        for agent in recorder.agents().into_iter().filter(|agent| agent.warp == warp) {
            recorder.end(agent, self.known(agent));
        }
        self.recorder = Some(recorder);
    }

    /// Records an access of a thread: what it reads, and the writes that it does, by their elements. Those of strong writes have their place in
    /// coherence order when they become messages.
    pub fn record_access(
        &mut self,
        (agent, thread): (Agent, ThreadId),
        access: &CheckedAccess,
        shown: EventAccess,
        read: &[(LocationKey, Option<usize>)],
    ) {
        self.record_event(agent, thread, access.place, EventAction::Access(shown));
        let Some(recorder) = &mut self.recorder else { return };
        recorder.touch(access);
        read.iter().for_each(|(key, write)| recorder.read(*key, *write));
        if access.kind != MachineAccessKind::Read && access.scope.is_none() {
            let offsets = (access.offset..access.offset + access.bytes).step_by(access.element.max(1) as usize);
            offsets.for_each(|offset| recorder.write_last((access.region, offset)));
        }
    }

    /// Records an access of a copy.
    pub fn record_copy_access(&mut self, origin: EventOrigin, access: &CheckedAccess, shown: EventAccess) {
        let Some(recorder) = &mut self.recorder else { return };
        recorder.push(origin, EventAction::Access(shown));
        recorder.touch(access);
    }

    /// The event that has last written to a location, if events are recorded.
    pub fn last_recorded_write(&self, key: LocationKey, bytes: u32) -> Option<usize> {
        self.recorder.as_ref()?.last_write(key, bytes)
    }

    /// The execution that was recorded.
    pub fn take_record(&mut self) -> ExecutionRecord {
        let Some(mut recorder) = self.recorder.take() else { return ExecutionRecord::default() };
        let is_live = |agent: &Agent| self.warps.get(agent.warp as usize).is_some_and(Option::is_some);
        for agent in recorder.agents().into_iter().filter(is_live).collect::<Vec<_>>() {
            recorder.end(agent, self.known(agent));
        }
        recorder.finish()
    }
}
