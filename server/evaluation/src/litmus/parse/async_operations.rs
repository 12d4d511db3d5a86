//! The asynchronous operations of a test, which become threads after those that the test names.

use crate::litmus::test::Test;
use memory_model::{AwaitedOperation, AwaitedPart, IssueOrder, ModelInstruction, ModelRegister, Thread};
use std::ops::Range;

/// The register of an operation's thread, which holds what is copied.
pub const COPIED: usize = 0;

/// The other register of an operation's thread, for the address in a tensor map or a second source.
pub const SECOND: usize = 1;

/// The operations that a wait for a group is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AsyncGroup {
    /// `cp.async`.
    Copy,
    /// Bulk operations with `.bulk_group`.
    Bulk,
    /// `wgmma.mma_async`.
    Wgmma,
    /// Operations on tensor memory.
    Tcgen05,
}

/// An asynchronous operation of a test.
pub struct AsyncOperation {
    pub issuer: usize,
    /// The index of the instruction that issues it.
    pub at: usize,
    pub range: Range<usize>,
    pub code: Vec<ModelInstruction>,
    /// The group that it belongs to, by its number among those of its thread.
    pub group: Option<(AsyncGroup, usize)>,
    /// Which instructions of its issuer it is ordered after.
    pub issue_order: IssueOrder,
}

/// The asynchronous operations of a test, and the groups that its threads have committed.
#[derive(Default)]
pub struct AsyncOperations {
    operations: Vec<AsyncOperation>,
    commits: Vec<(usize, AsyncGroup)>,
    /// Every `griddepcontrol.wait`: its thread and its index there.
    grid_waits: Vec<(usize, usize)>,
    /// Every `wgmma.fence`: its thread and its index there.
    fences: Vec<(usize, usize)>,
}

impl AsyncOperations {
    /// Adds an operation; returns its number.
    pub fn add(&mut self, operation: AsyncOperation) -> usize {
        self.operations.push(operation);
        self.operations.len() - 1
    }

    /// Sets the code of an operation.
    pub fn set_code(&mut self, operation: usize, code: Vec<ModelInstruction>) {
        if let Some(operation) = self.operations.get_mut(operation) {
            operation.code = code;
        }
    }

    /// Commits the operations of a thread so far.
    pub fn commit(&mut self, thread: usize, kind: AsyncGroup) {
        self.commits.push((thread, kind));
    }

    /// Adds a `wgmma.fence`.
    pub fn fence(&mut self, thread: usize, at: usize) {
        self.fences.push((thread, at));
    }

    /// What an operation is ordered after: `wgmma.mma_async` alone needs a fence.
    pub fn issue_order(&self, thread: usize, group: Option<AsyncGroup>) -> IssueOrder {
        let last = || self.fences.iter().rev().find(|(of, _)| *of == thread).map(|(_, at)| *at);
        if group == Some(AsyncGroup::Wgmma) { IssueOrder::Fence(last()) } else { IssueOrder::Issue }
    }

    /// Adds a `griddepcontrol.wait`.
    pub fn wait_for_grids(&mut self, thread: usize, at: usize) {
        self.grid_waits.push((thread, at));
    }

    /// The number of groups that a thread has committed.
    pub fn committed(&self, thread: usize, kind: AsyncGroup) -> usize {
        self.commits.iter().filter(|commit| **commit == (thread, kind)).count()
    }

    /// The operations of a thread in groups of a kind that are not among the last ones.
    pub fn awaited(&self, thread: usize, kind: AsyncGroup, before: usize, part: AwaitedPart) -> Vec<AwaitedOperation> {
        let is = |operation: &AsyncOperation| {
            operation.issuer == thread && operation.group.is_some_and(|(of, group)| of == kind && group < before)
        };
        let found = self.operations.iter().enumerate().filter(|(_, operation)| is(operation));
        found.map(|(at, _)| AwaitedOperation { thread: at, part }).collect()
    }
}

/// Adds the threads of the operations after those of the test.
pub fn add_threads(test: &mut Test, AsyncOperations { operations, grid_waits, .. }: AsyncOperations) {
    let first = test.program.threads.len();
    for operation in operations {
        let at = test.program.threads.len();
        test.places.extend((0..operation.code.len()).map(|index| (at, index, operation.range.clone())));
        test.program.threads.push(Thread {
            name: format!("{} async {}", test.program.threads[operation.issuer].name, at - first),
            place: test.program.threads[operation.issuer].place,
            registers: registers(&operation.code),
            code: operation.code,
            issuer: Some((operation.issuer, operation.at)),
            issue_order: operation.issue_order,
        });
    }
    for instruction in test.program.threads.iter_mut().flat_map(|thread| &mut thread.code) {
        match instruction {
            ModelInstruction::Issue { thread } => *thread += first,
            ModelInstruction::Await { operations } => operations.iter_mut().for_each(|one| one.thread += first),
            _ => {}
        }
    }
    let waits = |thread: usize| grid_waits.iter().any(|(waiting, _)| *waiting == thread);
    let threads = 0..test.program.threads.len();
    let earlier = threads.filter(|at| !waits(test.program.threads[*at].issuer.map_or(*at, |(issuer, _)| issuer)));
    let earlier: Vec<_> = earlier.map(|thread| AwaitedOperation { thread, part: AwaitedPart::All }).collect();
    for (thread, at) in grid_waits {
        test.program.threads[thread].code[at] = ModelInstruction::Await { operations: earlier.clone() };
    }
}

/// The registers of an operation.
fn registers(code: &[ModelInstruction]) -> Vec<ModelRegister> {
    let loaded = |instruction: &ModelInstruction| match instruction {
        ModelInstruction::Load { to, .. } => *to,
        _ => None,
    };
    let highest = code.iter().filter_map(loaded).fold(SECOND, usize::max);
    (COPIED..=highest).map(|at| ModelRegister { name: format!("copied {at}"), init: 0 }).collect()
}
