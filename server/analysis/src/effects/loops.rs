//! The natural loops of a function.

use crate::values::{BasicBlocks, Definition, DefinitionSite};
use foldhash::HashSet;

/// The maximum number of blocks to visit per function.
const STEP_BUDGET: usize = 50_000;

/// The natural loops of a function, the innermost first.
pub struct Loops<'b> {
    bodies: Vec<LoopBody<'b>>,
}

/// The blocks of a loop.
pub struct LoopBody<'b> {
    blocks: &'b BasicBlocks,
    /// The block that the loop begins with.
    pub header: usize,
    members: HashSet<usize>,
}

impl<'b> Loops<'b> {
    /// `None` if there are too many.
    pub fn new(blocks: &'b BasicBlocks) -> Option<Self> {
        let mut bodies: Vec<LoopBody> = Vec::new();
        let mut budget = STEP_BUDGET;
        let back_edges = (0..blocks.len()).filter(|block| blocks.is_reachable(*block)).flat_map(|block| {
            blocks.successors(block).filter(move |next| blocks.dominates(*next, block)).map(move |next| (block, next))
        });
        for (latch, header) in back_edges {
            let known = bodies.iter().position(|body| body.header == header);
            let place = known.unwrap_or_else(|| {
                bodies.push(LoopBody { blocks, header, members: HashSet::from_iter([header]) });
                bodies.len() - 1
            });
            let mut worklist = vec![latch];
            while let Some(block) = worklist.pop() {
                budget = budget.checked_sub(1)?;
                if bodies[place].members.insert(block) {
                    worklist.extend(blocks.predecessors(block));
                }
            }
        }
        bodies.sort_by_key(|body| body.members.len());
        Some(Loops { bodies })
    }

    /// The loops around an instruction, the innermost first.
    pub fn around(&self, at: usize) -> impl Iterator<Item = &LoopBody<'b>> {
        self.bodies.iter().filter(move |body| body.contains(at))
    }
}

impl LoopBody<'_> {
    /// Whether an instruction is in the loop.
    pub fn contains(&self, at: usize) -> bool {
        self.members.contains(&self.blocks.of(at))
    }

    /// Whether a value is defined before the loop.
    pub fn is_outside(&self, definition: Definition) -> bool {
        match definition.site {
            DefinitionSite::Entry => true,
            DefinitionSite::Instruction(at) | DefinitionSite::Guarded(at) => !self.contains(at),
            DefinitionSite::Merge(block) => !self.members.contains(&block),
            DefinitionSite::Unknown(_) => false,
        }
    }

    /// Whether a block is in the loop.
    pub fn has_block(&self, block: usize) -> bool {
        self.members.contains(&block)
    }

    /// Whether an instruction is executed in every iteration that does not leave the loop.
    pub fn repeats(&self, at: usize) -> bool {
        let block = self.blocks.of(at);
        let mut latches = self.blocks.predecessors(self.header).filter(|latch| self.members.contains(latch));
        latches.all(|latch| self.blocks.dominates(block, latch))
    }

    /// The blocks from which a branch leaves the loop, each with the block outside that it leads to.
    pub fn exits(&self) -> impl Iterator<Item = (usize, usize)> {
        let leaves = |block: usize| self.blocks.successors(block).map(move |next| (block, next));
        self.members.iter().flat_map(move |block| leaves(*block)).filter(|(_, next)| !self.members.contains(next))
    }
}
