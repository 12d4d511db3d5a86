//! Why the accesses of a data race are not ordered, although one thread reads what the other one has written between them, or what others have passed on.

use crate::execution::Kernel;
use isa::types::{Scope, Sem};
use ordering::{EventAction, EventPerformer, EventRelation, ExecutionEdge, ExecutionEvent, ExecutionRecord};
use program::{AccessOrder, FenceSemantics, MachineAccessKind, MachineInstruction};
use std::collections::{BTreeMap, BTreeSet};

/// Two events that do not synchronize: the second one reads what the first one has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingOrder {
    /// The index of the write.
    pub from: usize,
    /// The index of the read.
    pub to: usize,
    /// Why they do not.
    pub reason: MissingReason,
    /// The index of a fence that would make them synchronize elsewhere: of the writing thread before the access that it should follow, or of the
    /// reading one before the read.
    pub misplaced: Option<usize>,
}

/// Why a write and a read of it do not synchronize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingReason {
    /// The write does not release.
    NoRelease,
    /// The read does not acquire.
    NoAcquire,
    /// The scope of the release does not include the other thread.
    ReleaseScope(Scope),
    /// The scope of the acquire does not include the other thread.
    AcquireScope(Scope),
    /// That of the fence before the write may do, but that of the write does not.
    WriteScope(Scope),
    /// That of the fence after the read may do, but that of the read does not.
    ReadScope(Scope),
}

impl MissingOrder {
    /// The same with other indices; `None` if an event has none.
    pub(super) fn renumbered(&self, index: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let misplaced = self.misplaced.map(&index);
        let misplaced = misplaced.map_or(Some(None), |at| at.map(Some))?;
        Some(Self { from: index(self.from)?, to: index(self.to)?, misplaced, ..*self })
    }

    /// The reason for people, who see events with these numbers.
    pub fn reason(&self, from: usize, to: usize) -> String {
        match self.reason {
            MissingReason::NoRelease => format!("{from} does not release, and no fence before it does"),
            MissingReason::NoAcquire => format!("{to} does not acquire, and no fence after it does"),
            MissingReason::ReleaseScope(scope) => {
                format!("the scope `.{}` of the release does not include the thread of {to}", scope.word())
            }
            MissingReason::AcquireScope(scope) => {
                format!("the scope `.{}` of the acquire does not include the thread of {from}", scope.word())
            }
            MissingReason::WriteScope(scope) => {
                format!("the scope `.{}` of {from} does not include the thread of {to}", scope.word())
            }
            MissingReason::ReadScope(scope) => {
                format!("the scope `.{}` of {to} does not include the thread of {from}", scope.word())
            }
        }
    }
}

/// What is missing between two accesses of threads: where the thread of the second one reads before it what the thread of the first one has written
/// after it, or, if it reads no such write, where others pass a value on to it.
pub(super) fn missing_orders(
    record: &ExecutionRecord,
    [first, second]: [usize; 2],
    kernel: &Kernel,
) -> Vec<MissingOrder> {
    let is_thread = |at: usize| record.events[at].performer == EventPerformer::Thread;
    if !is_thread(first) || !is_thread(second) {
        return Vec::new();
    }
    let search = HopSearch { record, second, kernel };
    let missing = |hop: &Hop| Some(MissingOrder { from: hop.from, to: hop.to, reason: hop.missing?, misplaced: None });
    let direct: Vec<MissingOrder> =
        search.hops(first).iter().filter(|hop| search.is_last(hop)).filter_map(missing).collect();
    if !direct.is_empty() {
        return direct;
    }
    search.chain(first).iter().filter_map(missing).collect()
}

