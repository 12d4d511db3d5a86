//! The blocks of a kernel, and the parts of it between barriers.

use program::{
    BarrierAction, BarrierInstruction, ControlTransfer, CtaBarrierInstruction, MachineFunction, MachineGuard, Source,
    Synchronization,
};
use std::collections::BTreeSet;

/// A block, by its number in [`KernelFlow::blocks`].
pub type BlockId = usize;

/// Instructions that are executed one after another.
#[derive(Debug)]
pub struct CodeBlock {
    /// The first instruction, and the one behind the last.
    pub instructions: (usize, usize),
    /// Where threads go on.
    pub edges: Vec<FlowEdge>,
    /// Whether the last instruction is a barrier of all threads of the block.
    pub ends_at_barrier: bool,
}

/// A way from a block to another one.
#[derive(Clone, Copy, Debug)]
pub struct FlowEdge {
    /// The next block; the number of blocks stands for the end of the thread.
    pub to: BlockId,
    /// The guard under which it is taken.
    pub guard: Option<MachineGuard>,
}

/// The control flow of a kernel.
#[derive(Debug)]
pub struct KernelFlow {
    /// The blocks, in the order of the program.
    pub blocks: Vec<CodeBlock>,
}

/// The barrier of the block that an instruction is.
pub fn barrier_of_block(function: &MachineFunction, at: usize) -> Option<&CtaBarrierInstruction> {
    match function.code[at].action.synchronization() {
        Synchronization::Barrier(BarrierInstruction::Cta(barrier)) => Some(barrier),
        _ => None,
    }
}

/// Whether all threads of the block wait for each other at an instruction.
pub fn is_full_barrier(function: &MachineFunction, at: usize) -> bool {
    let Some(barrier) = barrier_of_block(function, at) else { return false };
    let waits = matches!(barrier.mode, BarrierAction::Wait | BarrierAction::Reduce(..));
    function.code[at].guard.is_none()
        && waits
        && barrier.threads.is_none()
        && matches!(barrier.barrier, Source::Constant(_))
}

impl KernelFlow {
    /// That of a kernel.
    pub fn of(function: &MachineFunction) -> Self {
        let code = &function.code;
        let mut leaders: BTreeSet<usize> = [0].into();
        for (at, instruction) in code.iter().enumerate() {
            match instruction.action.flow() {
                ControlTransfer::Next | ControlTransfer::Call(_) => {
                    if is_full_barrier(function, at) {
                        leaders.insert(at + 1);
                    }
                    continue;
                }
                ControlTransfer::Branch(target) => {
                    leaders.insert(target as usize);
                }
                ControlTransfer::BranchIndexed(_, targets) => {
                    leaders.extend(targets.iter().map(|target| *target as usize));
                }
                ControlTransfer::Return | ControlTransfer::Exit | ControlTransfer::Trap => {}
            }
            leaders.insert(at + 1);
        }
        leaders.retain(|leader| *leader < code.len());
        let leaders: Vec<usize> = leaders.into_iter().collect();
        let block_at = |at: usize| leaders.binary_search(&at).unwrap_or(leaders.len());
        let blocks = leaders.iter().enumerate().map(|(number, start)| {
            let end = leaders.get(number + 1).copied().unwrap_or(code.len());
            CodeBlock {
                instructions: (*start, end),
                edges: if end > *start { edges(function, end - 1, &block_at) } else { Vec::new() },
                ends_at_barrier: end > *start && is_full_barrier(function, end - 1),
            }
        });
        Self { blocks: blocks.collect() }
    }

    /// The blocks that are reached from one, in reverse postorder, without a way through a block for which `stops` holds.
    pub fn reachable(&self, from: BlockId, stops: impl Fn(BlockId) -> bool) -> Vec<BlockId> {
        if from >= self.blocks.len() {
            return Vec::new();
        }
        let mut is_visited = vec![false; self.blocks.len()];
        let (mut order, mut stack) = (Vec::new(), vec![(from, 0)]);
        is_visited[from] = true;
        while let Some((at, next)) = stack.last_mut() {
            let edge = if stops(*at) { None } else { self.blocks[*at].edges.get(*next) };
            *next += 1;
            match edge {
                Some(edge) if edge.to < self.blocks.len() && !std::mem::replace(&mut is_visited[edge.to], true) => {
                    stack.push((edge.to, 0));
                }
                Some(_) => {}
                None => {
                    order.push(*at);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// The block that every way from a block to the end passes next; the end, if there is none.
    pub fn post_dominators(&self) -> Vec<BlockId> {
        let count = self.blocks.len();
        let all: BTreeSet<BlockId> = (0..=count).collect();
        let mut sets: Vec<BTreeSet<BlockId>> = vec![all; count];
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for at in (0..count).rev() {
                let mut common: Option<BTreeSet<BlockId>> = None;
                for edge in &self.blocks[at].edges {
                    let of_next = if edge.to < count { sets[edge.to].clone() } else { [count].into() };
                    common = Some(match common {
                        Some(common) => common.intersection(&of_next).copied().collect(),
                        None => of_next,
                    });
                }
                let mut new = common.unwrap_or_else(|| [count].into());
                new.insert(at);
                if new != sets[at] {
                    sets[at] = new;
                    has_changed = true;
                }
            }
        }
        let reaches_end = self.reaches_end();
        // The nearest one has all others as its own.
        let nearest = |at: usize| {
            let own = sets[at].iter().filter(|other| reaches_end[at] && **other != at && **other < count);
            own.max_by_key(|other| sets[**other].len()).copied().unwrap_or(count)
        };
        (0..count).map(nearest).collect()
    }

    /// Whether a way from each block leads to the end.
    fn reaches_end(&self) -> Vec<bool> {
        let mut reaches = vec![false; self.blocks.len()];
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for at in (0..self.blocks.len()).filter(|at| !reaches[*at]).rev().collect::<Vec<_>>() {
                let leads = |edge: &FlowEdge| reaches.get(edge.to).copied().unwrap_or(true);
                reaches[at] = self.blocks[at].edges.is_empty() || self.blocks[at].edges.iter().any(leads);
                has_changed |= reaches[at];
            }
        }
        reaches
    }
}

/// Where threads go on after the last instruction of a block.
fn edges(function: &MachineFunction, last: usize, block_at: &impl Fn(usize) -> BlockId) -> Vec<FlowEdge> {
    let instruction = &function.code[last];
    let guard = instruction.guard;
    let taken = |to: BlockId| FlowEdge { to, guard };
    let mut edges: Vec<FlowEdge> = match instruction.action.flow() {
        ControlTransfer::Next | ControlTransfer::Call(_) => {
            return vec![FlowEdge { to: block_at(last + 1), guard: None }];
        }
        ControlTransfer::Branch(target) => vec![taken(block_at(target as usize))],
        ControlTransfer::BranchIndexed(_, targets) => {
            targets.iter().map(|target| taken(block_at(*target as usize))).collect()
        }
        ControlTransfer::Return | ControlTransfer::Exit | ControlTransfer::Trap => vec![taken(usize::MAX)],
    };
    edges.iter_mut().filter(|edge| edge.to == usize::MAX).for_each(|edge| edge.to = block_at(usize::MAX));
    if let Some(guard) = guard {
        let opposite = MachineGuard { expected: !guard.expected, ..guard };
        edges.push(FlowEdge { to: block_at(last + 1), guard: Some(opposite) });
    }
    edges
}
