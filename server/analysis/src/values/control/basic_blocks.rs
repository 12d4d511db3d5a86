//! Basic blocks of a function, with dominators and dominance frontiers.

use crate::values::FunctionValues;

/// Marks an unreachable block.
pub(in crate::values) const UNREACHABLE: u32 = u32::MAX;

/// An empty block that represents all labels: the target of branches with unknown targets.
const UNKNOWN_TARGET: usize = 1;

/// The first block with instructions.
pub(in crate::values) const FIRST: usize = 2;

/// The maximum average size of a dominance frontier.
const MAX_FRONTIER: usize = 64;

/// The control-flow graph with its dominator tree.
pub struct BasicBlocks {
    /// The first instruction of each block, starting with block [`FIRST`].
    starts: Vec<u32>,
    successors: Vec<Vec<u32>>,
    /// The reachable blocks in reverse postorder.
    order: Vec<u32>,
    predecessors: Vec<Vec<u32>>,
    /// The preorder and postorder times of each block in the dominator tree.
    entered: Vec<u32>,
    left: Vec<u32>,
    /// The dominance frontier of each block.
    frontier: Vec<Vec<u32>>,
}

impl BasicBlocks {
    /// The entry block, which is empty.
    pub const ENTRY: usize = 0;

    /// The blocks of a function; `None` if the dominance frontiers are too large.
    pub(in crate::values) fn new(flow: &FunctionValues) -> Option<Self> {
        let starts = starts(flow);
        let successors = successors(flow, &starts);
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (block, next) in successors.iter().enumerate() {
            next.iter().for_each(|next| predecessors[*next as usize].push(block as u32));
        }
        let order = reverse_postorder(&successors);
        sort_predecessors(&order, &mut predecessors);
        let parents = immediate_dominators(&order, &predecessors);
        let (entered, left) = dominator_tree_times(&order, &parents);
        let frontier = frontiers(&order, &parents, &predecessors)?;
        Some(BasicBlocks { starts, successors, order, predecessors, entered, left, frontier })
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// The reachable blocks in reverse postorder.
    pub fn reverse_postorder(&self) -> impl Iterator<Item = usize> {
        self.order.iter().map(|block| *block as usize)
    }

    /// The successors of a block.
    pub fn successors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.successors[block].iter().map(|next| *next as usize)
    }

    /// The block of an instruction.
    pub fn of(&self, instruction: usize) -> usize {
        FIRST + self.starts.partition_point(|start| *start as usize <= instruction) - 1
    }

    /// The first instruction of a block.
    pub fn start(&self, block: usize) -> usize {
        block.checked_sub(FIRST).map_or(0, |block| self.starts[block] as usize)
    }

    /// The index after the last instruction of a block.
    pub fn end(&self, block: usize, instructions: usize) -> usize {
        match block.checked_sub(FIRST) {
            Some(block) => self.starts.get(block + 1).map_or(instructions, |next| *next as usize),
            None => 0,
        }
    }

    /// Whether a block is reachable from the entry.
    pub fn is_reachable(&self, block: usize) -> bool {
        self.entered[block] != UNREACHABLE
    }

    /// The reachable predecessors of a block.
    pub fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.predecessors[block].iter().map(|before| *before as usize).filter(|before| self.is_reachable(*before))
    }

    /// The preorder time of a block in the dominator tree.
    pub(in crate::values) fn entered(&self, block: usize) -> u32 {
        self.entered[block]
    }

    /// Whether one block dominates another. Every block dominates itself.
    pub fn dominates(&self, above: usize, block: usize) -> bool {
        self.entered[above] <= self.entered[block] && self.left[block] <= self.left[above]
    }

    /// The successor of a branch that leads to a block that the branch decides.
    pub fn leading(&self, deciding: usize, block: usize) -> Option<usize> {
        // The start of a loop around both dominates the block, too.
        self.successors(deciding).find(|next| self.dominates(*next, block) && !self.dominates(*next, deciding))
    }

    /// The dominance frontier of a block.
    pub(in crate::values) fn frontier(&self, block: usize) -> &[u32] {
        &self.frontier[block]
    }
}

/// The first instructions of the blocks: the first of the function, branch targets, and instructions after a possible branch.
fn starts(flow: &FunctionValues) -> Vec<u32> {
    let begins = |at: usize| {
        let leaves = |before: usize| flow.may_branch(before) || flow.leaves(before);
        at == 0 || flow.is_branch_target(at) || leaves(at - 1)
    };
    (0..flow.len()).filter(|at| begins(*at)).map(|at| at as u32).collect()
}