/// The last fence that is on the wrong side: before the access that a release should follow, or before the read that it should make an acquire.
pub(super) fn misplaced_fence(
    record: &ExecutionRecord,
    [first, _]: [usize; 2],
    missing: &MissingOrder,
    kernel: &Kernel,
) -> Option<usize> {
    let (end, is_right): (usize, fn(&FenceSemantics) -> bool) = match missing.reason {
        // Of a value that others pass on, the access before it is not the first one.
        MissingReason::NoRelease if record.events[first].thread == record.events[missing.from].thread => {
            (first, |fence| fence.releases)
        }
        MissingReason::NoAcquire => (missing.to, |fence| fence.acquires),
        _ => return None,
    };
    let thread = record.events[end].thread;
    let is_own = |at: usize| record.events[at].thread == thread;
    let is_it = |at: &usize| is_own(*at) && fence(&record.events[*at], kernel).is_some_and(|fence| is_right(&fence));
    let found = (0..end).rev().find(is_it)?;
    // A fence may be in its place for something else: an acquire after a read, or a release before a write.
    let is_used = match missing.reason {
        MissingReason::NoRelease => {
            let is_read = |edge: &ExecutionEdge| edge.relation == EventRelation::ReadsFrom && is_own(edge.to);
            record.edges.iter().any(|edge| is_read(edge) && edge.to < found && !is_own(edge.from))
        }
        _ => (found..=end).any(|at| is_own(at) && is_write(&record.events[at])),
    };
    (!is_used).then_some(found)
}

fn is_write(event: &ExecutionEvent) -> bool {
    matches!(&event.action, EventAction::Access(access) if access.kind != MachineAccessKind::Read)
}

/// A read of what another thread has written.
#[derive(Clone, Copy)]
struct Hop {
    from: usize,
    to: usize,
    /// Why they do not synchronize, if they do not.
    missing: Option<MissingReason>,
    /// The event of the reading thread that knows what the writing one has done.
    end: usize,
}

/// The search for values that lead from an access of one thread to another one.
struct HopSearch<'r> {
    record: &'r ExecutionRecord,
    /// The access that they lead to.
    second: usize,
    kernel: &'r Kernel,
}

impl HopSearch<'_> {
    fn is_of(&self, at: usize, other: usize) -> bool {
        let (one, other) = (&self.record.events[at], &self.record.events[other]);
        one.performer == EventPerformer::Thread && one.thread == other.thread
    }

    fn is_last(&self, hop: &Hop) -> bool {
        self.is_of(hop.to, self.second)
    }

    /// The reads by other threads of what the thread of an event writes after it.
    fn hops(&self, begin: usize) -> Vec<Hop> {
        let edges = &self.record.edges;
        let is_thread = |at: usize| self.record.events[at].performer == EventPerformer::Thread;
        let between = |from: usize, to: usize| {
            begin < from && self.is_of(from, begin) && to < self.second && is_thread(to) && !self.is_of(to, begin)
        };
        let reads =
            edges.iter().filter(|edge| edge.relation == EventRelation::ReadsFrom && between(edge.from, edge.to));
        let hop = |read: &ExecutionEdge| {
            let synchronizes = edges.iter().find(|edge| {
                edge.relation == EventRelation::Synchronizes
                    && edge.from <= read.from
                    && read.to <= edge.to
                    && between(edge.from, edge.to)
                    && self.is_of(edge.to, read.to)
            });
            let end = synchronizes.map_or(read.to, |edge| edge.to);
            let missing = match synchronizes {
                Some(_) => None,
                None => Some(self.missing(begin, read.from, read.to)?),
            };
            Some(Hop { from: read.from, to: read.to, missing, end })
        };
        reads.filter_map(hop).collect()
    }

    /// Why a write, of a thread that does something before, and a read of it do not synchronize; `None` if something else is missing.
    fn missing(&self, begin: usize, from: usize, to: usize) -> Option<MissingReason> {
        let events = &self.record.events;
        let released = release(&events[..=from], begin, self.kernel)?;
        let acquired = acquire(&events[to..self.second], self.kernel)?;
        Some(reason(released, acquired)).filter(|reason| match reason {
            MissingReason::NoRelease | MissingReason::NoAcquire => true,
            MissingReason::ReleaseScope(scope)
            | MissingReason::AcquireScope(scope)
            | MissingReason::WriteScope(scope)
            | MissingReason::ReadScope(scope) => {
                // All scopes include the threads of a CTA, and that of the device all but those of the host: else something else is missing.
                events[from].thread.cta != events[to].thread.cta
                    && (*scope < Scope::Gpu || *scope == Scope::Gpu && !self.kernel.beside.is_empty())
            }
        })
    }

    /// The values that are passed on to the thread of the second access with the fewest missing orders, and then by the fewest threads.
    fn chain(&self, first: usize) -> Vec<Hop> {
        let mut open = BTreeSet::from([(0, 0, first)]);
        let mut came_by: BTreeMap<usize, (usize, Hop)> = BTreeMap::new();
        let mut known = BTreeSet::new();
        while let Some((missing, length, at)) = open.pop_first() {
            if !known.insert(at) {
                continue;
            }
            if length > 0 && self.is_of(at, self.second) {
                let way = std::iter::successors(came_by.get(&at), |(before, _)| came_by.get(before));
                let mut hops: Vec<Hop> = way.map(|(_, hop)| *hop).collect();
                hops.reverse();
                return hops;
            }
            for hop in self.hops(at) {
                let next = (missing + usize::from(hop.missing.is_some()), length + 1, hop.end);
                if !known.contains(&hop.end) && open.range((0, 0, 0)..next).all(|(.., other)| *other != hop.end) {
                    came_by.insert(hop.end, (at, hop));
                    open.insert(next);
                }
            }
        }
        Vec::new()
    }
}

