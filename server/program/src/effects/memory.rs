//! The memory that an instruction accesses.

use crate::copies::async_copy::AsyncCopy;
use crate::copies::tensor_map::TensorCopy;
use crate::copies::tensor_map_change::TensorMapInstruction;
use crate::machine_program::{Atomic, Fill, Load, MachineAction, Store};
use crate::matrix::MatrixInstruction;
use crate::memory::image::ImageInstruction;
use crate::operand::{AccessOrder, MachineAddress, MemorySpace};
use crate::waiting::mbarrier_instruction::MbarrierInstruction;

/// The memory that an instruction accesses, or begins to access.
#[derive(Clone, Copy, Debug)]
pub enum InstructionMemory<'a> {
    /// It accesses none.
    None,
    /// It reads.
    Load(&'a Load),
    /// It writes.
    Store(&'a Store),
    /// It reads and writes indivisibly.
    Update(&'a Atomic),
    /// It writes zeros.
    Fill(&'a Fill),
    /// It reads or writes matrices of a warp.
    Matrix,
    /// It reads or changes an mbarrier.
    Mbarrier(&'a MbarrierInstruction),
    /// It accesses a texture or surface.
    Image(&'a ImageInstruction),
    /// It changes a tensor map.
    TensorMap(&'a TensorMapInstruction),
    /// It begins a copy of bytes, which reads and writes memory after its thread has gone on.
    Copy(&'a AsyncCopy),
    /// It begins a copy of a box of a tensor, which reads and writes memory after its thread has gone on.
    TensorCopy(&'a TensorCopy),
    /// It asks for the work of another cluster: the answer is written to shared memory after its thread has gone on.
    Answer,
    /// It accesses tensor memory, or the memory of matrices that descriptors in registers name.
    Descriptors,
    /// It is not known.
    Unknown,
}

impl<'a> InstructionMemory<'a> {
    /// The address, element size in bytes, and number of elements of a load or store.
    pub const fn elements(self) -> Option<(&'a MachineAddress, u32, u32)> {
        match self {
            Self::Load(load) => Some((&load.address, load.element_bytes, load.elements.len() as u32)),
            Self::Store(store) => Some((&store.address, store.element_bytes, store.elements.len() as u32)),
            Self::None
            | Self::Update(_)
            | Self::Fill(_)
            | Self::Matrix
            | Self::Mbarrier(_)
            | Self::Image(_)
            | Self::TensorMap(_)
            | Self::Copy(_)
            | Self::TensorCopy(_)
            | Self::Answer
            | Self::Descriptors
            | Self::Unknown => None,
        }
    }

    /// The order of a load, store or update.
    pub const fn order(self) -> Option<AccessOrder> {
        match self {
            Self::Load(load) => Some(load.order),
            Self::Store(store) => Some(store.order),
            Self::Update(atomic) => Some(atomic.order),
            Self::None
            | Self::Fill(_)
            | Self::Matrix
            | Self::Mbarrier(_)
            | Self::Image(_)
            | Self::TensorMap(_)
            | Self::Copy(_)
            | Self::TensorCopy(_)
            | Self::Answer
            | Self::Descriptors
            | Self::Unknown => None,
        }
    }

    /// The load.
    pub const fn load(self) -> Option<&'a Load> {
        if let Self::Load(load) = self { Some(load) } else { None }
    }

    /// The store.
    pub const fn store(self) -> Option<&'a Store> {
        if let Self::Store(store) = self { Some(store) } else { None }
    }

    /// The read-modify-write.
    pub const fn update(self) -> Option<&'a Atomic> {
        if let Self::Update(atomic) = self { Some(atomic) } else { None }
    }

    /// The access to an image.
    pub const fn image(self) -> Option<&'a ImageInstruction> {
        if let Self::Image(image) = self { Some(image) } else { None }
    }

    /// The address of a load or update.
    pub fn read_address(self) -> Option<&'a MachineAddress> {
        let load = self.load().map(|load| &load.address);
        load.or(self.update().map(|atomic| &atomic.address))
    }

    /// The order of a read.
    pub const fn read_order(self) -> Option<AccessOrder> {
        if let Self::Load(_) | Self::Update(_) = self { self.order() } else { None }
    }

    /// The order of a write.
    pub const fn write_order(self) -> Option<AccessOrder> {
        if let Self::Store(_) | Self::Update(_) = self { self.order() } else { None }
    }

    /// Whether it is global, shared or local memory. Tensor memory, and memory that only descriptors name, does not count.
    pub const fn is_of_variables(self) -> bool {
        let space = match self {
            Self::Load(load) => load.address.space,
            Self::Store(store) => store.address.space,
            Self::Update(_)
            | Self::Fill(_)
            | Self::Matrix
            | Self::Mbarrier(_)
            | Self::Image(_)
            | Self::TensorMap(_)
            | Self::Copy(_)
            | Self::TensorCopy(_)
            | Self::Answer => return true,
            Self::None | Self::Descriptors | Self::Unknown => return false,
        };
        !matches!(space, MemorySpace::Constant | MemorySpace::Frame | MemorySpace::Parameter)
    }
}

/// A load or store that can be changed.
#[derive(Debug)]
pub enum PlainAccess<'a> {
    /// It reads.
    Load(&'a mut Load),
    /// It writes.
    Store(&'a mut Store),
}

impl MachineAction {
    /// The load or store of the instruction, if it is one.
    pub fn plain_access(&mut self) -> Option<PlainAccess<'_>> {
        if let Self::Load(load) = self {
            return Some(PlainAccess::Load(load));
        }
        if let Self::Store(store) = self { Some(PlainAccess::Store(store)) } else { None }
    }

    /// The memory that the instruction accesses.
    pub fn memory(&self) -> InstructionMemory<'_> {
        match self {
            Self::Load(load) => InstructionMemory::Load(load),
            Self::Store(store) => InstructionMemory::Store(store),
            Self::Atomic(atomic) => InstructionMemory::Update(atomic),
            Self::Fill(fill) => InstructionMemory::Fill(fill),
            Self::Matrix(matrix) => match **matrix {
                MatrixInstruction::Load(..)
                | MatrixInstruction::Store(..)
                | MatrixInstruction::LoadFragment(_)
                | MatrixInstruction::StoreFragment(_) => InstructionMemory::Matrix,
                MatrixInstruction::Move(..) | MatrixInstruction::Multiply(_) => InstructionMemory::None,
            },
            Self::Mbarrier(mbarrier) => InstructionMemory::Mbarrier(mbarrier),
            Self::Image(image) => InstructionMemory::Image(image),
            Self::TensorMap(instruction) => InstructionMemory::TensorMap(instruction),
            Self::Copy(copy) => InstructionMemory::Copy(copy),
            Self::TensorCopy(copy) => InstructionMemory::TensorCopy(copy),
            Self::CancelLaunch(_) => InstructionMemory::Answer,
            Self::Warpgroup(_) | Self::Tensor(_) => InstructionMemory::Descriptors,
            Self::Unsupported(_) => InstructionMemory::Unknown,
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
            | Self::LearnAnswer(_)
            | Self::CopyGroup(_)
            | Self::AllocateLocal(..) => InstructionMemory::None,
        }
    }

    /// Whether it accesses global, shared or local memory, at once or later.
    pub fn accesses_memory(&self) -> bool {
        self.memory().is_of_variables()
    }
}
