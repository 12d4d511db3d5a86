//! A part of a kernel: all of it, or what a thread can reach from a barrier without another one.

use crate::any_size::flow::{BlockId, KernelFlow};
use crate::any_size::state::ThreadKnowledge;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a kernel.
#[derive(Debug)]
pub struct KernelPart {
    /// The barrier interval; 0 for the whole kernel.
    pub interval: u32,
    /// The first block.
    pub start: BlockId,
    /// What holds where it begins.
    pub begin: ThreadKnowledge,
    /// The blocks in reverse postorder.
    pub blocks: Vec<BlockId>,
    /// The ways into each block, as the block and the number of its edge.
    pub entries: BTreeMap<BlockId, Vec<(BlockId, usize)>>,
    /// The loops by their first blocks: the blocks from which a way leads back, and all blocks of the loop.
    pub loops: BTreeMap<BlockId, PartLoop>,
}

/// A loop.
#[derive(Debug, Default)]
pub struct PartLoop {
    /// The blocks from which a way leads back to the first one.
    pub latches: BTreeSet<BlockId>,
    /// The blocks.
    pub blocks: BTreeSet<BlockId>,
}

/// Where a part ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartEnd {
    /// Where threads end.
    Threads,
    /// At barriers.
    Barriers,
}

impl KernelPart {
    /// The part that begins with a block.
    pub fn new(flow: &KernelFlow, (interval, start): (u32, BlockId), begin: ThreadKnowledge, end: PartEnd) -> Self {
        let stops = |block: BlockId| end == PartEnd::Barriers && flow.blocks[block].ends_at_barrier;
        let blocks = flow.reachable(start, stops);
        let mut entries: BTreeMap<BlockId, Vec<(BlockId, usize)>> = BTreeMap::new();
        for from in blocks.iter().copied().filter(|block| !stops(*block)) {
            for (number, edge) in flow.blocks[from].edges.iter().enumerate() {
                if edge.to < flow.blocks.len() {
                    entries.entry(edge.to).or_default().push((from, number));
                }
            }
        }
        let mut part = Self { interval, start, begin, blocks, entries, loops: BTreeMap::new() };
        part.loops = part.find_loops();
        part
    }

    /// The blocks from which ways lead into one.
    fn before(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        self.entries.get(&block).into_iter().flatten().map(|(from, _)| *from)
    }

    /// The nearest dominator of each block (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
    fn dominators(&self) -> BTreeMap<BlockId, BlockId> {
        let places: BTreeMap<BlockId, usize> = self.blocks.iter().copied().zip(0..).collect();
        let mut nearest: BTreeMap<BlockId, BlockId> = [(self.start, self.start)].into();
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for block in self.blocks.iter().copied().filter(|block| *block != self.start) {
                let mut new: Option<BlockId> = None;
                for from in self.before(block).filter(|from| nearest.contains_key(from)) {
                    let Some(mut one) = new else {
                        new = Some(from);
                        continue;
                    };
                    let mut other = from;
                    while one != other {
                        if places[&one] > places[&other] {
                            one = nearest[&one];
                        } else {
                            other = nearest[&other];
                        }
                    }
                    new = Some(one);
                }
                if let Some(new) = new {
                    has_changed |= nearest.insert(block, new) != Some(new);
                }
            }
        }
        nearest
    }

    fn find_loops(&self) -> BTreeMap<BlockId, PartLoop> {
        let dominators = self.dominators();
        let dominates = |one: BlockId, mut other: BlockId| loop {
            if one == other {
                return true;
            }
            match dominators.get(&other) {
                Some(next) if *next != other => other = *next,
                _ => return false,
            }
        };
        let mut loops: BTreeMap<BlockId, PartLoop> = BTreeMap::new();
        for block in &self.blocks {
            for from in self.before(*block).filter(|from| dominates(*block, *from)) {
                loops.entry(*block).or_default().latches.insert(from);
            }
        }
        for (first, one) in &mut loops {
            one.blocks.insert(*first);
            let mut waiting: Vec<BlockId> = one.latches.iter().copied().collect();
            while let Some(block) = waiting.pop() {
                if one.blocks.insert(block) {
                    waiting.extend(self.before(block));
                }
            }
        }
        loops
    }

    /// Whether a way between two blocks leads back to the begin of a loop.
    pub fn leads_back(&self, from: BlockId, to: BlockId) -> bool {
        self.loops.get(&to).is_some_and(|one| one.latches.contains(&from))
    }
}