/// The scopes of one side of a release or acquire pattern.
#[derive(Clone, Copy)]
struct PatternScopes {
    /// The widest one of the operations with an order.
    order: Scope,
    /// That of the access.
    access: Scope,
}

impl PatternScopes {
    /// Whom the pattern reaches.
    fn reach(self) -> Scope {
        self.order.min(self.access)
    }
}

/// The scopes of what a write at the end of some events releases by, if anything; `None` if it is no strong write.
fn release(events: &[ExecutionEvent], first: usize, kernel: &Kernel) -> Option<Option<PatternScopes>> {
    let write = events.last()?;
    let AccessOrder { sem, scope: access, .. } = order_of(instruction(write, kernel)?)?;
    let own = matches!(sem, Sem::Release | Sem::AcqRel).then_some(access);
    let is_of_thread = |one: &&ExecutionEvent| one.thread == write.thread;
    let fences = events[first..].iter().filter(is_of_thread).filter_map(|one| fence(one, kernel));
    let widest = fences.filter(|fence| fence.releases).map(|fence| fence.scope).chain(own).max();
    Some(widest.map(|order| PatternScopes { order, access }))
}

/// The scopes of what a read at the begin of some events acquires by, if anything; `None` if it is no strong read.
fn acquire(events: &[ExecutionEvent], kernel: &Kernel) -> Option<Option<PatternScopes>> {
    let read = events.first()?;
    let AccessOrder { sem, scope: access, .. } = order_of(instruction(read, kernel)?)?;
    let own = matches!(sem, Sem::Acquire | Sem::AcqRel).then_some(access);
    let is_of_thread = |one: &&ExecutionEvent| one.thread == read.thread;
    let fences = events.iter().filter(is_of_thread).filter_map(|one| fence(one, kernel));
    let widest = fences.filter(|fence| fence.acquires).map(|fence| fence.scope).chain(own).max();
    Some(widest.map(|order| PatternScopes { order, access }))
}

fn reason(released: Option<PatternScopes>, acquired: Option<PatternScopes>) -> MissingReason {
    match (released, acquired) {
        (None, _) => MissingReason::NoRelease,
        (_, None) => MissingReason::NoAcquire,
        (Some(released), Some(acquired)) if released.reach() <= acquired.reach() => match released {
            PatternScopes { order, access } if access < order => MissingReason::WriteScope(access),
            PatternScopes { order, .. } => MissingReason::ReleaseScope(order),
        },
        (_, Some(PatternScopes { order, access })) if access < order => MissingReason::ReadScope(access),
        (_, Some(PatternScopes { order, .. })) => MissingReason::AcquireScope(order),
    }
}

fn instruction<'k>(event: &ExecutionEvent, kernel: &'k Kernel) -> Option<&'k MachineInstruction> {
    kernel.program.functions.get(event.place.function as usize)?.code.get(event.place.instruction as usize)
}

/// The order of a strong access.
fn order_of(instruction: &MachineInstruction) -> Option<AccessOrder> {
    instruction.action.memory().order().filter(|order| order.sem != Sem::Weak)
}

fn fence(event: &ExecutionEvent, kernel: &Kernel) -> Option<FenceSemantics> {
    let fence = instruction(event, kernel)?.action.synchronization().fence();
    fence.filter(|_| matches!(event.action, EventAction::Fence))
}
