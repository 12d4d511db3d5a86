//! Asynchronous operations: threads of their own, which begin where another thread issues them.
//!
//! Accesses that are ordered before the issue are ordered before those of the operation, but not before what the completion of the
//! operation is ordered before: base causality order does not continue through an issue.

use crate::code::instruction::{Access, AwaitedOperation, AwaitedPart, ModelInstruction};
use crate::code::program::{IssueOrder, Program, Scope, Sem};
use crate::relations::event::{Event, EventKind, OperationFence};
use crate::relations::event_set::EventSet;
use crate::relations::relation::Relation;
use crate::runs::run::{ProgramRun, Stop};

impl ProgramRun<'_> {
    /// Issues an asynchronous operation.
    pub fn issue(&mut self, thread: usize) -> Result<(), Stop> {
        let mut event = self.event(Some(thread), EventKind::Issue, Access::weak());
        if self.events.iter().any(|other| other.kind == EventKind::Issue && other.same_instruction(&event)) {
            return Err(Stop::NotModelled("asynchronous operation in a loop".to_owned()));
        }
        event.dependencies = self.control_dependencies(thread);
        self.events.push(event);
        self.threads[thread].effects += 1;
        Ok(())
    }

    /// Orders what is before it before operations that are issued after it and need it.
    pub fn issue_fence(&mut self, thread: usize) {
        let mut event = self.event(Some(thread), EventKind::IssueFence, Access::weak());
        event.dependencies = self.control_dependencies(thread);
        self.events.push(event);
    }

    /// Orders operations that have ended, between threads that synchronize by relaxed accesses.
    pub fn operation_fence(&mut self, thread: usize, kind: OperationFence) {
        let mut event = self.event(Some(thread), EventKind::Fence, Access::strong(Sem::Relaxed, Scope::Sys));
        event.operation_fence = Some(kind);
        (event.release, event.acquire) = (kind == OperationFence::Release, kind == OperationFence::Acquire);
        event.dependencies = self.control_dependencies(thread);
        self.events.push(event);
    }

    /// Waits for asynchronous operations.
    pub fn await_operations(&mut self, thread: usize) {
        let mut event = self.event(Some(thread), EventKind::Await, Access::weak());
        event.dependencies = self.control_dependencies(thread);
        self.events.push(event);
        self.threads[thread].effects += 1;
    }

    /// Whether a thread may begin: an asynchronous operation does once it is issued, and never if its issuer ends before.
    pub fn begins(&mut self, thread: usize) -> bool {
        let Some((issuer, at)) = self.program.threads[thread].issuer else { return true };
        let is_issue =
            |event: &&Event| event.kind == EventKind::Issue && event.thread == Some(issuer) && event.instruction == at;
        let dependencies = self.events.iter().find(is_issue).map(|issue| issue.dependencies);
        if let Some(dependencies) = dependencies {
            self.threads[thread].control_dependencies |= dependencies;
        } else {
            self.threads[thread].done = self.threads[issuer].stops();
        }
        dependencies.is_some()
    }
}

/// Whether a program has asynchronous operations. Most have none, and a relation has a pair for each two events.
fn has_operations(program: &Program) -> bool {
    program.threads.iter().any(|thread| thread.issuer.is_some())
}

/// Whether an access is of the thread of another event, or of an operation that this thread issues; also if it is of no thread.
pub fn is_own(program: &Program, access: &Event, other: &Event) -> bool {
    let issuer = |thread: usize| program.threads[thread].issuer.map_or(thread, |(issuer, _)| issuer);
    access.thread.is_none_or(|thread| Some(issuer(thread)) == other.thread)
}

/// From the issue of an asynchronous operation, or the fence that it needs, to its events.
pub fn issue_order(program: &Program, events: &[Event]) -> Relation {
    if !has_operations(program) {
        return Relation::empty(events.len());
    }
    Relation::of(events.len(), |a, b| {
        let Some(operation) = events[b].thread.map(|thread| &program.threads[thread]) else { return false };
        let Some((issuer, issue)) = operation.issuer else { return false };
        let (kind, at) = match operation.issue_order {
            IssueOrder::Issue => (EventKind::Issue, issue),
            IssueOrder::Fence(Some(fence)) => (EventKind::IssueFence, fence),
            IssueOrder::Fence(None) => return false,
        };
        (events[a].kind, events[a].thread, events[a].instruction) == (kind, Some(issuer), at)
    })
}

/// From the events of asynchronous operations, or of the threads of an earlier kernel, to the ends of waits for them, and to the fences that
/// release them, if their thread has waited before: a wait that a branch jumps over is none.
pub fn completion(program: &Program, events: &[Event]) -> Relation {
    let is_end = |event: &Event| event.kind == EventKind::Await || event.is_operation_fence(OperationFence::Release);
    if !events.iter().any(is_end) {
        return Relation::empty(events.len());
    }
    let instruction = |event: &Event| program.instruction((event.thread?, event.instruction));
    let is_for = |operations: &[AwaitedOperation], event: &Event| {
        operations.iter().any(|awaited| awaits(program, awaited, event))
    };
    let has_waited = |a: usize, fence: usize| {
        events[..fence].iter().filter(|wait| wait.same_thread(&events[fence])).any(|wait| match instruction(wait) {
            Some(ModelInstruction::Await { operations }) => is_for(operations, &events[a]),
            _ => false,
        })
    };
    Relation::of(events.len(), |a, b| match instruction(&events[b]).filter(|_| is_end(&events[b])) {
        Some(ModelInstruction::Await { operations }) => is_for(operations, &events[a]),
        Some(ModelInstruction::ReleaseOperations { operations }) => is_for(operations, &events[a]) && has_waited(a, b),
        _ => false,
    })
}

fn awaits(program: &Program, awaited: &AwaitedOperation, event: &Event) -> bool {
    let writes = |instruction: &ModelInstruction| {
        matches!(instruction, ModelInstruction::Store { .. } | ModelInstruction::Update { .. })
    };
    let code = &program.threads[awaited.thread].code;
    let reads = code.iter().take_while(|instruction| !writes(instruction)).count();
    let part = match awaited.part {
        AwaitedPart::Reads => event.instruction < reads,
        AwaitedPart::All => true,
    };
    part && event.thread == Some(awaited.thread)
}

/// Base causality order that ends at an access, which may be of an operation that is issued later.
pub fn successors(base: &Relation, issue_order: &Relation, issues: EventSet, a: usize) -> EventSet {
    let behind = base.successors(a);
    behind | (behind & issues).union_of(|issue| issue_order.successors(issue))
}
