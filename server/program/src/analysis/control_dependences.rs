//! Which instructions of a function are executed or not because of a branch.
//!
//! An instruction that each way from the branch to the end of the function leads through is executed whatever the branch does, if the thread does
//! not wait for ever or end with an error: both are problems of their own.

use crate::analysis::register_webs::{RegisterWebs, Web};
use crate::effects::{RegisterComputation, successors};
use crate::machine_program::{Load, MachineAction, MachineInstruction};
use crate::operand::MemorySpace;
use std::collections::BTreeSet;

/// The post-dominators of the instructions of a function, and what no branch of it changes.
pub struct ControlDependences {
    /// The instructions after each one; the end of the function is the one after the last.
    successors: Vec<Vec<usize>>,
    /// The first instruction that is on each way from an instruction to the end; itself if it is the end, `None` if no way leads there.
    next: Vec<Option<usize>>,
    /// The webs of registers that have one value, whenever and however often they are computed.
    pub constant: BTreeSet<Web>,
}

impl ControlDependences {
    /// Those of a function, given the webs of its registers.
    pub fn of(code: &[MachineInstruction], webs: &RegisterWebs) -> Self {
        let end = code.len();
        let mut after = vec![Vec::new(); end + 1];
        let mut before = vec![Vec::new(); end + 1];
        for (at, instruction) in code.iter().enumerate() {
            successors(instruction, at, |next| after[at].push(next.min(end)));
            if instruction.action.flow().leaves_function() {
                after[at].push(end);
            }
            after[at].iter().for_each(|next: &usize| before[*next].push(at));
        }
        let next = post_dominators(&after, &before);
        Self { successors: after, next, constant: constant_webs(code, webs) }
    }

    /// The instructions that a branch decides about.
    pub fn decided_by(&self, branch: u32) -> BTreeSet<usize> {
        let branch = branch as usize;
        let mut decided = BTreeSet::new();
        for first in &self.successors[branch] {
            if self.next[*first].is_none() {
                self.add_all_after(*first, &mut decided);
            }
            let mut at = Some(*first);
            while let Some(one) = at.filter(|one| Some(*one) != self.next[branch]) {
                decided.insert(one);
                at = self.next[one].filter(|next| *next != one);
            }
        }
        decided
    }

    fn add_all_after(&self, first: usize, added: &mut BTreeSet<usize>) {
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            if added.insert(at) {
                open.extend(&self.successors[at]);
            }
        }
    }
}

/// The webs that one instruction writes, which computes them from what never changes.
fn constant_webs(code: &[MachineInstruction], webs: &RegisterWebs) -> BTreeSet<Web> {
    let mut constant = BTreeSet::new();
    if webs.instructions.iter().any(|accesses| !accesses.is_known) {
        return constant;
    }
    let pure: Vec<_> = code.iter().zip(&webs.instructions).filter(|(one, _)| is_pure(&one.action)).collect();
    loop {
        let before = constant.len();
        for (_, accesses) in &pure {
            if accesses.read.iter().all(|(_, web)| constant.contains(web)) {
                let written = accesses.written.iter().map(|(_, web)| *web);
                constant.extend(written.filter(|web| webs.has_definitions(*web, 1)));
            }
        }
        if constant.len() == before {
            return constant;
        }
    }
}

/// Whether what an instruction computes depends on its sources and the thread alone.
fn is_pure(action: &MachineAction) -> bool {
    let is_constant = |load: &Load| matches!(load.address.space, MemorySpace::Parameter | MemorySpace::Constant);
    action.computation().is_some_and(RegisterComputation::is_pure) || action.memory().load().is_some_and(is_constant)
}

/// The immediate post-dominators (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm").
fn post_dominators(after: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<Option<usize>> {
    let end = after.len() - 1;
    let order = postorder(before, end);
    let mut number = vec![0; after.len()];
    order.iter().enumerate().for_each(|(at, node)| number[*node] = at);
    let mut next: Vec<Option<usize>> = vec![None; after.len()];
    next[end] = Some(end);
    let meet = |next: &[Option<usize>], mut a: usize, mut b: usize| {
        while a != b {
            let lower = if number[a] < number[b] { &mut a } else { &mut b };
            *lower = next[*lower].unwrap_or(end);
        }
        a
    };
    loop {
        let mut is_changed = false;
        for node in order.iter().rev().copied().filter(|node| *node != end) {
            let known = after[node].iter().copied().filter(|one| next[*one].is_some());
            let found = known.reduce(|a, b| meet(&next, a, b));
            if found != next[node] {
                next[node] = found;
                is_changed = true;
            }
        }
        if !is_changed {
            return next;
        }
    }
}

/// The nodes from which the end can be reached, each after those that lead to it.
fn postorder(before: &[Vec<usize>], end: usize) -> Vec<usize> {
    let mut seen = vec![false; before.len()];
    seen[end] = true;
    let (mut open, mut order) = (vec![(end, 0)], Vec::new());
    while let Some((node, at)) = open.last_mut() {
        if let Some(one) = before[*node].get(*at).copied() {
            *at += 1;
            if !std::mem::replace(&mut seen[one], true) {
                open.push((one, 0));
            }
        } else {
            order.push(*node);
            open.pop();
        }
    }
    order
}
