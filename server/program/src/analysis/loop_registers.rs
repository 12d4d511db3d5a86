//! Which registers decide what a loop does: one that counts its turns and never looks at the number is as before after a turn.

use crate::analysis::liveness::RegisterSet;
use crate::analysis::repeatable::is_repeatable;
use crate::effects::{ControlTransfer, RegisterAccesses, successors};
use crate::machine_program::{MachineAction, MachineFunction, MachineInstruction};
use crate::problem::CodePlace;
use std::collections::HashMap;

/// The registers that decide what loops do, of those for which that was asked, by an instruction in each.
#[derive(Clone, Debug, Default)]
pub struct KnownLoops(HashMap<CodePlace, DecidingRegisters>);

/// The registers that decide what a loop does.
#[derive(Clone, Debug)]
pub struct DecidingRegisters {
    /// `None` if it may be all of them.
    registers: Option<RegisterSet>,
    /// Whether it reads memory.
    pub reads: bool,
    /// Whether others make progress through it without memory: it has a barrier or an exchange.
    pub meets_others: bool,
}

impl DecidingRegisters {
    /// Whether they may be all registers, those of other lanes included.
    pub const fn is_all(&self) -> bool {
        self.registers.is_none()
    }

    /// Whether a register is one of them.
    pub fn contains(&self, register: usize) -> bool {
        self.registers.as_ref().is_none_or(|registers| registers.contains(register))
    }
}

impl KnownLoops {
    /// The registers of the loop around a place.
    pub fn at(&mut self, function: &MachineFunction, place: CodePlace) -> &DecidingRegisters {
        self.0.entry(place).or_insert_with(|| {
            let members = members(&function.code, place.instruction as usize);
            let actions = || members.iter().map(|at| &function.code[*at].action);
            DecidingRegisters {
                registers: deciding(function, &members),
                reads: actions().any(|action| !is_computation(action) && !is_barrier(action)),
                meets_others: actions().any(|action| !is_alone(action)),
            }
        })
    }
}

/// The instructions on a way from one back to it.
fn members(code: &[MachineInstruction], start: usize) -> Vec<usize> {
    let mut predecessors: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        successors(&code[at], at, |next| {
            if next < code.len() {
                let is_new = !predecessors.contains_key(&next);
                predecessors.entry(next).or_default().push(at);
                open.extend((is_new && next != start).then_some(next));
            }
        });
    }
    let mut members = vec![false; code.len()];
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut members[at], true) {
            open.extend(predecessors.get(&at).into_iter().flatten());
        }
    }
    (0..code.len()).filter(|at| members[*at]).collect()
}

/// Whether an instruction does nothing but compute or branch.
fn is_computation(action: &MachineAction) -> bool {
    action.computation().is_some() || is_branch(action)
}

fn is_branch(action: &MachineAction) -> bool {
    matches!(action.flow(), ControlTransfer::Branch(_))
}

/// Whether an instruction is a barrier that passes no values on.
fn is_barrier(action: &MachineAction) -> bool {
    action.synchronization().barrier().is_some() && action.written().is_empty()
}

/// Whether others notice an instruction through memory alone.
fn is_alone(action: &MachineAction) -> bool {
    is_computation(action)
        || is_repeatable(action)
        || matches!(action.flow(), ControlTransfer::BranchIndexed(..))
        || action.memory().store().is_some()
}

/// The registers on which depends where a loop goes, which memory it accesses and what it does there.
fn deciding(function: &MachineFunction, members: &[usize]) -> Option<RegisterSet> {
    let mut deciding = RegisterSet::empty(function.registers);
    let mut values = Vec::new();
    for at in members {
        let MachineInstruction { guard, action } = &function.code[*at];
        if !is_alone(action) && !is_barrier(action) {
            return None;
        }
        let RegisterAccesses { mut read, written } = RegisterAccesses::of(action)?;
        read.extend(guard.map(|guard| guard.predicate));
        if is_computation(action) && !is_branch(action) {
            values.push((read, written));
        } else {
            read.iter().for_each(|register| deciding.insert(*register));
        }
    }
    loop {
        let mut changed = false;
        for (read, written) in &values {
            let is_used = written.iter().any(|register| deciding.contains(*register as usize));
            for register in read.iter().filter(|_| is_used) {
                changed |= !deciding.contains(*register as usize);
                deciding.insert(*register);
            }
        }
        if !changed {
            return Some(deciding);
        }
    }
}
