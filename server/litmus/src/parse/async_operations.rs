//! The asynchronous operations of a test, which become threads after those that the test names.

use crate::test::Test;
use memory_model::{AwaitedOperation, AwaitedPart, IssueOrder, ModelAddress, ModelInstruction, ModelRegister, Thread};
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
    /// Operations on tensor memory that a commit follows.
    Tcgen05,
    /// `tcgen05.ld`.
    TensorLoad,
    /// `tcgen05.st`.
    TensorStore,
}

/// An operation on tensor memory that others may be executed after in the order of their issue.
#[derive(Clone, PartialEq, Eq)]
pub struct TensorPipeline {
    /// The CTAs that take part: the number of `.cta_group`.
    pub group: Option<String>,
    /// What it writes.
    pub written: ModelAddress,
    /// What it is.
    pub kind: TensorPipelineKind,
}

/// The kinds of such operations.
#[derive(Clone, PartialEq, Eq)]
pub enum TensorPipelineKind {
    /// `tcgen05.mma`, with the matrix that it reads in tensor memory.
    Product(Option<ModelAddress>),
    /// `tcgen05.cp`.
    Copy,
}

impl TensorPipeline {
    /// Whether a later operation of the thread is executed after it without a wait.
    fn is_before(&self, later: &TensorPipeline) -> bool {
        let is_input_overwritten =
            matches!(self.kind, TensorPipelineKind::Product(Some(input)) if input == later.written);
        self.group == later.group
            && match (&self.kind, &later.kind) {
                (TensorPipelineKind::Copy, kind) => *kind != TensorPipelineKind::Copy,
                (_, TensorPipelineKind::Copy) => is_input_overwritten,
                _ => is_input_overwritten || self.written == later.written,
            }
    }
}

/// An asynchronous operation of a test.
pub struct AsyncOperation {
    /// The number of the thread that issues it.
    pub issuer: usize,
    /// The index of the instruction that issues it.
    pub at: usize,
    /// The place in the text.
    pub range: Range<usize>,
    /// What it does, in its own time.
    pub code: Vec<ModelInstruction>,
    /// The group that it belongs to, by its number among those of its thread.
    pub group: Option<(AsyncGroup, usize)>,
    /// Which instructions of its issuer it is ordered after.
    pub issue_order: IssueOrder,
    /// What it is, if others may be executed after it in the order of their issue.
    pub pipeline: Option<TensorPipeline>,
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
    /// The operations that a `tcgen05.wait` is for: the thread that waits, and the operation.
    waited: Vec<(usize, AwaitedOperation)>,
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

    /// Sets what an operation on tensor memory has in common with those that are executed after it.
    pub fn set_pipeline(&mut self, operation: usize, pipeline: TensorPipeline) {
        if let Some(operation) = self.operations.get_mut(operation) {
            operation.pipeline = Some(pipeline);
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

    /// The operations of a thread that one on tensor memory is executed after.
    pub fn executed_before(&self, thread: usize, pipeline: &TensorPipeline) -> Vec<AwaitedOperation> {
        let is = |operation: &AsyncOperation| {
            operation.issuer == thread && operation.pipeline.as_ref().is_some_and(|one| one.is_before(pipeline))
        };
        let found = self.operations.iter().enumerate().filter(|(_, operation)| is(operation));
        found.map(|(at, _)| AwaitedOperation { thread: at, part: AwaitedPart::All }).collect()
    }

    /// `tcgen05.wait`: the operations of a kind of the thread so far.
    pub fn wait_for_tensors(&mut self, thread: usize, kind: AsyncGroup) -> ModelInstruction {
        let operations = self.awaited(thread, kind, usize::MAX, AwaitedPart::All);
        self.waited.extend(operations.iter().map(|operation| (thread, *operation)));
        ModelInstruction::Await { operations }
    }

    /// `tcgen05.fence::before_thread_sync`: what the thread has waited for is before it.
    pub fn release_tensors(&self, thread: usize) -> ModelInstruction {
        let own = self.waited.iter().filter(|(waiting, _)| *waiting == thread);
        ModelInstruction::ReleaseOperations { operations: own.map(|(_, operation)| *operation).collect() }
    }

    /// `tcgen05.commit`: the code before its arrival, which waits for the operations of the thread so far and orders them as the fence before
    /// synchronization does.
    pub fn before_commit(&self, thread: usize) -> Vec<ModelInstruction> {
        let operations = self.awaited(thread, AsyncGroup::Tcgen05, usize::MAX, AwaitedPart::All);
        vec![
            ModelInstruction::Await { operations: operations.clone() },
            ModelInstruction::ReleaseOperations { operations },
        ]
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
            ModelInstruction::Await { operations } | ModelInstruction::ReleaseOperations { operations } => {
                operations.iter_mut().for_each(|one| one.thread += first);
            }
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
