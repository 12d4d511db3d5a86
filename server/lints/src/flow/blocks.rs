//! Basic blocks of a function, which dominates which, and where the values of different ways meet.

use super::Flow;

/// What stands for a block that no way leads to.
const NOWHERE: u32 = u32::MAX;

/// The function's entry, an empty block.
pub(super) const ENTRY: usize = 0;

/// Where branches go whose targets are not known: to every label. An empty block.
const ANYWHERE: usize = 1;

/// The first block with instructions.
const FIRST: usize = 2;

/// How many places where values meet are kept for each block, at most and on average.
const MEETINGS: usize = 64;

/// The control-flow graph with its dominator tree.
pub(super) struct Blocks {
    /// The first step of each block, from [`FIRST`] on.
    starts: Vec<u32>,
    predecessors: Vec<Vec<u32>>,
    /// When each is entered and left on a walk over the dominator tree.
    entered: Vec<u32>,
    left: Vec<u32>,
    /// The dominance frontier of each.
    frontier: Vec<Vec<u32>>,
}

impl Blocks {
    /// Of a function; `None` where too many ways meet.
    pub(super) fn new(flow: &Flow) -> Option<Self> {
        let starts = starts(flow);
        let successors = successors(flow, &starts);
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (block, next) in successors.iter().enumerate() {
            next.iter().for_each(|next| predecessors[*next as usize].push(block as u32));
        }
        let order = reverse_postorder(&successors);
        in_depth_order(&order, &mut predecessors);
        let parents = immediate_dominators(&order, &predecessors);
        let (entered, left) = numbered(&order, &parents);
        let frontier = frontiers(&order, &parents, &predecessors)?;
        Some(Blocks { starts, predecessors, entered, left, frontier })
    }

    /// The block of a step.
    pub(super) fn of(&self, step: usize) -> usize {
        FIRST + self.starts.partition_point(|start| *start as usize <= step) - 1
    }

    /// The steps before the end of a block begin here.
    pub(super) fn start(&self, block: usize) -> usize {
        block.checked_sub(FIRST).map_or(0, |block| self.starts[block] as usize)
    }

    /// The step behind the last one of a block; that of an empty block is its start.
    pub(super) fn end(&self, block: usize, steps: usize) -> usize {
        match block.checked_sub(FIRST) {
            Some(block) => self.starts.get(block + 1).map_or(steps, |next| *next as usize),
            None => 0,
        }
    }

    /// Whether a way leads to a block from the function's entry.
    pub(super) fn reached(&self, block: usize) -> bool {
        self.entered[block] != NOWHERE
    }

    /// The blocks from which a way leads to one, those left out that are never reached.
    pub(super) fn before(&self, block: usize) -> impl Iterator<Item = usize> {
        self.predecessors[block].iter().map(|before| *before as usize).filter(|before| self.reached(*before))
    }

    /// When a block is entered on a walk over the dominator tree.
    pub(super) fn entered(&self, block: usize) -> u32 {
        self.entered[block]
    }

    /// Whether every way to a block leads through another, or it is that one.
    pub(super) fn dominates(&self, above: usize, block: usize) -> bool {
        self.entered[above] <= self.entered[block] && self.left[block] <= self.left[above]
    }

    /// Where ways from a block meet others.
    pub(super) fn frontier(&self, block: usize) -> &[u32] {
        &self.frontier[block]
    }
}

/// Where blocks begin: at the function's beginning, at targets of branches, and behind branches and what may be one.
fn starts(flow: &Flow) -> Vec<u32> {
    let begins = |at: usize| {
        let leaves = |before: usize| {
            flow.may_branch(before) || matches!(flow.mnemonic(before), "bra" | "brx" | "ret" | "exit" | "trap")
        };
        at == 0 || flow.labelled(at) || leaves(at - 1)
    };
    (0..flow.len()).filter(|at| begins(*at)).map(|at| at as u32).collect()
}

