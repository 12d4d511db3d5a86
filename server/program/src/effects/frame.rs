//! Whether an instruction accesses the frame of its function, where variables, arguments and results are.

use crate::machine_program::{AddressConversion, MachineAction};
use crate::operand::{Destination, MemorySpace, Source};

impl MachineAction {
    /// The register that the instruction copies, and where to.
    pub const fn copied_register(&self) -> Option<(Destination, Source)> {
        if let Self::Move(to, from) = self { Some((*to, *from)) } else { None }
    }

    /// The sources that the instruction copies, converts, or adds to others.
    pub fn addends(&self) -> Vec<Source> {
        if let Self::Scalar(scalar) = self {
            return scalar.operation.addends().iter().map(|number| scalar.sources[*number]).collect();
        }
        self.copied_register().or(self.converted_address()).map(|(_, from)| from).into_iter().collect()
    }

    /// The address that the instruction converts, and where to.
    pub const fn converted_address(&self) -> Option<(Destination, Source)> {
        if let Self::ConvertAddress(to, address, _) = self { Some((*to, *address)) } else { None }
    }

    /// Whether the instruction may read, write or find the address of a variable in the frame, other than by a load, a store or a call.
    pub const fn may_access_frame_otherwise(&self) -> bool {
        match self {
            Self::Nothing
            | Self::Scalar(_)
            | Self::Move(..)
            | Self::Pack(..)
            | Self::Unpack(..)
            | Self::IsSpace(..)
            | Self::ReadSpecial(..)
            | Self::Load(_)
            | Self::Store(_)
            | Self::Fence(_)
            | Self::Barrier(_)
            | Self::Collective(_)
            | Self::Branch(_)
            | Self::BranchIndexed(..)
            | Self::Call(_)
            | Self::Return
            | Self::Exit
            | Self::Trap => false,
            Self::Atomic(atomic) => matches!(atomic.address.space, MemorySpace::Frame),
            Self::ConvertAddress(_, _, conversion) => match conversion {
                AddressConversion::ToSpace(_) => false,
                AddressConversion::FromSpace(space) => matches!(space, MemorySpace::Frame),
                AddressConversion::FrameToLocal => true,
            },
            Self::MapToRank(..)
            | Self::RankOf(..)
            | Self::ProxyFence(_)
            | Self::AcquireTensorMap(_)
            | Self::WaitForEarlierKernel
            | Self::LaunchDependents
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
            | Self::Unsupported(_) => true,
        }
    }
}
