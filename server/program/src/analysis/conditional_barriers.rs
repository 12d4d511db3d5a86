//! The conditions under which barriers are executed that take all lanes of a warp (`.aligned`).
//!
//! Each conditional instruction is looked up with the place where its ways meet (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm").

use crate::analysis::barrier_conditions::BarrierConditions;
use crate::effects::{ControlTransfer, successors};
use crate::machine_program::{MachineFunction, MachineInstruction};
use std::collections::{HashMap, HashSet};

/// The most steps that the search for conditions in a function takes; a larger one has none.
const MOST_STEPS: usize = 4_000_000;

/// The conditions of a function; `None` if the search takes too long.
fn conditions_of(code: &[MachineInstruction]) -> Option<BarrierConditions> {
    let barriers: Vec<u32> = (0..code.len() as u32).filter(|at| takes_all_lanes(&code[*at as usize])).collect();
    let mut found = BarrierConditions::default();
    if barriers.is_empty() {
        return Some(found);
    }
    let mut steps = 0;
    let after = post_dominators(code, &mut steps)?;
    let mut conditions: HashMap<u32, Vec<u32>> = HashMap::new();
    for (at, instruction) in code.iter().enumerate().filter(|(_, one)| is_conditional(one)) {
        successors(instruction, at, |next| {
            let mut next = next as u32;
            while Some(next) != after[at] && (next as usize) < code.len() && steps <= MOST_STEPS {
                conditions.entry(next).or_default().push(at as u32);
                steps += 1;
                let Some(behind) = after[next as usize] else { break };
                next = behind;
            }
        });
        // A guarded barrier is executed under its own condition.
        if takes_all_lanes(instruction) {
            conditions.entry(at as u32).or_default().push(at as u32);
        }
    }
    if steps > MOST_STEPS {
        return None;
    }
    let meets = |at: u32| after[at as usize].is_some_and(|next| (next as usize) < code.len() && !only_ends(code, next));
    for barrier in barriers {
        let mut seen = HashSet::new();
        let mut left = vec![barrier];
        while let Some(at) = left.pop() {
            for condition in conditions.get(&at).into_iter().flatten() {
                steps += 1;
                if seen.insert(*condition) {
                    left.push(*condition);
                }
            }
        }
        if steps > MOST_STEPS {
            return None;
        }
        let around: Vec<u32> = seen.into_iter().filter(|at| meets(*at)).collect();
        found.all.extend(&around);
        if !around.is_empty() {
            found.of_barrier.insert(barrier, around);
        }
    }
    Some(found)
}

/// Whether the function ends from an instruction on, without an effect that others could notice.
fn only_ends(code: &[MachineInstruction], from: u32) -> bool {
    /// An epilogue is short; a loop has no end.
    const LONGEST: usize = 64;
    let mut at = from as usize;
    for _ in 0..LONGEST {
        let Some(MachineInstruction { guard, action }) = code.get(at) else { return true };
        match action.flow() {
            ControlTransfer::Return | ControlTransfer::Exit if guard.is_none() => return true,
            ControlTransfer::Branch(target) if guard.is_none() => at = target as usize,
            ControlTransfer::Next if action.computation().is_some() => at += 1,
            ControlTransfer::Next
            | ControlTransfer::Branch(_)
            | ControlTransfer::BranchIndexed(..)
            | ControlTransfer::Call(_)
            | ControlTransfer::Return
            | ControlTransfer::Exit
            | ControlTransfer::Trap => return false,
        }
    }
    false
}

/// Whether all lanes of a warp have to execute an instruction, a barrier, together.
fn takes_all_lanes(instruction: &MachineInstruction) -> bool {
    let synchronization = instruction.action.synchronization();
    synchronization.barrier().is_some() && synchronization.is_of_whole_warp()
}

/// Whether lanes may go on from an instruction at different places, or one has no effect in some of them and is a barrier.
fn is_conditional(instruction: &MachineInstruction) -> bool {
    match instruction.action.flow() {
        ControlTransfer::BranchIndexed(..) => true,
        ControlTransfer::Branch(_) => instruction.guard.is_some(),
        ControlTransfer::Next
        | ControlTransfer::Call(_)
        | ControlTransfer::Return
        | ControlTransfer::Exit
        | ControlTransfer::Trap => instruction.guard.is_some() && takes_all_lanes(instruction),
    }
}

/// By instruction, the next one that every way to the end of the function leads through; `None` if there is none. The end itself, the number of
/// instructions, stands for all places where the function ends. A trap is no end: it stops the run. (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
/// Algorithm", on the reversed graph.) `None` if it takes too many steps.
fn post_dominators(code: &[MachineInstruction], steps: &mut usize) -> Option<Vec<Option<u32>>> {
    let end = code.len();
    let next: Vec<Vec<u32>> = (0..end).map(|at| ways_on(code, at)).collect();
    let mut before = vec![Vec::new(); end + 1];
    for (at, ways) in next.iter().enumerate() {
        ways.iter().for_each(|way| before[*way as usize].push(at as u32));
    }
    let order = from_the_end(&before, end);
    let mut rank = vec![usize::MAX; end + 1];
    order.iter().enumerate().for_each(|(place, at)| rank[*at as usize] = place);
    let mut after: Vec<Option<u32>> = vec![None; end + 1];
    after[end] = Some(end as u32);
    let mut changed = true;
    while changed {
        changed = false;
        for at in order.iter().skip(1).map(|at| *at as usize) {
            let mut joined: Option<u32> = None;
            for way in next[at].iter().filter(|way| after[**way as usize].is_some()) {
                joined = Some(joined.map_or(*way, |other| {
                    let (mut one, mut two) = (*way, other);
                    while one != two {
                        *steps += 1;
                        let later = if rank[one as usize] > rank[two as usize] { &mut one } else { &mut two };
                        *later = after[*later as usize].unwrap_or(end as u32);
                    }
                    one
                }));
            }
            changed |= after[at] != joined;
            after[at] = joined;
        }
        if *steps > MOST_STEPS {
            return None;
        }
    }
    after.truncate(end);
    Some(after)
}

/// Where the execution can go on from an instruction.
fn ways_on(code: &[MachineInstruction], at: usize) -> Vec<u32> {
    let mut ways = Vec::new();
    successors(&code[at], at, |next| ways.push(next.min(code.len()) as u32));
    if code[at].action.flow().leaves_function() {
        ways.push(code.len() as u32);
    }
    ways
}

/// The instructions from which the end can be reached, each after one that it can go on at if there is no loop: a reversed post-order from the end.
fn from_the_end(before: &[Vec<u32>], end: usize) -> Vec<u32> {
    let mut order = Vec::new();
    let mut seen = vec![false; before.len()];
    seen[end] = true;
    let mut stack = vec![(end, 0)];
    while let Some((at, child)) = stack.last_mut() {
        match before[*at].get(*child) {
            Some(next) => {
                *child += 1;
                let next = *next as usize;
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, 0));
                }
            }
            None => {
                order.push(*at as u32);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The conditions of a function, which are searched for when they are asked for first.
pub fn barrier_conditions(function: &MachineFunction) -> &BarrierConditions {
    function.barrier_conditions.get_or_init(|| conditions_of(&function.code).unwrap_or_default())
}
