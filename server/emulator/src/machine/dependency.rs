//! Which reads a branch depends on, whatever happens: what a thread does after the branch then depends on the read, too (PTX ISA, Memory
//! Consistency Model: No-Thin-Air).

use super::liveness::RegisterAccesses;
use super::program::{MachineAction, MachineFunction, MachineInstruction};
use std::collections::BTreeSet;

/// For each instruction of a function the branch that depends on what it reads. Nothing leads to the branch but the read before it.
pub fn controlled_branches(function: &MachineFunction) -> Vec<Option<u32>> {
    let code = &function.code;
    let targets: BTreeSet<u32> = code.iter().flat_map(|instruction| targets(&instruction.action)).copied().collect();
    let reads = |at: usize| matches!(code[at].action, MachineAction::Load(_) | MachineAction::Atomic(_));
    let branch = |at: usize| if reads(at) { controlled(code, at, &targets) } else { None };
    (0..code.len()).map(branch).collect()
}

fn targets(action: &MachineAction) -> &[u32] {
    match action {
        MachineAction::Branch(target) => std::slice::from_ref(target),
        MachineAction::BranchIndexed(_, targets) => targets,
        _ => &[],
    }
}

/// The first branch after a read whose guard is computed from what it reads, in the code that nothing else leads to.
fn controlled(code: &[MachineInstruction], read: usize, targets: &BTreeSet<u32>) -> Option<u32> {
    let mut dependent: BTreeSet<u32> = RegisterAccesses::of(&code[read].action)?.written.into_iter().collect();
    if code[read].guard.is_some() {
        return None;
    }
    for (at, instruction) in code.iter().enumerate().skip(read + 1) {
        if targets.contains(&(at as u32)) || dependent.is_empty() {
            return None;
        }
        let leaves =
            matches!(instruction.action, MachineAction::Branch(_) | MachineAction::Exit | MachineAction::Return);
        match instruction.guard {
            Some(guard) if leaves && dependent.contains(&guard.predicate) => return Some(at as u32),
            Some(_) if leaves => continue,
            _ if leaves => return None,
            _ => {}
        }
        if matches!(instruction.action, MachineAction::Call(_) | MachineAction::BranchIndexed(..)) {
            return None;
        }
        let RegisterAccesses { read, written } = RegisterAccesses::of(&instruction.action)?;
        let depends = instruction.guard.is_none() && read.iter().any(|register| dependent.contains(register));
        for register in written {
            if depends {
                dependent.insert(register)
            } else {
                dependent.remove(&register)
            };
        }
    }
    None
}
