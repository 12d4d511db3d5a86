//! Which instructions access memory strongly.

use super::super::effects::InstructionMemory;
use super::super::program::MachineAction;
use isa::types::Sem;

/// Whether an instruction reads memory strongly.
pub fn is_strong_read(action: &MachineAction) -> bool {
    action.memory().is_strong_read()
}

/// Whether an instruction may write strongly, or call what does.
pub fn may_write_strongly(action: &MachineAction) -> bool {
    if action.flow().call().is_some() {
        return true;
    }
    match action.memory() {
        InstructionMemory::Store(store) => store.order.sem != Sem::Weak,
        InstructionMemory::Update(atomic) => atomic.order.sem != Sem::Weak,
        InstructionMemory::Copy(_) | InstructionMemory::TensorCopy(_) => true,
        InstructionMemory::None
        | InstructionMemory::Load(_)
        | InstructionMemory::Fill(_)
        | InstructionMemory::Matrix
        | InstructionMemory::Mbarrier(_)
        | InstructionMemory::Image(_)
        | InstructionMemory::TensorMap(_)
        | InstructionMemory::Answer
        | InstructionMemory::Descriptors
        | InstructionMemory::Unknown => false,
    }
}
