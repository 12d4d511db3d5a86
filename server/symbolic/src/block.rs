//! The threads of a block, and the barriers at which they meet.

use crate::BlockKernel;
use crate::code::Code;
use crate::context::BlockContext;
use crate::control::Control;
use crate::indexed::IndexedAccesses;
use crate::shadow::{Conflict, WordAccesses};
use crate::thread::{SymbolicThread, SymbolicThreadState};
use crate::trial::{TrialLaunch, sampled};

/// What a launch showed.
pub(crate) struct BlockResult {
    /// The accesses that meet, with the numbers of their threads in the block.
    pub conflicts: Vec<(Conflict, [u32; 2])>,
    /// The offsets of the integer parameters that were read.
    pub parameters: Vec<u64>,
    /// Whether threads were not followed to their end because of the number of their steps.
    pub is_incomplete: bool,
    /// Whether threads read what no thread has written.
    pub has_unwritten_reads: bool,
    /// Whether there were accesses whose index is read from memory.
    pub has_indexed: bool,
    /// Whether threads have accessed shared memory by a step.
    accesses: Vec<bool>,
}

impl BlockResult {
    /// Whether threads have accessed shared memory by a step.
    pub fn has_accesses(&self, step: u32) -> bool {
        self.accesses[step as usize]
    }
}

/// Which threads of a block are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvaluatedThreads {
    /// Some in each warp.
    Sampled,
    /// All of a small block, else some.
    All,
}

/// Whether accesses whose index is read from memory are compared with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexedComparison {
    /// They are.
    Compared,
    /// They are counted only.
    LeftOut,
}

/// The threads of a small block.
const SMALL_BLOCK: u32 = 128;

/// The threads while they are evaluated.
struct SymbolicBlock<'p> {
    threads: Vec<SymbolicThread>,
    context: BlockContext<'p>,
    /// The threads of the block.
    size: u32,
}

/// Evaluates threads of a block; `None` if the kernel is not made for the launch: an access is out of bounds, or threads wait for ever.
pub(crate) fn evaluate<'p>(
    kernel: &'p BlockKernel<'p>,
    code: &'p Code<'p>,
    launch: TrialLaunch,
    (evaluated, comparison): (EvaluatedThreads, IndexedComparison),
    steps: usize,
) -> Option<BlockResult> {
    let size = launch.block.count() as u32;
    let takes_all = evaluated == EvaluatedThreads::All && size <= SMALL_BLOCK;
    let numbers = if takes_all { (0..size).collect() } else { sampled(size) };
    let steps = steps / sampled(size).len();
    let thread =
        |(index, number): (usize, &u32)| SymbolicThread::new(*number, index as u32, code, numbers.len(), steps);
    let threads = numbers.iter().enumerate().map(thread).collect();
    let context = BlockContext {
        kernel,
        code,
        control: Control::of(code),
        launch,
        shadow: WordAccesses::default(),
        has_indexed: false,
        compares_indexed: comparison == IndexedComparison::Compared,
        indexed: IndexedAccesses::default(),
        conflicts: Vec::new(),
        is_out_of_bounds: false,
        has_unknown_writes: false,
        accesses: vec![false; code.steps.len()],
        is_incomplete: false,
        parameters: Vec::new(),
        numbers: numbers.clone(),
    };
    let mut block = SymbolicBlock { threads, context, size };
    loop {
        for thread in &mut block.threads {
            thread.run(&mut block.context);
        }
        if block.context.is_out_of_bounds {
            return None;
        }
        if block.threads.iter().all(SymbolicThread::has_ended) {
            break;
        }
        if !block.release() {
            // They may wait for one whose way is not known.
            if block.threads.iter().all(|thread| thread.state != SymbolicThreadState::Stopped) {
                return None;
            }
            break;
        }
    }
    let number = |index: u32| numbers[index as usize];
    let named = |conflict: Conflict| (conflict, conflict.accesses.map(|access| number(access.thread)));
    let of_words = std::mem::take(&mut block.context.conflicts);
    let conflicts = of_words.into_iter().chain(block.context.indexed.conflicts()).map(named).collect();
    let BlockContext { shadow, parameters, is_incomplete, has_unknown_writes, has_indexed, accesses, .. } =
        block.context;
    let has_unwritten_reads = takes_all && !is_incomplete && !has_unknown_writes && shadow.has_unwritten_reads();
    Some(BlockResult { conflicts, parameters, is_incomplete, has_unwritten_reads, has_indexed, accesses })
}

