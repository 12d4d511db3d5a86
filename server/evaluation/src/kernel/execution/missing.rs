//! Why the accesses of a data race are not ordered, although one thread reads what the other one has written between them.

use super::Kernel;
use emulator::machine::{
    AccessOrder, EventAction, EventPerformer, EventRelation, ExecutionEvent, ExecutionRecord, FenceSemantics,
    MachineAction, MachineInstruction,
};
use isa::types::{Scope, Sem};

/// Two events that do not synchronize: the second one reads what the first one has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingOrder {
    /// The index of the write.
    pub from: usize,
    /// The index of the read.
    pub to: usize,
    /// Why they do not.
    pub reason: MissingReason,
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

/// The writes of the thread of the first access after it that the thread of the second one reads before that, if they do not synchronize.
pub(super) fn missing_orders(
    record: &ExecutionRecord,
    [first, second]: [usize; 2],
    kernel: &Kernel,
) -> Vec<MissingOrder> {
    let events = &record.events;
    let is_of = |at: usize, other: usize| {
        let one = &events[at];
        one.performer == EventPerformer::Thread && one.thread == events[other].thread
    };
    if !is_of(first, first) || !is_of(second, second) {
        return Vec::new();
    }
    let between = |from: usize, to: usize| first < from && is_of(from, first) && to < second && is_of(to, second);
    let synchronizes = |from: usize, to: usize| {
        record.edges.iter().any(|edge| {
            edge.relation == EventRelation::Synchronizes
                && edge.from <= from
                && to <= edge.to
                && between(edge.from, edge.to)
        })
    };
    let reads = record.edges.iter().filter(|edge| edge.relation == EventRelation::ReadsFrom);
    let reads = reads.filter(|edge| between(edge.from, edge.to) && !synchronizes(edge.from, edge.to));
    let missing = reads.filter_map(|edge| {
        let released = release(&events[..=edge.from], first, kernel)?;
        let acquired = acquire(&events[edge.to..second], kernel)?;
        let reason = Some(reason(released, acquired)).filter(|reason| match reason {
            MissingReason::NoRelease | MissingReason::NoAcquire => true,
            MissingReason::ReleaseScope(scope)
            | MissingReason::AcquireScope(scope)
            | MissingReason::WriteScope(scope)
            | MissingReason::ReadScope(scope) => {
                // All scopes include the threads of a CTA, and that of the device all but those of the host: else something else is missing.
                events[first].thread.cta != events[second].thread.cta
                    && (*scope < Scope::Gpu || *scope == Scope::Gpu && !kernel.beside.is_empty())
            }
        })?;
        Some(MissingOrder { from: edge.from, to: edge.to, reason })
    });
    missing.collect()
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
    let order = match &instruction.action {
        MachineAction::Load(load) => load.order,
        MachineAction::Store(store) => store.order,
        MachineAction::Atomic(atomic) => atomic.order,
        _ => return None,
    };
    (order.sem != Sem::Weak).then_some(order)
}

fn fence(event: &ExecutionEvent, kernel: &Kernel) -> Option<FenceSemantics> {
    match (&event.action, &instruction(event, kernel)?.action) {
        (EventAction::Fence, MachineAction::Fence(fence)) => Some(*fence),
        _ => None,
    }
}
