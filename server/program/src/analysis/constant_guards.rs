//! Guards that have one value in all threads of a number in their CTA, whatever these read: computed from the number and parameters alone, as of "thread 0 of
//! its CTA".

use crate::analysis::register_webs::{RegisterWebs, Web};
use crate::effects::RegisterComputation;
use crate::machine_program::MachineFunction;
use crate::operand::MemorySpace;
use crate::special::SpecialValue;
use std::collections::BTreeSet;

/// The longest chain of instructions that compute a guard.
const LONGEST: u32 = 16;

/// The instructions of a function with such a guard.
pub fn with_constant_guards(function: &MachineFunction, webs: &RegisterWebs) -> BTreeSet<u32> {
    let has = |at: usize| webs.instructions[at].guard.is_some_and(|guard| is_constant(function, webs, guard, LONGEST));
    (0..function.code.len()).filter(|at| has(*at)).map(|at| at as u32).collect()
}

fn is_constant(function: &MachineFunction, webs: &RegisterWebs, web: Web, left: u32) -> bool {
    let defines = |at: &usize| webs.instructions[*at].written.iter().any(|(_, written)| *written == web);
    let Some(at) = (0..function.code.len()).find(defines).filter(|_| left > 0 && webs.has_definitions(web, 1)) else {
        return false;
    };
    let accesses = &webs.instructions[at];
    let action = &function.code[at].action;
    let is_computed = match action.computation() {
        Some(RegisterComputation::Value) => true,
        Some(RegisterComputation::Special(value)) => matches!(
            value,
            SpecialValue::ThreadIndex(_) | SpecialValue::BlockSize(_) | SpecialValue::Lane | SpecialValue::Warp
        ),
        Some(RegisterComputation::Nothing | RegisterComputation::Address | RegisterComputation::Placement) => false,
        None => action.memory().load().is_some_and(|load| load.address.space == MemorySpace::Parameter),
    };
    is_computed
        && accesses.is_known
        && accesses.guard.is_none()
        && accesses.read.iter().all(|(_, read)| is_constant(function, webs, *read, left - 1))
}