fn successors(flow: &Flow, starts: &[u32]) -> Vec<Vec<u32>> {
    let block = |step: usize| (FIRST + starts.partition_point(|start| (*start as usize) < step)) as u32;
    let mut successors = vec![Vec::new(); FIRST + starts.len()];
    if !starts.is_empty() {
        successors[ENTRY].push(FIRST as u32);
    }
    for (place, start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).map_or(flow.len(), |next| *next as usize);
        let last = end - 1;
        let next = &mut successors[FIRST + place];
        match (flow.mnemonic(last), flow.target(last)) {
            ("bra", Some(target)) if target < flow.len() => next.push(block(target)),
            ("bra", Some(_)) => {}
            ("bra" | "brx", _) => next.push(ANYWHERE as u32),
            _ if flow.may_branch(last) => next.push(ANYWHERE as u32),
            _ => {}
        }
        if !flow.ends(last) && end < flow.len() {
            next.push(block(end));
        }
        if flow.labelled(*start as usize) && flow.jumps_anywhere() {
            successors[ANYWHERE].push((FIRST + place) as u32);
        }
    }
    successors
}

fn reverse_postorder(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut seen = vec![false; successors.len()];
    let (mut open, mut order) = (vec![(ENTRY, 0)], Vec::with_capacity(successors.len()));
    seen[ENTRY] = true;
    while let Some((block, next)) = open.last_mut() {
        match successors[*block].get(*next) {
            Some(child) => {
                *next += 1;
                if !std::mem::replace(&mut seen[*child as usize], true) {
                    open.push((*child as usize, 0));
                }
            }
            None => {
                order.push(*block as u32);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The predecessors in the order in which the common dominator of many is found by climbing once, not once for each.
fn in_depth_order(order: &[u32], predecessors: &mut [Vec<u32>]) {
    let mut rank = vec![NOWHERE; predecessors.len()];
    order.iter().enumerate().for_each(|(at, block)| rank[*block as usize] = at as u32);
    predecessors.iter_mut().for_each(|all| all.sort_unstable_by_key(|block| std::cmp::Reverse(rank[*block as usize])));
}

/// The closest dominator of each block, by the iteration of Cooper, Harvey and Kennedy.
fn immediate_dominators(order: &[u32], predecessors: &[Vec<u32>]) -> Vec<u32> {
    let mut rank = vec![NOWHERE; predecessors.len()];
    order.iter().enumerate().for_each(|(at, block)| rank[*block as usize] = at as u32);
    let mut parents = vec![NOWHERE; predecessors.len()];
    parents[ENTRY] = ENTRY as u32;
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().skip(1) {
            let known = predecessors[*block as usize].iter().filter(|before| parents[**before as usize] != NOWHERE);
            let parent = known.copied().reduce(|mut one, mut other| {
                while one != other {
                    let deeper = if rank[one as usize] > rank[other as usize] { &mut one } else { &mut other };
                    *deeper = parents[*deeper as usize];
                }
                one
            });
            let parent = parent.unwrap_or(NOWHERE);
            changed |= std::mem::replace(&mut parents[*block as usize], parent) != parent;
        }
    }
    parents
}

/// When each block is entered and left on a walk over the dominator tree.
fn numbered(order: &[u32], parents: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut children = vec![Vec::new(); parents.len()];
    for block in order.iter().skip(1) {
        children[parents[*block as usize] as usize].push(*block);
    }
    let (mut entered, mut left) = (vec![NOWHERE; parents.len()], vec![NOWHERE; parents.len()]);
    let (mut open, mut time) = (vec![(ENTRY as u32, false)], 0);
    while let Some((block, done)) = open.pop() {
        if done {
            left[block as usize] = time;
            continue;
        }
        entered[block as usize] = time;
        time += 1;
        open.push((block, true));
        open.extend(children[block as usize].iter().map(|child| (*child, false)));
    }
    (entered, left)
}

fn frontiers(order: &[u32], parents: &[u32], predecessors: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
    let mut frontier = vec![Vec::new(); parents.len()];
    let mut patience = MEETINGS * parents.len();
    for block in order {
        let before = &predecessors[*block as usize];
        if before.len() < 2 {
            continue;
        }
        for before in before.iter().filter(|before| parents[**before as usize] != NOWHERE) {
            let mut runner = *before;
            while runner != parents[*block as usize] && frontier[runner as usize].last() != Some(block) {
                patience = patience.checked_sub(1)?;
                frontier[runner as usize].push(*block);
                runner = parents[runner as usize];
            }
        }
    }
    Some(frontier)
}
