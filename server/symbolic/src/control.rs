//! Where the ways meet again that a branch on an unknown condition may take, and what lies on them.

use crate::code::Code;
use crate::step::CodeStep;
use std::collections::BTreeMap;

/// The steps at which ways meet, and the regions of branches that were asked for.
pub(crate) struct Control {
    /// The step that every way from a step to the end of the thread passes next; the number of steps stands for the end.
    post_dominators: Vec<u32>,
    regions: BTreeMap<u32, BranchRegion>,
    /// How many more steps may be visited.
    budget: usize,
}

/// What a thread may do between a branch and the step where its ways meet.
#[derive(Clone, Debug)]
pub(crate) struct BranchRegion {
    /// The step where the ways meet; `None` if it is not certain what holds there.
    pub end: Option<u32>,
    /// The registers that may be written on the way.
    pub written: Box<[u32]>,
}

/// The most visits of a step while regions are searched for, for each step of the code.
const VISITS: usize = 16;

impl Control {
    /// That of some code.
    pub fn of(code: &Code) -> Self {
        let budget = VISITS * code.steps.len();
        Self { post_dominators: post_dominators(&code.steps), regions: BTreeMap::new(), budget }
    }

    /// The region of a branch.
    pub fn region(&mut self, code: &Code, branch: u32) -> &BranchRegion {
        let Self { post_dominators, regions, budget } = self;
        regions.entry(branch).or_insert_with(|| {
            let end = post_dominators[branch as usize];
            let certain = (end as usize) < code.steps.len();
            let written = if certain { written_before(code, branch, end, budget) } else { None };
            BranchRegion { end: written.is_some().then_some(end), written: written.unwrap_or_default() }
        })
    }
}

/// The registers that are written between a branch and the step where its ways meet; `None` if something on the way may order accesses.
fn written_before(code: &Code, branch: u32, end: u32, budget: &mut usize) -> Option<Box<[u32]>> {
    let (mut written, mut is_visited) = (Vec::new(), vec![false; code.steps.len()]);
    let mut waiting = vec![branch];
    let (mut has_strong, mut has_loop) = (false, false);
    while let Some(at) = waiting.pop() {
        *budget = budget.checked_sub(1)?;
        let step = &code.steps[at as usize];
        if at != branch && step.step.orders() {
            return None;
        }
        has_strong |= step.is_strong;
        written.extend(&step.written);
        successors(step, at, |next| {
            has_loop |= next <= at && next != end;
            if next != end && (next as usize) < code.steps.len() && !is_visited[next as usize] {
                is_visited[next as usize] = true;
                waiting.push(next);
            }
        });
    }
    // A loop with a strong access may wait for another thread.
    (!has_strong || !has_loop).then(|| {
        written.sort_unstable();
        written.dedup();
        written.into()
    })
}

/// Calls `visit` with each step at which a thread may go on; the number of steps stands for the end.
pub(crate) fn successors(step: &CodeStep, at: u32, mut visit: impl FnMut(u32)) {
    step.step.targets().iter().for_each(|target| visit(*target));
    if step.step.continues() || step.guard.is_some() {
        visit(at + 1);
    }
}

/// The immediate post-dominator of each step (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, on the reversed graph).
fn post_dominators(steps: &[CodeStep]) -> Vec<u32> {
    let end = steps.len() as u32;
    let order = ReverseOrder::of(steps);
    let mut immediate = vec![u32::MAX; steps.len() + 1];
    immediate[end as usize] = end;
    loop {
        let mut has_changed = false;
        for at in order.steps.iter().copied().filter(|at| *at != end) {
            let mut new = u32::MAX;
            let mut join = |next: u32| {
                let next = next.min(end);
                if immediate[next as usize] == u32::MAX {
                } else if new == u32::MAX {
                    new = next;
                } else {
                    new = order.intersect(&immediate, new, next);
                }
            };
            let step = &steps[at as usize];
            successors(step, at, &mut join);
            if !step.step.continues() && step.step.targets().is_empty() {
                join(end);
            }
            if immediate[at as usize] != new {
                immediate[at as usize] = new;
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
    // A step from which no way leads to the end meets nothing.
    immediate.iter_mut().filter(|one| **one == u32::MAX).for_each(|one| *one = end);
    immediate
}

/// The steps in reverse postorder of the reversed graph, the end first.
struct ReverseOrder {
    steps: Vec<u32>,
    /// The place of each step in it.
    places: Vec<u32>,
}

impl ReverseOrder {
    fn of(steps: &[CodeStep]) -> Self {
        let end = steps.len() as u32;
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); steps.len() + 1];
        for (at, step) in steps.iter().enumerate() {
            let at = at as u32;
            successors(step, at, |next| before[next.min(end) as usize].push(at));
            if !step.step.continues() && step.step.targets().is_empty() {
                before[end as usize].push(at);
            }
        }
        let mut is_visited = vec![false; steps.len() + 1];
        let (mut order, mut stack) = (Vec::with_capacity(steps.len() + 1), vec![(end, 0)]);
        is_visited[end as usize] = true;
        while let Some((at, next)) = stack.last_mut() {
            match before[*at as usize].get(*next) {
                Some(other) => {
                    *next += 1;
                    if !std::mem::replace(&mut is_visited[*other as usize], true) {
                        stack.push((*other, 0));
                    }
                }
                None => {
                    order.push(*at);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut places = vec![u32::MAX; steps.len() + 1];
        order.iter().enumerate().for_each(|(place, at)| places[*at as usize] = place as u32);
        Self { steps: order, places }
    }

    /// The nearest common post-dominator.
    fn intersect(&self, immediate: &[u32], mut one: u32, mut other: u32) -> u32 {
        while one != other {
            while self.places[one as usize] > self.places[other as usize] {
                one = immediate[one as usize];
            }
            while self.places[other as usize] > self.places[one as usize] {
                other = immediate[other as usize];
            }
        }
        one
    }
}
