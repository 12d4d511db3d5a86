//! Live registers. A loop iteration that changes no live register has no effect.

use crate::code::instruction::{ModelAddress, ModelInstruction, ModelOperand};
use crate::code::program::Program;

/// For each instruction of each thread, the registers that are read before they are written, as bits. At the end of a thread all are live.
pub fn liveness(program: &Program) -> Vec<Vec<u128>> {
    program
        .threads
        .iter()
        .map(|thread| {
            let mut live = vec![0u128; thread.code.len() + 1];
            live[thread.code.len()] = u128::MAX;
            let mut changed = true;
            while changed {
                changed = false;
                for at in (0..thread.code.len()).rev() {
                    let (reads, writes, targets) = flow(&thread.code[at], at);
                    let after = targets.into_iter().flatten().fold(0, |all, to| all | live[to.min(thread.code.len())]);
                    let now = after & !writes | reads;
                    changed |= now != live[at];
                    live[at] = now;
                }
            }
            live
        })
        .collect()
}

/// The registers that an instruction reads and writes, and the instructions that may follow.
fn flow(instruction: &ModelInstruction, at: usize) -> (u128, u128, [Option<usize>; 2]) {
    let bit = |register: usize| if register < 128 { 1u128 << register } else { 0 };
    let operand = |operand: &ModelOperand| match operand {
        ModelOperand::Register(register) => bit(*register),
        ModelOperand::Constant(_) => 0,
    };
    let address = |address: &ModelAddress| match address {
        ModelAddress::Register(register, _) => bit(*register),
        ModelAddress::Location(_) => 0,
    };
    let to = |to: &Option<usize>| to.map_or(0, bit);
    let next = [Some(at + 1), None];
    match instruction {
        ModelInstruction::Compute { to, a, b, .. } => (operand(a) | operand(b), bit(*to), next),
        ModelInstruction::Select { to, when, a, b } => (operand(when) | operand(a) | operand(b), bit(*to), next),
        ModelInstruction::Apply { to, operands, .. } => {
            (operands.iter().fold(0, |all, one| all | operand(one)), bit(*to), next)
        }
        ModelInstruction::Load { to: into, at, .. } => (address(at), to(into), next),
        ModelInstruction::Store { at, value, .. } => (address(at) | operand(value), 0, next),
        ModelInstruction::Update { to: into, at, b, c, .. } => (address(at) | operand(b) | operand(c), to(into), next),
        ModelInstruction::Fence(_)
        | ModelInstruction::Issue { .. }
        | ModelInstruction::IssueFence
        | ModelInstruction::ReleaseOperations { .. }
        | ModelInstruction::AcquireOperations
        | ModelInstruction::Await { .. } => (0, 0, next),
        ModelInstruction::TestPhase { to, at, phase, .. } => (address(at) | operand(phase), bit(*to), next),
        ModelInstruction::Barrier { id, quorum, .. } => (operand(id) | quorum.as_ref().map_or(0, operand), 0, next),
        ModelInstruction::Branch { when: None, target, .. } => (0, 0, [Some(*target), None]),
        ModelInstruction::Branch { when: Some((_, a, b)), target, .. } => {
            (operand(a) | operand(b), 0, [Some(at + 1), Some(*target)])
        }
    }
}
