//! Which instructions access memory strongly.

use crate::effects::InstructionMemory;
use crate::machine_program::MachineAction;
use crate::operand::AccessOrder;
use isa::types::Sem;

/// Whether an instruction reads memory strongly.
pub fn is_strong_read(action: &MachineAction) -> bool {
    action.memory().read_order().is_some_and(is_strong)
}

/// Whether an instruction may write strongly, or call what does.
pub fn may_write_strongly(action: &MachineAction) -> bool {
    let memory = action.memory();
    let is_copy = matches!(memory, InstructionMemory::Copy(_) | InstructionMemory::TensorCopy(_));
    is_copy || action.flow().call().is_some() || memory.write_order().is_some_and(is_strong)
}

fn is_strong(order: AccessOrder) -> bool {
    order.sem != Sem::Weak
}
