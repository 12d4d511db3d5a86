//! What an instruction computes that does nothing else.

use crate::machine_program::MachineAction;
use crate::special::SpecialValue;
use crate::tensor::warpgroup::WarpgroupInstruction;
use values::matrix::MatrixArithmetic;

/// What an instruction does that accesses no memory, orders nothing and goes on at the next instruction: its effect is on registers of its thread alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterComputation {
    /// It does nothing.
    Nothing,
    /// It computes values from values of registers.
    Value,
    /// It converts an address to one of another space: the result depends on the thread, and on where its frame is.
    Address,
    /// It computes from an address in which memory it is, or where the memory of another CTA is.
    Placement,
    /// It reads a special register.
    Special(SpecialValue),
}

impl RegisterComputation {
    /// Whether the result depends on the sources and the thread alone, whenever it is computed.
    pub const fn is_pure(self) -> bool {
        match self {
            Self::Nothing | Self::Value | Self::Address | Self::Placement => true,
            Self::Special(value) => !value.is_clock(),
        }
    }

    /// Whether the result depends on the values of the sources, and on nothing else that an execution decides.
    pub const fn is_of_sources(self) -> bool {
        match self {
            Self::Value | Self::Address | Self::Placement => true,
            Self::Nothing | Self::Special(_) => false,
        }
    }
}

impl MachineAction {
    /// The arithmetic of the product of matrices that the instruction computes, if it does and it is known.
    pub fn matrix_arithmetic(&self) -> Option<&MatrixArithmetic> {
        if let Self::Matrix(matrix) = self {
            return matrix.product().map(|product| &product.arithmetic);
        }
        if let Self::Warpgroup(WarpgroupInstruction::Multiply(multiply)) = self {
            return multiply.product.as_ref().map(|product| &product.arithmetic);
        }
        None
    }

    /// What the instruction computes; `None` if it does something else.
    pub const fn computation(&self) -> Option<RegisterComputation> {
        Some(match self {
            Self::Nothing => RegisterComputation::Nothing,
            Self::Scalar(_) | Self::Move(..) | Self::Pack(..) | Self::Unpack(..) => RegisterComputation::Value,
            Self::ConvertAddress(..) => RegisterComputation::Address,
            Self::IsSpace(..) | Self::MapToRank(..) | Self::RankOf(..) => RegisterComputation::Placement,
            Self::ReadSpecial(_, value) => RegisterComputation::Special(*value),
            Self::Load(_)
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
            | Self::Unsupported(_) => return None,
        })
    }
}
