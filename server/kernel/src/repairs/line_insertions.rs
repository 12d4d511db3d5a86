//! Statements that are inserted before a line of a source, in the code that a compiler has made of it.

use crate::Kernel;
use crate::repairs::order_changes::OrderChange;
use crate::repairs::order_edits::{fence_opcode, insertion, legal_opcode};
use isa::Module;
use memory_model::{FenceKind, FencedSpace, ModelProxyFence, Proxy, Scope};
use program::{ControlTransfer, MachineFunction, uniform_instructions};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A line of a kernel's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineStart {
    /// The line.
    pub line: usize,
    /// The statements of the module before which a statement stands that is inserted before the line.
    pub before: Vec<Range<usize>>,
    /// Whether the threads of a CTA come there all together or not at all.
    pub is_uniform: bool,
}

/// A statement of the source that orders accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderingStatement {
    /// `__syncthreads();`
    Barrier,
    /// `__syncwarp();`
    WarpBarrier,
    /// `__threadfence();` and its kin.
    Fence(Scope),
    /// A fence between accesses to shared memory by threads and by asynchronous copies.
    AsyncFenceOfShared,
    /// The same of global memory.
    AsyncFenceOfGlobal,
}

impl OrderingStatement {
    /// As CUDA C++ has it.
    pub const fn cuda(self) -> &'static str {
        match self {
            Self::Barrier => "__syncthreads();",
            Self::WarpBarrier => "__syncwarp();",
            Self::Fence(Scope::Cta) => "__threadfence_block();",
            Self::Fence(Scope::Cluster | Scope::Gpu) => "__threadfence();",
            Self::Fence(Scope::Sys) => "__threadfence_system();",
            Self::AsyncFenceOfShared => "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");",
            Self::AsyncFenceOfGlobal => "asm volatile(\"fence.proxy.async.global;\" ::: \"memory\");",
        }
    }

    /// As PTX has it, without its semicolon; `None` if the module cannot have it.
    pub fn ptx(self, module: &Module) -> Option<String> {
        match self {
            Self::Barrier => Some("bar.sync 0".to_owned()),
            Self::WarpBarrier => Some(legal_opcode(module, "bar", &["warp", "sync"])? + " 0xffffffff"),
            Self::Fence(scope) => fence_opcode(module, FenceKind::AcqRel(scope)),
            Self::AsyncFenceOfShared => async_fence(module, FencedSpace::Shared),
            Self::AsyncFenceOfGlobal => async_fence(module, FencedSpace::Global),
        }
    }
}

fn async_fence(module: &Module, space: FencedSpace) -> Option<String> {
    let fence = ModelProxyFence { space: Some(space), ..ModelProxyFence::of(Proxy::Async) };
    fence_opcode(module, FenceKind::Proxy(fence))
}

impl LineStart {
    /// The changes that insert a statement before the line; none if the module cannot have it.
    pub fn inserting(&self, text: &str, module: &Module, statement: OrderingStatement) -> Vec<OrderChange> {
        let Some(ptx) = statement.ptx(module) else { return Vec::new() };
        let title = || format!("insert `{}` before line {}", statement.cuda(), self.line);
        let change = |range| Some(OrderChange { edit: insertion(text, range, &ptx)?, title: title() });
        self.before.iter().filter_map(change).collect()
    }
}

/// The lines of a kernel's body, given those of its statements by their offsets.
///
/// A statement before a line is executed when threads come to the line from one before it: a loop comes back to the line of its head from its end.
/// What is inserted where a line is entered from behind could stand there only.
pub fn line_starts(kernel: &Kernel, lines: &BTreeMap<usize, usize>) -> Vec<LineStart> {
    let function = &kernel.program.functions[kernel.index];
    let Some(uniform) = uniform_instructions(function) else { return Vec::new() };
    let places = &kernel.places[kernel.index];
    let line = |at: usize| lines.get(&places.get(at)?.start).copied();
    let mut starts: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (at, before) in anchors_before(function).into_iter().enumerate() {
        let Some(own) = line(at) else { continue };
        let comes_from = |other: &Option<usize>| other.and_then(line).is_none_or(|other| other < own);
        if before.iter().any(comes_from) {
            starts.entry(own).or_default().insert(at);
        }
    }
    let start = |(line, at): (usize, BTreeSet<usize>)| {
        let is_uniform = at.iter().all(|at| uniform[*at]);
        let mut before: Vec<Range<usize>> = at.iter().map(|at| places[*at].clone()).collect();
        before.dedup();
        LineStart { line, before, is_uniform }
    };
    starts.into_iter().map(start).collect()
}

/// For each instruction that does more than to compute, those that are executed last before it, without others between; `None` is the begin of the
/// kernel.
fn anchors_before(function: &MachineFunction) -> Vec<BTreeSet<Option<usize>>> {
    let is_anchor = |at: usize| function.code[at].action.computation().is_none();
    let mut before = vec![BTreeSet::new(); function.code.len()];
    let mut open: Vec<(Option<usize>, usize)> = vec![(None, 0)];
    let mut seen = BTreeSet::new();
    while let Some((last, at)) = open.pop() {
        if at >= function.code.len() || !seen.insert((last, at)) {
            continue;
        }
        let last = if is_anchor(at) {
            before[at].insert(last);
            Some(at)
        } else {
            last
        };
        open.extend(next(function, at).into_iter().map(|next| (last, next)));
    }
    before
}

/// The instructions that can be executed after one.
fn next(function: &MachineFunction, at: usize) -> Vec<usize> {
    let instruction = &function.code[at];
    let flow = instruction.action.flow();
    let mut next: Vec<usize> = match flow {
        ControlTransfer::Branch(target) => vec![target as usize],
        ControlTransfer::BranchIndexed(_, targets) => targets.iter().map(|target| *target as usize).collect(),
        ControlTransfer::Next
        | ControlTransfer::Call(_)
        | ControlTransfer::Return
        | ControlTransfer::Exit
        | ControlTransfer::Trap => Vec::new(),
    };
    if flow.continues() || instruction.guard.is_some() {
        next.push(at + 1);
    }
    next
}
