//! What ends the operations that go on after their thread.

use crate::copies::async_copy::{Completion, GroupKind};
use crate::copies::tensor_map::TensorDirection;
use crate::machine_program::MachineAction;
use crate::tensor::tensor_instruction::{AwaitedTiles, TensorAction};
use crate::tensor::warpgroup::WarpgroupInstruction;

/// How the end of an asynchronous operation is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsynchronousEnd {
    /// By a wait for a group of the thread or of its warpgroup, or by what a commit of the group notifies.
    Group(GroupKind),
    /// By a phase of an mbarrier.
    Mbarrier,
    /// By `tcgen05.wait`.
    TensorWait(AwaitedTiles),
}

impl MachineAction {
    /// What ends the operation that the instruction begins; `None` if its effect is over when its thread goes on.
    pub fn asynchronous_end(&self) -> Option<AsynchronousEnd> {
        Some(match self {
            Self::Copy(copy) => match copy.completion {
                Completion::Group => AsynchronousEnd::Group(GroupKind::Copies),
                Completion::BulkGroup => AsynchronousEnd::Group(GroupKind::Bulk),
                Completion::Mbarrier(_) => AsynchronousEnd::Mbarrier,
            },
            Self::TensorCopy(copy) => match copy.direction {
                TensorDirection::Load { .. } => AsynchronousEnd::Mbarrier,
                TensorDirection::Store | TensorDirection::Reduce(_) => AsynchronousEnd::Group(GroupKind::Bulk),
            },
            Self::CancelLaunch(_) => AsynchronousEnd::Mbarrier,
            Self::Warpgroup(instruction) => match instruction {
                WarpgroupInstruction::Multiply(_) => AsynchronousEnd::Group(GroupKind::Matrices),
                WarpgroupInstruction::Commit | WarpgroupInstruction::Wait(_) => return None,
            },
            Self::Tensor(instruction) => match instruction.action {
                TensorAction::Load(..) => AsynchronousEnd::TensorWait(AwaitedTiles::Loads),
                TensorAction::Store(..) => AsynchronousEnd::TensorWait(AwaitedTiles::Stores),
                TensorAction::Multiply(_) | TensorAction::Copy(_) | TensorAction::Shift(..) => {
                    AsynchronousEnd::Group(GroupKind::Tensors)
                }
                TensorAction::Commit(..) => AsynchronousEnd::Mbarrier,
                TensorAction::Allocate(..)
                | TensorAction::Free(..)
                | TensorAction::Relinquish
                | TensorAction::Wait(_)
                | TensorAction::Fence(_) => return None,
            },
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
            | Self::Branch(_)
            | Self::BranchIndexed(..)
            | Self::Call(_)
            | Self::Return
            | Self::Exit
            | Self::Trap
            | Self::Barrier(_)
            | Self::Collective(_)
            | Self::Matrix(_)
            | Self::Mbarrier(_)
            | Self::Fill(_)
            | Self::LearnAnswer(_)
            | Self::TensorMap(_)
            | Self::Image(_)
            | Self::CopyGroup(_)
            | Self::AllocateLocal(..)
            | Self::Unsupported(_) => return None,
        })
    }
}