impl SymbolicBlock<'_> {
    /// Lets threads go on whose barrier is complete; whether there are any.
    fn release(&mut self) -> bool {
        let mut has_released = false;
        for at in 0..self.threads.len() {
            let group = match self.threads[at].state {
                SymbolicThreadState::Barrier(number, threads) => self.barrier(number, threads),
                SymbolicThreadState::Cluster => self.cluster(),
                SymbolicThreadState::Lanes(mask) => self.lanes(at, mask),
                SymbolicThreadState::Running | SymbolicThreadState::Ended | SymbolicThreadState::Stopped => None,
            };
            if let Some(group) = group {
                self.meet(&group);
                has_released = true;
            }
        }
        has_released || self.release_lanes()
    }

    /// The threads at a barrier, if it is complete.
    fn barrier(&self, number: u64, count: Option<u64>) -> Option<Vec<usize>> {
        let is_there =
            |thread: &SymbolicThread| matches!(thread.state, SymbolicThreadState::Barrier(other, _) if other == number);
        let there: Vec<usize> = (0..self.threads.len()).filter(|at| is_there(&self.threads[*at])).collect();
        let is_complete = match count.filter(|count| *count < u64::from(self.size)) {
            None => self.threads.iter().all(|thread| is_there(thread) || thread.has_ended()),
            // A thread of each warp is evaluated, and warps arrive as a whole.
            Some(count) => {
                let mut warps: Vec<u32> = there.iter().map(|at| self.threads[*at].number / 32).collect();
                warps.dedup();
                let waits = |warp: u32| {
                    let mut lanes = self.threads.iter().filter(|thread| thread.number / 32 == warp);
                    lanes.all(|thread| is_there(thread) || thread.has_ended())
                };
                warps.len() as u64 * 32 >= count && warps.into_iter().all(waits)
            }
        };
        is_complete.then_some(there)
    }

    fn cluster(&self) -> Option<Vec<usize>> {
        let is_there = |thread: &SymbolicThread| thread.state == SymbolicThreadState::Cluster || thread.has_ended();
        self.threads.iter().all(is_there).then(|| (0..self.threads.len()).collect())
    }

    /// The lanes of a thread's mask, if all of them wait for each other.
    fn lanes(&self, at: usize, mask: Option<u32>) -> Option<Vec<usize>> {
        let mask = mask?;
        let warp = self.threads[at].number / 32;
        let is_member = |thread: &SymbolicThread| thread.number / 32 == warp && mask >> (thread.number % 32) & 1 == 1;
        let members: Vec<usize> = (0..self.threads.len()).filter(|at| is_member(&self.threads[*at])).collect();
        let is_there = |at: &usize| {
            let thread = &self.threads[*at];
            matches!(thread.state, SymbolicThreadState::Lanes(Some(other)) if other == mask) || thread.has_ended()
        };
        members.iter().all(is_there).then_some(members)
    }

    /// Lets the lanes of a warp go on that wait for others which are not known, if no other thread can.
    fn release_lanes(&mut self) -> bool {
        let waits = |thread: &SymbolicThread| matches!(thread.state, SymbolicThreadState::Lanes(_));
        let Some(warp) = self.threads.iter().find(|thread| waits(thread)).map(|thread| thread.number / 32) else {
            return false;
        };
        let is_of_warp = |at: &usize| waits(&self.threads[*at]) && self.threads[*at].number / 32 == warp;
        let group: Vec<usize> = (0..self.threads.len()).filter(is_of_warp).collect();
        self.meet(&group);
        true
    }

    /// Threads learn what the others have done, and go on. What ended threads have done is known to all.
    fn meet(&mut self, group: &[usize]) {
        let ended = (0..self.threads.len()).filter(|at| self.threads[*at].has_ended());
        let mut clock = vec![0; self.threads.len()];
        for at in group.iter().copied().chain(ended) {
            let known = self.threads[at].clock.iter();
            clock.iter_mut().zip(known).for_each(|(own, other)| *own = (*own).max(*other));
        }
        for at in group {
            let thread = &mut self.threads[*at];
            if thread.has_ended() {
                continue;
            }
            thread.clock.clone_from(&clock);
            thread.clock[*at] += 1;
            thread.state = SymbolicThreadState::Running;
        }
    }
}
