//! Instructions on tensor memory, `tcgen05`.

use crate::operand::{Destination, MachineAddress, Source};

/// An instruction of `tcgen05`.
#[derive(Debug)]
pub struct TensorInstruction {
    /// What it does.
    pub action: TensorAction,
    /// The opcode.
    pub opcode: Box<str>,
}

/// What an instruction of `tcgen05` does. Addresses are of tensor memory, but where they say something else.
#[derive(Debug)]
pub enum TensorAction {
    /// `alloc`: where the address is written, in shared memory, the number of columns, and the CTAs that take part.
    Allocate(MachineAddress, Source, CtaGroup),
    /// `dealloc`: the address, and the number of columns.
    Free(Source, Source),
    /// `relinquish_alloc_permit`
    Relinquish,
    /// `ld`
    Load(TensorTile, Vec<Destination>),
    /// `st`
    Store(TensorTile, Vec<Source>),
    /// `wait`
    Wait(AwaitedTiles),
    /// `fence`
    Fence(TensorFence),
    /// `mma`
    Multiply(Box<TensorMultiply>),
    /// `cp`
    Copy(TensorCopyIn),
    /// `shift`
    Shift(MachineAddress, CtaGroup),
    /// `commit`: the mbarrier, and the ranks of the CTAs of the cluster whose mbarriers get an arrival.
    Commit(MachineAddress, Option<Source>),
}

impl TensorAction {
    /// Whether all lanes of a warp execute it together.
    pub const fn is_of_warp(&self) -> bool {
        match self {
            Self::Fence(_) | Self::Multiply(_) | Self::Copy(_) | Self::Shift(..) | Self::Commit(..) => false,
            Self::Allocate(..)
            | Self::Free(..)
            | Self::Relinquish
            | Self::Load(..)
            | Self::Store(..)
            | Self::Wait(_) => true,
        }
    }
}

/// What a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwaitedTiles {
    /// Loads.
    Loads,
    /// Stores.
    Stores,
}

/// The two fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorFence {
    /// `before_thread_sync`
    Before,
    /// `after_thread_sync`
    After,
}

/// The CTAs that take part in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CtaGroup {
    /// One.
    One,
    /// A pair with ranks that differ in the lowest bit.
    Two,
}

/// What a warp loads or stores.
#[derive(Debug)]
pub struct TensorTile {
    /// The address.
    pub address: MachineAddress,
    /// The lanes of the shape.
    pub lanes: u32,
    /// The columns of all repetitions.
    pub columns: u32,
    /// The distance of a second tile of the same shape.
    pub second: Option<u32>,
    /// Which element each register has.
    pub elements: TileElements,
}

/// How elements are in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileElements {
    /// The thread of each lane has its columns, one in each register.
    ColumnsOfLane,
    /// The same, with the lower halves of two columns in each register.
    HalvesOfLane,
    /// In another way, which is not followed.
    Spread,
}

/// A multiplication.
#[derive(Debug)]
pub struct TensorMultiply {
    /// The CTAs that take part.
    pub group: CtaGroup,
    /// The accumulator.
    pub accumulator: MachineAddress,
    /// Where the first matrix is.
    pub a: MultipliedMatrix,
    /// The descriptor of the second matrix, in shared memory.
    pub b: Source,
    /// What else is read from tensor memory: metadata and scale factors.
    pub inputs: Vec<MachineAddress>,
    /// The descriptor of the instruction.
    pub descriptor: Source,
    /// Whether the product is added to the accumulator.
    pub accumulates: Source,
    /// A mask of the lanes that are not written.
    pub disabled_lanes: Vec<Source>,
    /// The kind of the elements.
    pub kind: Box<str>,
    /// Where the rows of the result are.
    pub layout: AccumulatorLayout,
}

/// Where the first matrix of a multiplication is.
#[derive(Debug)]
pub enum MultipliedMatrix {
    /// In shared memory, by a descriptor.
    Shared(Source),
    /// In tensor memory.
    Tensor(MachineAddress),
}

/// How the rows of a result are in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccumulatorLayout {
    /// A row in a lane.
    Rows,
    /// Fewer rows than lanes use all lanes and fewer columns: `.ws`.
    AllLanes,
}

/// A copy from shared to tensor memory.
#[derive(Debug)]
pub struct TensorCopyIn {
    /// The CTAs that take part.
    pub group: CtaGroup,
    /// Where to.
    pub address: MachineAddress,
    /// The descriptor of the source.
    pub descriptor: Source,
    /// The rows of the source.
    pub rows: u32,
    /// The chunks of 16 bytes of a row.
    pub chunks: u32,
    /// The lanes that are written from that of the address on.
    pub lanes: u32,
}
