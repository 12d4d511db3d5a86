//! Instructions that a loop which waits may execute again and again.

use crate::effects::{ControlTransfer, InstructionMemory, RegisterComputation, Synchronization};
use crate::machine_program::MachineAction;

/// Whether a loop can execute an instruction in vain as often as it likes.
pub fn is_repeatable(action: &MachineAction) -> bool {
    if let Some(computation) = action.computation() {
        return match computation {
            RegisterComputation::Nothing
            | RegisterComputation::Value
            | RegisterComputation::Address
            | RegisterComputation::Placement => true,
            RegisterComputation::Special(_) => false,
        };
    }
    match action.flow() {
        ControlTransfer::Branch(_) => return true,
        ControlTransfer::BranchIndexed(..)
        | ControlTransfer::Call(_)
        | ControlTransfer::Return
        | ControlTransfer::Exit
        | ControlTransfer::Trap => return false,
        ControlTransfer::Next => {}
    }
    match action.memory() {
        InstructionMemory::Load(_) | InstructionMemory::Update(_) => true,
        InstructionMemory::Mbarrier(_) => action.synchronization().is_phase_test(),
        InstructionMemory::None => is_fence(action.synchronization()),
        InstructionMemory::Store(_)
        | InstructionMemory::Fill(_)
        | InstructionMemory::Matrix
        | InstructionMemory::Image(_)
        | InstructionMemory::TensorMap(_)
        | InstructionMemory::Copy(_)
        | InstructionMemory::TensorCopy(_)
        | InstructionMemory::Answer
        | InstructionMemory::Descriptors
        | InstructionMemory::Unknown => false,
    }
}

const fn is_fence(synchronization: Synchronization) -> bool {
    match synchronization {
        Synchronization::Fence(_) | Synchronization::Proxies => true,
        Synchronization::None
        | Synchronization::TensorFence(_)
        | Synchronization::Barrier(_)
        | Synchronization::Lanes(_)
        | Synchronization::Matrix
        | Synchronization::Warpgroup(_)
        | Synchronization::Tensor(_)
        | Synchronization::Mbarrier(_)
        | Synchronization::Copy
        | Synchronization::Group(_)
        | Synchronization::EarlierKernel
        | Synchronization::NextKernel
        | Synchronization::CancelLaunch
        | Synchronization::Answer
        | Synchronization::Call(_)
        | Synchronization::Unknown => false,
    }
}
