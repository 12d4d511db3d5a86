//! The machine: runs kernels as grids of clusters, CTAs, warps and threads.
//!
//! A run is deterministic: the launch has a seed, and it chooses the schedule, the moments at which asynchronous copies end included. Registers
//! are kept per warp, with a value for each lane, and an instruction is dispatched once for all lanes that execute it together. Lanes that diverge
//! become groups of their own ([`warp`]) and are joined where they meet again.
//!
//! Mistakes of the kernel do not end the run: they are collected as [`Problem`]s, with the thread and the instruction, and the access has no effect.

mod copies;
mod debug;
mod exploration;
mod explorer;
mod launch;
mod memory;
mod ordering;
mod problem;
mod problem_message;
mod program;
mod recording;
mod state;
mod tensor;
mod threads;
mod waiting;

pub use crate::machine::copies::async_copy::{
    AnswerRecipients, AsyncCopy, CancelLaunch, Completion, CopyPart, CopySource, GroupAction, GroupKind, GroupWait,
};
pub use crate::machine::copies::tensor_box::{InnerRow, RowEnd, SharedBox, inner_rows};
pub use crate::machine::copies::tensor_map::{
    CHANNELS_AND_IMAGES, MAX_BOX, MAX_DIMENSIONS, MAX_SPATIAL, MAX_STEP, OutsideFill, PixelColumn, STRIDE_END, Swizzle,
    TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES, TENSOR_TYPES, TensorCopy, TensorCopyMode, TensorDimension, TensorDirection,
    TensorMap,
};
pub use crate::machine::copies::tensor_map_change::{TensorMapInstruction, TensorProperty};
pub use crate::machine::copies::tensor_map_mistake::TensorMistake;
pub use crate::machine::debug::debugged_run::{ObservedRun, RunOutcome};
pub use crate::machine::debug::run_observer::{
    LaneGroup, ObservedAccess, ObservedMemory, RegisterValue, RunControl, StateEdit,
};
pub use crate::machine::debug::trace::{Trace, TraceEvent, TraceEventKind, TracedAccess};
pub use crate::machine::explorer::{
    BufferingReason, FairCycle, FoundProblem, Omission, ProvedExample, StepEffect, Verification, VerificationBounds,
    VerifiedStep, VerifyRequest, verify, verify_each_order, verify_each_state, verify_without,
};
pub use crate::machine::launch::address_size::AddressSize;
pub use crate::machine::launch::kernel_launch::{
    BesideLaunch, Dimensions, GridSizes, Launch, LaunchStart, Processor, ThreadId, TraceRequest, TracedThreads,
    UseRecording,
};
pub use crate::machine::launch::launch_error::LaunchError;
pub use crate::machine::launch::random::ScheduleChoices;
pub use crate::machine::launch::remains::RunRemains;
pub use crate::machine::launch::run::{RunResult, observe, run, run_and_keep};
pub use crate::machine::memory::global::{Allocation, AllocationKind, GlobalMemory};
pub use crate::machine::memory::image::{
    CoordinateKind, HasLayers, IMAGE_TYPES, Image, ImageAction, ImageCoordinates, ImageGeometry, ImageInstruction,
    ImageMemory, ImageMistake, ImageQuery, ImageUsage, OutsideSurface, SurfaceAccess, TextureAddressing, TextureValue,
};
pub use crate::machine::memory::nearest::NearestMemory;
pub use crate::machine::memory::region::MemoryBytes;
pub use crate::machine::ordering::kernel_use::EarlierUse;
pub use crate::machine::ordering::kernel_use::{KernelUse, OverlapEnd, OverlappedKernel, UsedRow};
pub use crate::machine::ordering::{
    EventAccess, EventAction, EventPerformer, EventRelation, ExecutionEdge, ExecutionEvent, ExecutionRecord, Footprint,
    OrderRule,
};
pub use crate::machine::problem::{CodePlace, MachineAccessKind, Problem, ProblemKind, Waiting};
pub use crate::machine::program::analysis::liveness::LiveRegisters;
pub use crate::machine::program::analysis::uniform_instructions::uniform_instructions;
pub use crate::machine::program::call::{CallTarget, Formal, Formals, MachineCall, SystemFunction};
pub use crate::machine::program::collective::{
    Collective, CollectiveOperation, FloatReduction, LaneReduction, Shuffle, Vote,
};
pub use crate::machine::program::effects::{
    AsynchronousEnd, ControlTransfer, InstructionMemory, RegisterAccesses, RegisterComputation, Synchronization,
};
pub use crate::machine::program::fence::{FenceSemantics, OrderedMemory};
pub use crate::machine::program::machine_program::{
    AddressConversion, Atomic, Extension, Fill, KernelParameter, KernelSharedMemory, Load, MachineAction,
    MachineFunction, MachineGuard, MachineInstruction, MachineProgram, ScalarAction, SecondTarget, Store,
    ThreadScheduling,
};
pub use crate::machine::program::matrix::{
    FragmentAccess, MatrixFragment, MatrixInstruction, MatrixLayout, Sparsity, WarpProduct,
};
pub use crate::machine::program::multicast::MulticastSignal;
pub use crate::machine::program::operand::{
    AccessOrder, Destination, MachineAddress, MemorySpace, OrderSpelling, Source,
};
pub use crate::machine::program::proxy::{AccessProxy, EarlierAgent, FencedMemory, RaceCause};
pub use crate::machine::program::special::{LaneRelation, LaunchPosition, SpecialValue};
pub use crate::machine::state::{RunObserver, RunState, ThreadView, UnsupportedAt};
pub use crate::machine::tensor::tensor_instruction::{
    AccumulatorLayout, AwaitedTiles, CtaGroup, MultipliedMatrix, TensorAction, TensorCopyIn, TensorFence,
    TensorInstruction, TensorMultiply, TensorTile, TileElements,
};
pub use crate::machine::tensor::tensor_mistake::{TensorCompletion, TensorMemoryMistake, TensorRaceCause};
pub use crate::machine::tensor::warpgroup::{
    MatrixMajor, SharedMatrix, WarpgroupInstruction, WarpgroupMultiply, WarpgroupProduct,
};
pub use crate::machine::threads::lanes::{LaneValues, WARP_SIZE};
pub use crate::machine::waiting::barrier_instruction::{
    BarrierAction, BarrierInstruction, BarrierReduction, Convergence, CtaBarrierInstruction,
};
pub use crate::machine::waiting::mbarrier_instruction::{
    MbarrierAction, MbarrierInstruction, MbarrierMistake, Participation, PendingCount, TestedPhase,
};