fn successors(flow: &FunctionValues, starts: &[u32]) -> Vec<Vec<u32>> {
    let block = |instruction: usize| (FIRST + starts.partition_point(|start| (*start as usize) < instruction)) as u32;
    let mut successors = vec![Vec::new(); FIRST + starts.len()];
    if !starts.is_empty() {
        successors[BasicBlocks::ENTRY].push(FIRST as u32);
    }
    for (place, start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).map_or(flow.len(), |next| *next as usize);
        let last = end - 1;
        let next = &mut successors[FIRST + place];
        match (flow.mnemonic(last), flow.target(last)) {
            ("bra", Some(target)) if target < flow.len() => next.push(block(target)),
            ("bra", Some(_)) => {}
            ("bra" | "brx", _) => next.push(UNKNOWN_TARGET as u32),
            _ if flow.may_branch(last) => next.push(UNKNOWN_TARGET as u32),
            _ => {}
        }
        if !flow.is_terminator(last) && end < flow.len() {
            next.push(block(end));
        }
        if flow.is_branch_target(*start as usize) && flow.has_unknown_branch() {
            successors[UNKNOWN_TARGET].push((FIRST + place) as u32);
        }
    }
    successors
}

pub(in crate::values) fn reverse_postorder(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut visited = vec![false; successors.len()];
    let (mut stack, mut order) = (vec![(BasicBlocks::ENTRY, 0)], Vec::with_capacity(successors.len()));
    visited[BasicBlocks::ENTRY] = true;
    while let Some((block, next)) = stack.last_mut() {
        match successors[*block].get(*next) {
            Some(child) => {
                *next += 1;
                if !std::mem::replace(&mut visited[*child as usize], true) {
                    stack.push((*child as usize, 0));
                }
            }
            None => {
                order.push(*block as u32);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Sorts predecessors by descending depth, so that the common dominator of many is found in one climb.
pub(in crate::values) fn sort_predecessors(order: &[u32], predecessors: &mut [Vec<u32>]) {
    let mut rank = vec![UNREACHABLE; predecessors.len()];
    order.iter().enumerate().for_each(|(at, block)| rank[*block as usize] = at as u32);
    predecessors.iter_mut().for_each(|all| all.sort_unstable_by_key(|block| std::cmp::Reverse(rank[*block as usize])));
}

/// The immediate dominator of each block, with the algorithm of Cooper, Harvey and Kennedy.
pub(in crate::values) fn immediate_dominators(order: &[u32], predecessors: &[Vec<u32>]) -> Vec<u32> {
    let mut rank = vec![UNREACHABLE; predecessors.len()];
    order.iter().enumerate().for_each(|(at, block)| rank[*block as usize] = at as u32);
    let mut parents = vec![UNREACHABLE; predecessors.len()];
    parents[BasicBlocks::ENTRY] = BasicBlocks::ENTRY as u32;
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().skip(1) {
            let known = predecessors[*block as usize].iter().filter(|before| parents[**before as usize] != UNREACHABLE);
            let parent = known.copied().reduce(|mut one, mut other| {
                while one != other {
                    let deeper = if rank[one as usize] > rank[other as usize] { &mut one } else { &mut other };
                    *deeper = parents[*deeper as usize];
                }
                one
            });
            let parent = parent.unwrap_or(UNREACHABLE);
            changed |= std::mem::replace(&mut parents[*block as usize], parent) != parent;
        }
    }
    parents
}

/// The preorder and postorder times of each block in the dominator tree.
fn dominator_tree_times(order: &[u32], parents: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut children = vec![Vec::new(); parents.len()];
    for block in order.iter().skip(1) {
        children[parents[*block as usize] as usize].push(*block);
    }
    let (mut entered, mut left) = (vec![UNREACHABLE; parents.len()], vec![UNREACHABLE; parents.len()]);
    let (mut stack, mut time) = (vec![(BasicBlocks::ENTRY as u32, false)], 0);
    while let Some((block, done)) = stack.pop() {
        if done {
            left[block as usize] = time;
            continue;
        }
        entered[block as usize] = time;
        time += 1;
        stack.push((block, true));
        stack.extend(children[block as usize].iter().map(|child| (*child, false)));
    }
    (entered, left)
}

pub(in crate::values) fn frontiers(order: &[u32], parents: &[u32], predecessors: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
    let mut frontier = vec![Vec::new(); parents.len()];
    let mut budget = MAX_FRONTIER * parents.len();
    for block in order {
        let before = &predecessors[*block as usize];
        if before.len() < 2 {
            continue;
        }
        for before in before.iter().filter(|before| parents[**before as usize] != UNREACHABLE) {
            let mut runner = *before;
            while runner != parents[*block as usize] && frontier[runner as usize].last() != Some(block) {
                budget = budget.checked_sub(1)?;
                frontier[runner as usize].push(*block);
                runner = parents[runner as usize];
            }
        }
    }
    Some(frontier)
}
