//! Where a thread goes on after an instruction.

use crate::call::MachineCall;
use crate::machine_program::{MachineAction, MachineInstruction};
use crate::operand::Source;

/// Where a thread goes on that executes an instruction.
#[derive(Clone, Copy, Debug)]
pub enum ControlTransfer<'a> {
    /// At the next instruction.
    Next,
    /// At an instruction of the function, by its index.
    Branch(u32),
    /// At one of several instructions of the function, chosen by a register.
    BranchIndexed(Source, &'a [u32]),
    /// In a function, and then at the next instruction.
    Call(&'a MachineCall),
    /// In the caller; in the kernel nowhere.
    Return,
    /// Nowhere: the thread ends.
    Exit,
    /// Nowhere: the kernel stops.
    Trap,
}

impl<'a> ControlTransfer<'a> {
    /// The call.
    pub const fn call(self) -> Option<&'a MachineCall> {
        match self {
            Self::Call(call) => Some(call),
            Self::Next | Self::Branch(_) | Self::BranchIndexed(..) | Self::Return | Self::Exit | Self::Trap => None,
        }
    }

    /// Whether the thread goes on at the next instruction, after a call or at once.
    pub const fn continues(self) -> bool {
        match self {
            Self::Next | Self::Call(_) => true,
            Self::Branch(_) | Self::BranchIndexed(..) | Self::Return | Self::Exit | Self::Trap => false,
        }
    }

    /// Whether the function ends for the thread without an error.
    pub const fn leaves_function(self) -> bool {
        match self {
            Self::Return | Self::Exit => true,
            Self::Next | Self::Branch(_) | Self::BranchIndexed(..) | Self::Call(_) | Self::Trap => false,
        }
    }
}

impl MachineAction {
    /// Where a thread goes on that executes the instruction.
    pub fn flow(&self) -> ControlTransfer<'_> {
        match self {
            Self::Branch(target) => ControlTransfer::Branch(*target),
            Self::BranchIndexed(index, targets) => ControlTransfer::BranchIndexed(*index, targets),
            Self::Call(call) => ControlTransfer::Call(call),
            Self::Return => ControlTransfer::Return,
            Self::Exit => ControlTransfer::Exit,
            Self::Trap => ControlTransfer::Trap,
            Self::Nothing
            | Self::Scalar(_)
            | Self::Move(..)
            | Self::Pack(..)
            | Self::Unpack(..)
            | Self::ReadSpecial(..)
            | Self::ConvertAddress(..)
            | Self::IsSpace(..)
            | Self::MapToRank(..)
            | Self::RankOf(..)
            | Self::Load(_)
            | Self::Store(_)
            | Self::Atomic(_)
            | Self::Fence(_)
            | Self::ProxyFence(_)
            | Self::AcquireTensorMap(_)
            | Self::WaitForEarlierKernel
            | Self::LaunchDependents
            | Self::Barrier(_)
            | Self::Collective(_)
            | Self::Matrix(_)
            | Self::Warpgroup(_)
            | Self::Tensor(_)
            | Self::Mbarrier(_)
            | Self::Fill(_)
            | Self::CancelLaunch(_)
            | Self::LearnAnswer(_)
            | Self::Copy(_)
            | Self::TensorCopy(_)
            | Self::TensorMap(_)
            | Self::Image(_)
            | Self::CopyGroup(_)
            | Self::AllocateLocal(..)
            | Self::Unsupported(_) => ControlTransfer::Next,
        }
    }
}

/// Calls `visit` with the index of each instruction of the function that can be executed after one, given its index.
pub fn successors(instruction: &MachineInstruction, at: usize, mut visit: impl FnMut(usize)) {
    let flow = instruction.action.flow();
    match flow {
        ControlTransfer::Branch(target) => visit(target as usize),
        ControlTransfer::BranchIndexed(_, targets) => targets.iter().for_each(|target| visit(*target as usize)),
        ControlTransfer::Next
        | ControlTransfer::Call(_)
        | ControlTransfer::Return
        | ControlTransfer::Exit
        | ControlTransfer::Trap => {}
    }
    if flow.continues() || instruction.guard.is_some() {
        visit(at + 1);
    }
}
