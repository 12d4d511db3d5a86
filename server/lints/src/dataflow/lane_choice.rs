//! How the lanes that execute an instruction are chosen: by its guard, and by the branches that decide whether it executes.

use super::{LaneCondition, Uniformity};
use crate::flow::{BasicBlocks, Flow, PostDominators};
use foldhash::HashSet;

/// The maximum number of branches that decide whether an instruction executes.
const MAX_BRANCHES: usize = 64;

/// How lanes are chosen to execute an instruction.
pub(crate) struct LaneChoice<'f, 'a> {
    flow: &'f Flow<'a>,
    blocks: &'f BasicBlocks,
    post_dominators: PostDominators,
    uniformity: Uniformity<'f, 'a>,
}

impl<'f, 'a> LaneChoice<'f, 'a> {
    /// Nothing is computed yet; `None` if the control flow is not known.
    pub(crate) fn new(flow: &'f Flow<'a>) -> Option<Self> {
        let (blocks, post_dominators) = (flow.blocks()?, PostDominators::new(flow)?);
        Some(LaneChoice { flow, blocks, post_dominators, uniformity: Uniformity::new(flow) })
    }

    /// The combined condition of the guard of an instruction and of the branches that decide whether it executes.
    pub(crate) fn condition(&mut self, at: usize) -> LaneCondition {
        self.combined(at, |_| true)
    }

    /// The combined condition under which an instruction executes for the first time: branches that follow it in a loop do not count.
    pub(crate) fn first_condition(&mut self, at: usize) -> LaneCondition {
        let (blocks, block) = (self.blocks, self.blocks.of(at));
        self.combined(at, |deciding| !blocks.dominates(block, deciding))
    }

    fn combined(&mut self, at: usize, decides: impl Fn(usize) -> bool) -> LaneCondition {
        let mut found = self.uniformity.guard(at);
        let mut visited = HashSet::default();
        let mut worklist = vec![self.blocks.of(at)];
        while let Some(block) = worklist.pop() {
            let deciding: Vec<usize> = self.post_dominators.deciding(block).collect();
            for block in deciding.into_iter().filter(|block| self.blocks.is_reachable(*block) && decides(*block)) {
                if !visited.insert(block) {
                    continue;
                }
                if visited.len() > MAX_BRANCHES {
                    return LaneCondition::Unknown;
                }
                let branch = self.blocks.end(block, self.flow.len()).saturating_sub(1);
                match (found, self.uniformity.guard(branch)) {
                    (LaneCondition::Divergent, _) | (_, LaneCondition::Divergent) => {
                        return LaneCondition::Divergent;
                    }
                    (LaneCondition::Unknown, _) | (_, LaneCondition::Unknown) => found = LaneCondition::Unknown,
                    (LaneCondition::Uniform, condition) => found = condition,
                    (LaneCondition::Bounded, _) => {}
                }
                worklist.push(block);
            }
        }
        found
    }
}
