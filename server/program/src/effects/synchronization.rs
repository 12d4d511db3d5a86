//! What an instruction orders, and whom its thread exchanges with or waits for.

use crate::call::MachineCall;
use crate::collective::Collective;
use crate::copies::async_copy::GroupWait;
use crate::fence::FenceSemantics;
use crate::machine_program::MachineAction;
use crate::tensor::tensor_instruction::{TensorAction, TensorFence, TensorInstruction};
use crate::tensor::warpgroup::WarpgroupInstruction;
use crate::waiting::barrier_instruction::{BarrierInstruction, Convergence};
use crate::waiting::mbarrier_instruction::{MbarrierAction, MbarrierInstruction};

/// What an instruction orders other than by the memory that it accesses, or whom its thread exchanges with or waits for.
#[derive(Clone, Copy, Debug)]
pub enum Synchronization<'a> {
    /// It orders nothing, and waits for nothing.
    None,
    /// It orders the thread's accesses through the generic proxy.
    Fence(FenceSemantics),
    /// It orders accesses through different proxies.
    Proxies,
    /// It orders accesses to tensor memory.
    TensorFence(TensorFence),
    /// Threads arrive or wait at a barrier of a warp, CTA or cluster.
    Barrier(&'a BarrierInstruction),
    /// The lanes of a warp exchange values.
    Lanes(&'a Collective),
    /// The lanes of a warp load, store or transpose a matrix together.
    Matrix,
    /// The four warps of a warpgroup take part.
    Warpgroup(&'a WarpgroupInstruction),
    /// The lanes of a warp access tensor memory together, or a thread begins an operation on it, with an arrival at an mbarrier in the end.
    Tensor(&'a TensorInstruction),
    /// It initializes, tests or arrives at an mbarrier.
    Mbarrier(&'a MbarrierInstruction),
    /// It begins a copy, which may arrive at an mbarrier in the end.
    Copy,
    /// It ends a group of operations of the thread, or waits for groups.
    Group(GroupWait),
    /// It waits until the earlier kernel has ended.
    EarlierKernel,
    /// It lets the next kernel begin.
    NextKernel,
    /// It asks for the work of a cluster that has not begun; the answer arrives at an mbarrier.
    CancelLaunch,
    /// It uses the answer.
    Answer,
    /// It calls a function, which may do any of this.
    Call(&'a MachineCall),
    /// It is not known.
    Unknown,
}

impl Synchronization<'_> {
    /// Whether no thread outside of the warp takes part or notices it.
    pub const fn is_within_warp(self) -> bool {
        match self {
            Self::None | Self::Fence(_) | Self::Lanes(_) | Self::Matrix | Self::Call(_) => true,
            Self::Barrier(barrier) => match barrier {
                BarrierInstruction::Warp(_) => true,
                BarrierInstruction::Cta(_)
                | BarrierInstruction::ClusterArrive(..)
                | BarrierInstruction::ClusterWait(_) => false,
            },
            Self::Proxies
            | Self::TensorFence(_)
            | Self::Warpgroup(_)
            | Self::Tensor(_)
            | Self::Mbarrier(_)
            | Self::Copy
            | Self::Group(_)
            | Self::EarlierKernel
            | Self::NextKernel
            | Self::CancelLaunch
            | Self::Answer
            | Self::Unknown => false,
        }
    }

    /// Whether all lanes of the warp execute the instruction together.
    pub const fn is_of_whole_warp(self) -> bool {
        match self {
            Self::Lanes(_) | Self::Matrix | Self::Warpgroup(_) => true,
            Self::Tensor(instruction) => instruction.action.is_of_warp(),
            Self::Barrier(barrier) => match barrier {
                BarrierInstruction::Cta(barrier) => matches!(barrier.convergence, Convergence::Required),
                BarrierInstruction::ClusterArrive(convergence, _) | BarrierInstruction::ClusterWait(convergence) => {
                    matches!(convergence, Convergence::Required)
                }
                BarrierInstruction::Warp(_) => false,
            },
            Self::None
            | Self::Fence(_)
            | Self::Proxies
            | Self::TensorFence(_)
            | Self::Mbarrier(_)
            | Self::Copy
            | Self::Group(_)
            | Self::EarlierKernel
            | Self::NextKernel
            | Self::CancelLaunch
            | Self::Answer
            | Self::Call(_)
            | Self::Unknown => false,
        }
    }

    /// Whether it tests whether a phase of an mbarrier has ended.
    pub const fn is_phase_test(self) -> bool {
        matches!(self, Self::Mbarrier(MbarrierInstruction { operation: MbarrierAction::Test(..), .. }))
    }

    /// Whether it may be part of what ends a phase of an mbarrier.
    pub const fn may_end_phase(self) -> bool {
        match self {
            Self::Mbarrier(_) => !self.is_phase_test(),
            Self::Copy | Self::TensorFence(_) | Self::Tensor(_) | Self::CancelLaunch | Self::Unknown => true,
            Self::None
            | Self::Fence(_)
            | Self::Proxies
            | Self::Barrier(_)
            | Self::Lanes(_)
            | Self::Matrix
            | Self::Warpgroup(_)
            | Self::Group(_)
            | Self::EarlierKernel
            | Self::NextKernel
            | Self::Answer
            | Self::Call(_) => false,
        }
    }

    /// The barrier.
    pub const fn barrier(&self) -> Option<&BarrierInstruction> {
        if let Self::Barrier(barrier) = self { Some(barrier) } else { None }
    }

    /// The fence between generic accesses.
    pub const fn fence(self) -> Option<FenceSemantics> {
        if let Self::Fence(fence) = self { Some(fence) } else { None }
    }
}

impl MachineAction {
    /// What the instruction orders, and whom its thread exchanges with or waits for.
    pub fn synchronization(&self) -> Synchronization<'_> {
        match self {
            Self::Fence(fence) => Synchronization::Fence(*fence),
            Self::ProxyFence(_) | Self::AcquireTensorMap(_) | Self::TensorMap(_) | Self::Image(_) => {
                Synchronization::Proxies
            }
            Self::Barrier(barrier) => Synchronization::Barrier(barrier),
            Self::Collective(collective) => Synchronization::Lanes(collective),
            Self::Matrix(_) => Synchronization::Matrix,
            Self::Warpgroup(instruction) => Synchronization::Warpgroup(instruction),
            Self::Tensor(instruction) => match instruction.action {
                TensorAction::Fence(fence) => Synchronization::TensorFence(fence),
                TensorAction::Allocate(..)
                | TensorAction::Free(..)
                | TensorAction::Relinquish
                | TensorAction::Load(..)
                | TensorAction::Store(..)
                | TensorAction::Wait(_)
                | TensorAction::Multiply(_)
                | TensorAction::Copy(_)
                | TensorAction::Shift(..)
                | TensorAction::Commit(..) => Synchronization::Tensor(instruction),
            },
            Self::Mbarrier(mbarrier) => Synchronization::Mbarrier(mbarrier),
            Self::Copy(_) | Self::TensorCopy(_) => Synchronization::Copy,
            Self::CopyGroup(wait) => Synchronization::Group(*wait),
            Self::WaitForEarlierKernel => Synchronization::EarlierKernel,
            Self::LaunchDependents => Synchronization::NextKernel,
            Self::CancelLaunch(_) => Synchronization::CancelLaunch,
            Self::LearnAnswer(_) => Synchronization::Answer,
            Self::Call(call) => Synchronization::Call(call),
            Self::Unsupported(_) => Synchronization::Unknown,
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
            | Self::Branch(_)
            | Self::BranchIndexed(..)
            | Self::Return
            | Self::Exit
            | Self::Trap
            | Self::Fill(_)
            | Self::AllocateLocal(..) => Synchronization::None,
        }
    }
}
