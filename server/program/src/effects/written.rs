//! The registers that an instruction writes.

use crate::call::{Formal, MachineCall};
use crate::machine_program::{MachineAction, SecondTarget};
use crate::matrix::MatrixInstruction;
use crate::memory::image::ImageInstruction;
use crate::operand::Destination;
use crate::tensor::tensor_instruction::TensorAction;
use crate::tensor::warpgroup::WarpgroupInstruction;
use crate::waiting::barrier_instruction::{BarrierAction, BarrierInstruction};
use crate::waiting::mbarrier_instruction::MbarrierAction;

impl MachineAction {
    /// The registers that it writes. Those of a barrier, and the results of a function of the program, are written when the lanes go on.
    pub fn written(&self) -> Vec<Destination> {
        match self {
            Self::Scalar(scalar) => {
                let second = match scalar.second {
                    SecondTarget::Register(second) => Some(second),
                    SecondTarget::Carry(slot) => Some(Destination { slot, mask: 1 }),
                    SecondTarget::None => None,
                };
                scalar.destination.into_iter().chain(second).collect()
            }
            Self::Move(to, _)
            | Self::Pack(to, _)
            | Self::ReadSpecial(to, _)
            | Self::ConvertAddress(to, ..)
            | Self::IsSpace(to, ..)
            | Self::MapToRank(to, ..)
            | Self::RankOf(to, _)
            | Self::AllocateLocal(to, _) => vec![*to],
            Self::Unpack(_, parts) => parts.iter().filter_map(|(to, _)| *to).collect(),
            Self::Load(load) => load.elements.iter().flatten().copied().collect(),
            Self::Atomic(atomic) => atomic.destination.iter().flatten().copied().collect(),
            Self::Collective(collective) => collective.destination.into_iter().chain(collective.predicate).collect(),
            Self::Barrier(barrier) => barrier.written().into_iter().collect(),
            Self::Mbarrier(instruction) => instruction.operation.written().into_iter().collect(),
            Self::Matrix(matrix) => matrix.written(),
            Self::Warpgroup(WarpgroupInstruction::Multiply(multiply)) => multiply.accumulator.clone(),
            Self::Tensor(tensor) => tensor.action.written(),
            Self::Image(image) => image.written(),
            Self::Call(call) => call.written(),
            Self::Nothing
            | Self::Store(_)
            | Self::Fence(_)
            | Self::ProxyFence(_)
            | Self::AcquireTensorMap(_)
            | Self::WaitForEarlierKernel
            | Self::LaunchDependents
            | Self::Branch(_)
            | Self::BranchIndexed(..)
            | Self::Return
            | Self::Exit
            | Self::Trap
            | Self::Warpgroup(WarpgroupInstruction::Commit | WarpgroupInstruction::Wait(_))
            | Self::Fill(_)
            | Self::CancelLaunch(_)
            | Self::LearnAnswer(_)
            | Self::Copy(_)
            | Self::TensorCopy(_)
            | Self::TensorMap(_)
            | Self::CopyGroup(_)
            | Self::Unsupported(_) => Vec::new(),
        }
    }
}

impl BarrierInstruction {
    fn written(&self) -> Option<Destination> {
        match self {
            Self::Cta(barrier) => match barrier.mode {
                BarrierAction::Reduce(.., to) => Some(to),
                BarrierAction::Wait | BarrierAction::Arrive => None,
            },
            Self::ClusterArrive(..) | Self::ClusterWait(_) | Self::Warp(_) => None,
        }
    }
}

impl MbarrierAction {
    const fn written(&self) -> Option<Destination> {
        match self {
            Self::Test(to, _) => Some(*to),
            Self::Arrive { state, .. } => *state,
            Self::Initialize(_)
            | Self::Invalidate
            | Self::ExpectBytes(_)
            | Self::CompleteBytes(_)
            | Self::ArriveAfterCopies(_) => None,
        }
    }
}

impl MatrixInstruction {
    fn written(&self) -> Vec<Destination> {
        match self {
            Self::Load(_, to, _) => to.clone(),
            Self::Move(to, _) => vec![*to],
            Self::Multiply(product) => product.d.registers.clone(),
            Self::LoadFragment(access) => access.fragment.registers.clone(),
            Self::Store(..) | Self::StoreFragment(_) => Vec::new(),
        }
    }
}

impl TensorAction {
    fn written(&self) -> Vec<Destination> {
        match self {
            Self::Load(_, to) => to.clone(),
            Self::Allocate(..)
            | Self::Free(..)
            | Self::Relinquish
            | Self::Store(..)
            | Self::Wait(_)
            | Self::Fence(_)
            | Self::Multiply(_)
            | Self::Copy(_)
            | Self::Shift(..)
            | Self::Commit(..) => Vec::new(),
        }
    }
}

impl ImageInstruction {
    fn written(&self) -> Vec<Destination> {
        self.action.destinations().collect()
    }
}

impl MachineCall {
    fn written(&self) -> Vec<Destination> {
        let written = |result: &Formal| match result {
            Formal::Register(slot) => Some(Destination { slot: *slot, mask: u64::MAX }),
            Formal::Memory { .. } | Formal::Constant(_) | Formal::Unused => None,
        };
        self.results.iter().filter_map(written).collect()
    }
}
