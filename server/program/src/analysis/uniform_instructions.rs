//! The instructions that the threads of a CTA execute all together or not at all: no branch decides about them whose condition can differ between
//! threads. A barrier of the CTA can stand there.

use crate::analysis::control_dependences::ControlDependences;
use crate::analysis::liveness::live_registers;
use crate::analysis::register_webs::RegisterWebs;
use crate::effects::{RegisterAccesses, RegisterComputation};
use crate::machine_program::{Load, MachineAction, MachineFunction, MachineInstruction};
use crate::operand::MemorySpace;
use std::collections::BTreeSet;

/// Whether each instruction of a kernel is one; `None` if the registers of an instruction are not known.
pub fn uniform_instructions(kernel: &MachineFunction) -> Option<Vec<bool>> {
    let webs = RegisterWebs::of(kernel, &live_registers(kernel));
    let control = ControlDependences::of(&kernel.code, &webs);
    let accesses = |one: &MachineInstruction| RegisterAccesses::in_function(&one.action, &kernel.formals);
    let accesses: Vec<RegisterAccesses> = kernel.code.iter().map(accesses).collect::<Option<_>>()?;
    let mut varying: BTreeSet<u32> = BTreeSet::new();
    let mut divergent = vec![false; kernel.code.len()];
    let mut decided = BTreeSet::new();
    loop {
        let before = (varying.len(), decided.len());
        for (at, (instruction, accesses)) in kernel.code.iter().zip(&accesses).enumerate() {
            let has_varying_guard = instruction.guard.is_some_and(|guard| varying.contains(&guard.predicate));
            let reads_varying = accesses.read.iter().any(|register| varying.contains(register));
            if has_varying_guard || reads_varying || divergent[at] || !is_uniform_result(&instruction.action) {
                varying.extend(&accesses.written);
            }
            let flow = instruction.action.flow();
            let decides = !flow.continues() && (has_varying_guard || reads_varying && flow.call().is_none());
            if decides && decided.insert(at) {
                let behind = control.decided_by(at as u32);
                behind.into_iter().for_each(|one| divergent.get_mut(one).into_iter().for_each(|one| *one = true));
            }
        }
        if before == (varying.len(), decided.len()) {
            return Some(divergent.into_iter().map(|one| !one).collect());
        }
    }
}

/// Whether an instruction computes the same in all threads of a CTA from sources that are the same.
fn is_uniform_result(action: &MachineAction) -> bool {
    let is_constant = |load: &Load| matches!(load.address.space, MemorySpace::Parameter | MemorySpace::Constant);
    match action.computation() {
        Some(RegisterComputation::Special(value)) => {
            !value.is_clock() && action.revealed().is_some_and(|one| !one.tells_thread())
        }
        Some(computation) => computation.is_pure(),
        None => action.memory().load().is_some_and(is_constant),
    }
}
