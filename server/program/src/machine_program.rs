//! Kernels and functions as the machine runs them: registers and branch targets are numbers, every word has become a field.

use crate::analysis::barrier_conditions::BarrierConditions;
use crate::call::{Formals, MachineCall};
use crate::collective::Collective;
use crate::copies::async_copy::{AsyncCopy, CancelLaunch, GroupWait};
use crate::copies::tensor_map::TensorCopy;
use crate::copies::tensor_map_change::TensorMapInstruction;
use crate::fence::FenceSemantics;
use crate::lanes::LaneValues;
use crate::launch::address_size::AddressSize;
use crate::matrix::MatrixInstruction;
use crate::memory::image::ImageInstruction;
use crate::operand::{AccessOrder, Destination, MachineAddress, MemorySpace, Source};
use crate::proxy::{AccessProxy, FencedMemory};
use crate::special::SpecialValue;
use crate::tensor::tensor_instruction::TensorInstruction;
use crate::tensor::warpgroup::WarpgroupInstruction;
use crate::waiting::barrier_instruction::BarrierInstruction;
use crate::waiting::mbarrier_instruction::MbarrierInstruction;
use std::sync::{Arc, OnceLock};
use values::scalar::ScalarOperation;
use values::{Operation, Shape};

/// A kernel with the functions that it can call.
#[derive(Debug, Default)]
pub struct MachineProgram {
    /// Kernels and device functions.
    pub functions: Vec<MachineFunction>,
    /// Whether lanes of a warp make progress independently of each other: from sm_70 on.
    pub scheduling: ThreadScheduling,
    /// The size of its addresses.
    pub addresses: AddressSize,
}

/// How the elements of a vector are read or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VectorParts {
    /// Each by itself, as the memory model says.
    #[default]
    Elements,
    /// All at the same time: what is assumed by some programs.
    Whole,
}

impl VectorParts {
    /// The bytes of what is accessed at once, and how much of it there is, of so many elements of so many bytes.
    pub const fn of(self, element_bytes: u32, elements: usize) -> (u32, u32) {
        match self {
            Self::Elements => (element_bytes, elements as u32),
            Self::Whole => (element_bytes * elements as u32, 1),
        }
    }
}

impl MachineProgram {
    /// The instructions of all functions, in their order.
    pub fn instructions(&self) -> impl Iterator<Item = &MachineInstruction> {
        self.functions.iter().flat_map(|function| &function.code)
    }

    /// The index of the function with a number in the module.
    pub fn numbered(&self, number: u64) -> Option<u32> {
        self.functions.iter().position(|function| u64::from(function.number) == number).map(|index| index as u32)
    }
}

/// How the lanes of a warp are scheduled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadScheduling {
    /// Each lane makes progress, also if others of its warp wait for it: from sm_70 on.
    #[default]
    Independent,
    /// Lanes that wait may keep the others of their warp from running: before sm_70.
    Lockstep,
}

/// A kernel or device function.
#[derive(Debug, Default)]
pub struct MachineFunction {
    /// Its name.
    pub name: String,
    /// Its number in the module, which its address has, also in other programs of that module.
    pub number: u32,
    /// The number of 64-bit register slots of a thread; registers of 128 bits have two.
    pub registers: u32,
    /// The values that instructions name as constants, the same in all lanes.
    pub constants: Vec<LaneValues>,
    /// The parameters of a kernel: offset and size in its parameter memory, in bytes.
    pub parameters: Vec<KernelParameter>,
    /// The shared memory of a kernel.
    pub shared: KernelSharedMemory,
    /// The formal parameters and results of a device function.
    pub formals: Formals,
    /// Bytes of local memory of a call: local variables, arguments and results.
    pub frame_bytes: u32,
    /// The instructions.
    pub code: Vec<MachineInstruction>,
    /// The conditions under which barriers are executed that take all lanes of a warp, once they have been searched for.
    pub barrier_conditions: OnceLock<BarrierConditions>,
}

