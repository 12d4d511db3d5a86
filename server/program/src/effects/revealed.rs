//! Whether an instruction reveals which thread executes it.

use crate::call::{CallTarget, SystemFunction};
use crate::fence::OrderedMemory;
use crate::machine_program::MachineAction;
use crate::proxy::AccessProxy;
use crate::special::SpecialValue;
use crate::waiting::barrier_instruction::BarrierInstruction;

/// What instructions tell of the thread that executes them, or need of its warp: a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RevealedIdentity(u8);

impl RevealedIdentity {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
    /// The CTA.
    const CTA: Self = Self(1);
    /// The thread in its CTA.
    const THREAD: Self = Self(2);
    /// All lanes of the warp execute one together, or threads are counted by warps.
    const WARP: Self = Self(4);

    /// What either of two instructions tells.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Adds what another instruction tells.
    pub fn add(&mut self, other: Self) {
        *self = self.and(other);
    }

    /// Whether a thread can tell its CTA.
    pub const fn tells_cta(self) -> bool {
        self.0 & Self::CTA.0 != 0
    }

    /// Whether it can tell which one of its CTA it is.
    pub const fn tells_thread(self) -> bool {
        self.0 & Self::THREAD.0 != 0
    }

    /// Whether it matters in which warp a thread is.
    pub const fn needs_warp(self) -> bool {
        self.0 & Self::WARP.0 != 0
    }
}

impl MachineAction {
    /// What the instruction itself tells; `None` if states with it are not compared under other numbers of their threads.
    pub fn revealed(&self) -> Option<RevealedIdentity> {
        match self {
            Self::Nothing
            | Self::Scalar(_)
            | Self::Move(..)
            | Self::Pack(..)
            | Self::Unpack(..)
            | Self::ConvertAddress(..)
            | Self::IsSpace(..)
            | Self::Store(_)
            | Self::Atomic(_)
            | Self::Branch(_)
            | Self::BranchIndexed(..)
            | Self::Return
            | Self::Exit
            | Self::Trap => Some(RevealedIdentity::NOTHING),
            Self::Collective(_) | Self::Barrier(BarrierInstruction::Warp(_)) => {
                Some(RevealedIdentity::THREAD.and(RevealedIdentity::WARP))
            }
            Self::Barrier(BarrierInstruction::Cta(_)) => Some(RevealedIdentity::WARP),
            Self::Fence(fence) => (fence.memory != OrderedMemory::Shared).then_some(RevealedIdentity::NOTHING),
            Self::Load(load) => matches!(load.proxy, AccessProxy::Generic | AccessProxy::NonCoherent)
                .then_some(RevealedIdentity::NOTHING),
            Self::ReadSpecial(_, value) => Some(special_tells(*value)),
            Self::Call(call) => match call.target {
                // What it prints, and where memory is allocated, depends on who was first.
                CallTarget::System(SystemFunction::Printf | SystemFunction::Allocate | SystemFunction::Free) => None,
                CallTarget::System(SystemFunction::AssertionFailed)
                | CallTarget::Function(_)
                | CallTarget::Register(_) => Some(RevealedIdentity::NOTHING),
            },
            Self::MapToRank(..)
            | Self::RankOf(..)
            | Self::ProxyFence(_)
            | Self::AcquireTensorMap(_)
            | Self::WaitForEarlierKernel
            | Self::LaunchDependents
            | Self::Barrier(BarrierInstruction::ClusterArrive(..) | BarrierInstruction::ClusterWait(_))
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
            | Self::Unsupported(_) => None,
        }
    }
}

/// What a special register tells.
const fn special_tells(value: SpecialValue) -> RevealedIdentity {
    match value {
        SpecialValue::CtaIndex(_)
        | SpecialValue::ClusterIndex(_)
        | SpecialValue::CtaInCluster(_)
        | SpecialValue::CtaRank
        | SpecialValue::Multiprocessor => RevealedIdentity::CTA,
        SpecialValue::ThreadIndex(_) | SpecialValue::Lane | SpecialValue::Warp | SpecialValue::LaneMask(_) => {
            RevealedIdentity::THREAD
        }
        SpecialValue::BlockSize(_)
        | SpecialValue::GridSize(_)
        | SpecialValue::ClusterCount(_)
        | SpecialValue::ClusterSize(_)
        | SpecialValue::CtaRanks
        | SpecialValue::IsCluster
        | SpecialValue::Warps
        | SpecialValue::Multiprocessors
        | SpecialValue::Clock
        | SpecialValue::ClockHigh
        | SpecialValue::DynamicShared
        | SpecialValue::TotalShared
        | SpecialValue::GridWorkspace(_)
        | SpecialValue::Zero => RevealedIdentity::NOTHING,
    }
}
