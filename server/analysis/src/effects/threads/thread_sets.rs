//! Which threads of a CTA may execute an instruction, as far as comparisons of `%tid.x` with constants say it.

use crate::effects::threads::lanes::LANES;
use crate::effects::threads::thread_values::{THREADS, condition};
use crate::values::{BasicBlocks, FunctionValues, PostDominators};

/// The maximum number of branches to visit for one instruction.
const STEP_BUDGET: usize = 256;

/// The threads that may execute an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadSet(Box<[bool]>);

/// Finds the threads of the instructions of a function.
pub struct ThreadSets<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    blocks: &'f BasicBlocks,
    post_dominators: PostDominators,
}

impl ThreadSet {
    /// Whether no warp has threads of both sets.
    pub fn is_in_other_warps(&self, other: &ThreadSet) -> bool {
        let has_thread = |warp: &[bool]| warp.contains(&true);
        !self.0.chunks(LANES).zip(other.0.chunks(LANES)).any(|(one, other)| has_thread(one) && has_thread(other))
    }

    /// Whether the first thread of a CTA is a member.
    pub fn has_first(&self) -> bool {
        self.0[0]
    }

    fn retain(&mut self, condition: &[bool], holds: bool) {
        self.0.iter_mut().zip(condition).for_each(|(member, condition)| *member &= *condition == holds);
    }
}

impl<'f, 'a> ThreadSets<'f, 'a> {
    /// Nothing is computed yet; `None` if the control flow is not known.
    pub fn new(flow: &'f FunctionValues<'a>) -> Option<Self> {
        Some(ThreadSets { flow, blocks: flow.blocks()?, post_dominators: PostDominators::new(flow)? })
    }

    /// The threads that may execute an instruction for the first time.
    pub fn of(&self, at: usize) -> Option<ThreadSet> {
        let block = self.blocks.of(at);
        let mut threads = ThreadSet(vec![true; THREADS].into());
        for deciding in self.post_dominators.all_deciding(block, self.blocks, &mut { STEP_BUDGET })? {
            if deciding == block || !self.blocks.dominates(deciding, block) {
                continue;
            }
            let branch = self.blocks.end(deciding, self.flow.len()).checked_sub(1)?;
            let Some(next) = self.blocks.leading(deciding, block) else { continue };
            let Some(target) = self.flow.target(branch).filter(|at| *at < self.flow.len()) else { continue };
            self.restrict(&mut threads, branch, self.blocks.of(target) == next);
        }
        if self.flow.is_guarded(at) {
            self.restrict(&mut threads, at, true);
        }
        Some(threads)
    }

    /// Keeps the threads whose guard of an instruction holds, or does not.
    fn restrict(&self, threads: &mut ThreadSet, at: usize, holds: bool) {
        let Some((value, is_negated)) = self.flow.guard(at) else { return };
        if let Some(condition) = condition(self.flow, &value, at) {
            threads.retain(&condition, holds != is_negated);
        }
    }
}
