//! Which branches decide whether a block executes: post-dominators, computed as dominators of the reversed control flow.

use crate::values::FunctionValues;
use crate::values::control::basic_blocks::{
    BasicBlocks, FIRST, UNREACHABLE, frontiers, immediate_dominators, reverse_postorder, sort_predecessors,
};
use foldhash::HashSet;

/// The end of the function, after every `ret` and `exit`. It takes the place of the entry.
const END: u32 = BasicBlocks::ENTRY as u32;

/// The post-dominator tree.
pub struct PostDominators {
    parents: Vec<u32>,
    frontiers: Vec<Vec<u32>>,
}

impl PostDominators {
    /// The post-dominators of a function; `None` if its control flow is not known or too complex. A `trap` does not end a function.
    pub fn new(flow: &FunctionValues) -> Option<Self> {
        let blocks = flow.blocks().filter(|_| !flow.has_unknown_branch())?;
        let mut after: Vec<Vec<u32>> =
            (0..blocks.len()).map(|block| blocks.successors(block).map(|next| next as u32).collect()).collect();
        let mut before = vec![Vec::new(); blocks.len()];
        after[BasicBlocks::ENTRY].clear();
        for (block, after) in after.iter_mut().enumerate().skip(FIRST) {
            let end = blocks.end(block, flow.len());
            let returns = matches!(flow.mnemonic(end - 1), "ret" | "exit");
            if returns || end == flow.len() && !flow.is_terminator(end - 1) {
                after.push(END);
            }
            for next in after {
                before[*next as usize].push(block as u32);
            }
        }
        let order = reverse_postorder(&before);
        sort_predecessors(&order, &mut after);
        let parents = immediate_dominators(&order, &after);
        let frontiers = frontiers(&order, &parents, &after)?;
        Some(PostDominators { parents, frontiers })
    }

    /// The blocks whose last instruction decides whether a block executes. Others may decide whether these do.
    pub fn deciding(&self, block: usize) -> impl Iterator<Item = usize> {
        self.frontiers[block].iter().map(|block| *block as usize)
    }

    /// The reachable blocks that decide whether a block executes, and those that decide whether these do. `None` if the step `budget`
    /// is exhausted.
    pub fn all_deciding(&self, block: usize, blocks: &BasicBlocks, budget: &mut usize) -> Option<Vec<usize>> {
        let (mut found, mut visited, mut next) = (vec![block], HashSet::default(), 0);
        while let Some(block) = found.get(next).copied() {
            for deciding in self.deciding(block) {
                *budget = budget.checked_sub(1)?;
                if blocks.is_reachable(deciding) && visited.insert(deciding) {
                    found.push(deciding);
                }
            }
            next += 1;
        }
        found.swap_remove(0);
        Some(found)
    }

    /// The nearest block that every path from a block to the end of the function crosses; `None` for the end itself.
    pub fn join(&self, block: usize) -> Option<usize> {
        let parent = self.parents[block];
        (parent != END && parent != UNREACHABLE).then_some(parent as usize)
    }
}
