//! Programs as the machine runs them: instructions with their operands, what each does, what is known of it before it runs, and the problems
//! that a run can report.

pub mod analysis;
pub mod call;
pub mod collective;
pub mod copies;
pub mod effects;
pub mod fence;
pub mod lanes;
pub mod launch;
pub mod machine_program;
pub mod matrix;
pub mod memory;
pub mod multicast;
pub mod operand;
pub mod problem;
mod problem_message;
pub mod proxy;
pub mod special;
pub mod tensor;
pub mod waiting;

pub use crate::analysis::liveness::LiveRegisters;
pub use crate::analysis::uniform_instructions::uniform_instructions;
pub use crate::call::{CallTarget, Formal, Formals, MachineCall, SystemFunction};
pub use crate::collective::{Collective, CollectiveOperation, FloatReduction, LaneReduction, Shuffle, Vote};
pub use crate::copies::async_copy::{
    AnswerRecipients, AsyncCopy, CancelLaunch, Completion, CopyPart, CopySource, GroupAction, GroupKind, GroupWait,
};
pub use crate::copies::tensor_map::{
    CHANNELS_AND_IMAGES, MAX_BOX, MAX_DIMENSIONS, MAX_SPATIAL, MAX_STEP, OutsideFill, PixelColumn, STRIDE_END, Swizzle,
    TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES, TENSOR_TYPES, TensorCopy, TensorCopyMode, TensorDimension, TensorDirection,
    TensorMap,
};
pub use crate::copies::tensor_map_change::{TensorMapInstruction, TensorProperty};
pub use crate::copies::tensor_map_mistake::TensorMistake;
pub use crate::effects::{
    AsynchronousEnd, ControlTransfer, InstructionMemory, PlainAccess, RegisterAccesses, RegisterComputation,
    Synchronization,
};
pub use crate::fence::{FenceSemantics, OrderedMemory};
pub use crate::lanes::{LaneValues, WARP_SIZE};
pub use crate::launch::address_size::AddressSize;
pub use crate::launch::kernel_launch::{
    BesideLaunch, Dimensions, GridSizes, Launch, LaunchStart, Processor, RunChecks, ThreadId, TraceRequest,
    TracedThreads, UseRecording,
};
pub use crate::machine_program::{
    AddressConversion, Atomic, Extension, Fill, KernelParameter, KernelSharedMemory, Load, MachineAction,
    MachineFunction, MachineGuard, MachineInstruction, MachineProgram, ScalarAction, SecondTarget, Store,
    ThreadScheduling, VectorParts,
};
pub use crate::matrix::{FragmentAccess, MatrixFragment, MatrixInstruction, MatrixLayout, Sparsity, WarpProduct};
pub use crate::memory::image::{
    CoordinateKind, HasLayers, IMAGE_TYPES, Image, ImageAction, ImageCoordinates, ImageGeometry, ImageInstruction,
    ImageMemory, ImageMistake, ImageQuery, ImageUsage, OutsideSurface, SurfaceAccess, TextureAddressing, TextureValue,
};
pub use crate::memory::nearest::NearestMemory;
pub use crate::multicast::MulticastSignal;
pub use crate::operand::{AccessOrder, Destination, MachineAddress, MemorySpace, OrderSpelling, Source};
pub use crate::problem::{CodePlace, MachineAccessKind, Problem, ProblemKind, Waiting};
pub use crate::proxy::{AccessProxy, EarlierAgent, FencedMemory, RaceCause};
pub use crate::special::{LaneRelation, LaunchPosition, SpecialValue};
pub use crate::tensor::tensor_instruction::{
    AccumulatorLayout, AwaitedTiles, CtaGroup, MultipliedMatrix, TensorAction, TensorCopyIn, TensorFence,
    TensorInstruction, TensorMultiply, TensorTile, TileElements,
};
pub use crate::tensor::tensor_mistake::{TensorCompletion, TensorMemoryMistake, TensorRaceCause};
pub use crate::tensor::warpgroup::{
    MatrixMajor, SharedMatrix, WarpgroupInstruction, WarpgroupMultiply, WarpgroupProduct,
};
pub use crate::waiting::barrier_instruction::{
    BarrierAction, BarrierInstruction, BarrierReduction, Convergence, CtaBarrierInstruction,
};
pub use crate::waiting::mbarrier_instruction::{
    MbarrierAction, MbarrierInstruction, MbarrierMistake, Participation, PendingCount, TestedPhase,
};