/// The shared memory of a kernel, with the functions that it can call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelSharedMemory {
    /// Bytes that a CTA has without dynamic shared memory.
    pub static_bytes: u32,
    /// Whether it uses dynamic shared memory.
    pub uses_dynamic: bool,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelParameter {
    /// Its name.
    pub name: String,
    /// Its offset in the parameter memory, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// An instruction with its guard.
#[derive(Debug)]
pub struct MachineInstruction {
    /// The predicate that decides in which lanes it has an effect.
    pub guard: Option<MachineGuard>,
    /// Its effect.
    pub action: MachineAction,
}

/// The guard of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct MachineGuard {
    /// The slot of the predicate.
    pub predicate: u32,
    /// The value with which the instruction has its effect.
    pub expected: bool,
}

/// The effect of an instruction.
#[derive(Debug)]
pub enum MachineAction {
    /// Nothing.
    Nothing,
    /// Computes registers from registers.
    Scalar(Box<ScalarAction>),
    /// Copies a register.
    Move(Destination, Source),
    /// Concatenates registers, each with its width in bits, the first in the lowest bits.
    Pack(Destination, Vec<(Source, u32)>),
    /// Takes a register apart, the lowest bits first; each part with its width in bits.
    Unpack(Source, Vec<(Option<Destination>, u32)>),
    /// Reads a special register.
    ReadSpecial(Destination, SpecialValue),
    /// Converts between generic addresses and those of a space.
    ConvertAddress(Destination, Source, AddressConversion),
    /// Tests which space a generic address is in.
    IsSpace(Destination, Source, MemorySpace),
    /// Converts an address of shared memory to that of the same variable in the CTA with a rank.
    MapToRank(Destination, Source, Source),
    /// The rank of the CTA that a shared address belongs to.
    RankOf(Destination, Source),
    /// Reads memory.
    Load(Box<Load>),
    /// Writes memory.
    Store(Box<Store>),
    /// Reads and writes memory indivisibly.
    Atomic(Box<Atomic>),
    /// Orders memory accesses.
    Fence(FenceSemantics),
    /// A fence between the generic and the async proxy, or a release of tensor maps.
    ProxyFence(FencedMemory),
    /// Acquires the tensor map at an address for the proxy that reads it.
    AcquireTensorMap(MachineAddress),
    /// Waits until the earlier kernel has ended.
    WaitForEarlierKernel,
    /// Lets the next kernel begin, as far as this CTA is concerned.
    LaunchDependents,
    /// Continues at an instruction.
    Branch(u32),
    /// Continues at one of several instructions.
    BranchIndexed(Source, Arc<[u32]>),
    /// Calls a function.
    Call(Box<MachineCall>),
    /// Returns from a function; ends the thread in a kernel.
    Return,
    /// Ends the thread.
    Exit,
    /// Stops the kernel with an error.
    Trap,
    /// A barrier of a CTA, a cluster or a warp.
    Barrier(BarrierInstruction),
    /// An exchange between the lanes of a warp.
    Collective(Box<Collective>),
    /// An instruction on matrices in the registers of a warp.
    Matrix(Box<MatrixInstruction>),
    /// A matrix operation of a warpgroup.
    Warpgroup(WarpgroupInstruction),
    /// An instruction on tensor memory.
    Tensor(Box<TensorInstruction>),
    /// An operation on an mbarrier.
    Mbarrier(Box<MbarrierInstruction>),
    /// Fills memory with zeros.
    Fill(Box<Fill>),
    /// Cancels the launch of the next cluster.
    CancelLaunch(Box<CancelLaunch>),
    /// Notes that a thread knows whether an attempt to cancel a launch has failed: it has if the value is 0.
    LearnAnswer(Source),
    /// Begins an asynchronous copy.
    Copy(Box<AsyncCopy>),
    /// Begins a copy of a box of a tensor.
    TensorCopy(Box<TensorCopy>),
    /// Changes or copies a tensor map.
    TensorMap(Box<TensorMapInstruction>),
    /// Accesses a texture or surface.
    Image(Box<ImageInstruction>),
    /// Ends a group of asynchronous copies, or waits for groups.
    CopyGroup(GroupWait),
    /// Allocates memory in the frame: the address, and the size in bytes.
    AllocateLocal(Destination, Source),
    /// An instruction that the machine cannot execute; the text is its opcode.
    Unsupported(Box<str>),
}

/// A computation on registers.
#[derive(Debug)]
pub struct ScalarAction {
    /// The operation.
    pub operation: ScalarOperation,
    /// The sources; those that it does not have are a constant zero.
    pub sources: [Source; 4],
    /// The result.
    pub destination: Option<Destination>,
    /// The second result: of `setp` the second predicate, else the carry flag.
    pub second: SecondTarget,
}

/// The second result of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondTarget {
    /// There is none.
    None,
    /// A register.
    Register(Destination),
    /// The carry flag, in this slot: read before and written after.
    Carry(u32),
}

/// A conversion of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressConversion {
    /// From a space to a generic address.
    FromSpace(MemorySpace),
    /// From a generic address to a space.
    ToSpace(MemorySpace),
    /// From an offset in the frame to an address in local memory.
    FrameToLocal,
}

/// How a loaded value fills a wider register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// With zeros.
    Zero,
    /// With copies of the sign.
    Sign,
}

impl Extension {
    /// A value of so many bytes, extended to 64 bits.
    #[inline]
    pub const fn extend(self, value: u64, bytes: u32) -> u64 {
        let shift = 64 - 8 * bytes;
        match self {
            Self::Zero => value,
            Self::Sign => ((value << shift) as i64 >> shift) as u64,
        }
    }
}

/// A load.
#[derive(Debug)]
pub struct Load {
    /// The address.
    pub address: MachineAddress,
    /// The size of an element in bytes: 1 to 8.
    pub element_bytes: u32,
    /// The registers of the elements; `None` for those that are not wanted.
    pub elements: Vec<Option<Destination>>,
    /// How narrow elements are extended.
    pub extension: Extension,
    /// The order.
    pub order: AccessOrder,
    /// The proxy.
    pub proxy: AccessProxy,
    /// How its elements are read, if the order is a strong one.
    pub parts: VectorParts,
}

impl Load {
    /// The bytes of what is read at once, and how much of it there is.
    pub fn parts(&self) -> (u32, u32) {
        self.parts.of(self.element_bytes, self.elements.len())
    }

    /// The number of the part that has an element.
    pub const fn part(&self, element: usize) -> usize {
        match self.parts {
            VectorParts::Elements => element,
            VectorParts::Whole => 0,
        }
    }
}

/// A store.
#[derive(Debug)]
pub struct Store {
    /// The address.
    pub address: MachineAddress,
    /// The size of an element in bytes: 1 to 8.
    pub element_bytes: u32,
    /// The elements.
    pub elements: Vec<Source>,
    /// The order.
    pub order: AccessOrder,
    /// How its elements are written, if the order is a strong one.
    pub parts: VectorParts,
}

impl Store {
    /// The bytes of what is written at once, and how much of it there is.
    pub fn parts(&self) -> (u32, u32) {
        self.parts.of(self.element_bytes, self.elements.len())
    }
}

/// A store of zeros.
#[derive(Debug)]
pub struct Fill {
    /// The address.
    pub address: MachineAddress,
    /// The number of bytes.
    pub bytes: Source,
}

/// A read-modify-write.
#[derive(Debug)]
pub struct Atomic {
    /// The address.
    pub address: MachineAddress,
    /// The operation in global memory.
    pub in_global: Operation,
    /// The operation in shared memory; `None` if it is not defined there.
    pub in_shared: Option<Operation>,
    /// The registers of operand b, in 64-bit slots or vector elements; the first in the lowest bits.
    pub b: Vec<Source>,
    /// The registers of operand c of a compare-and-swap.
    pub c: Vec<Source>,
    /// The registers of the old value; empty for `red`.
    pub destination: Vec<Option<Destination>>,
    /// The width of each of these registers in bits.
    pub part_bits: u32,
    /// The order.
    pub order: AccessOrder,
}

impl Atomic {
    /// The shape of the value in memory.
    pub fn shape(&self) -> Shape {
        self.in_global.shape()
    }
}
