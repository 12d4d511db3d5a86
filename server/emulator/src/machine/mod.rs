//! The machine: runs kernels as grids of clusters, CTAs, warps and threads.
//!
//! A run is deterministic: the launch has a seed, and it chooses the schedule, the moments at which asynchronous copies end included. Registers
//! are kept per warp, with a value for each lane, and an instruction is dispatched once for all lanes that execute it together. Lanes that diverge
//! become groups of their own ([`warp`]) and are joined where they meet again.
//!
//! Mistakes of the kernel do not end the run: they are collected as [`Problem`]s, with the thread and the instruction, and the access has no effect.

mod copies;
mod debug;
mod explorer;
mod launch;
mod memory;
mod ordering;
mod problem;
mod problem_message;
mod program;
mod state;
mod tensor;
mod threads;
mod waiting;

pub use copies::asynchronous::{
    AnswerRecipients, AsyncCopy, CancelLaunch, Completion, CopyPart, CopySource, GroupAction, GroupKind, GroupWait,
};
pub use copies::tensor_box::{InnerRow, RowEnd, SharedBox, inner_rows};
pub use copies::tensor_map::{
    CHANNELS_AND_IMAGES, MAX_BOX, MAX_DIMENSIONS, MAX_SPATIAL, MAX_STEP, OutsideFill, PixelColumn, STRIDE_END, Swizzle,
    TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES, TENSOR_TYPES, TensorCopy, TensorCopyMode, TensorDimension, TensorDirection,
    TensorMap,
};
pub use copies::tensor_map_change::{TensorMapInstruction, TensorProperty};
pub use copies::tensor_map_mistake::TensorMistake;
pub use debug::debugged_run::{ObservedRun, RunOutcome};
pub use debug::run_observer::{LaneGroup, ObservedAccess, ObservedMemory, RegisterValue, RunControl, StateEdit};
pub use debug::trace::{Trace, TraceEvent, TraceEventKind, TracedAccess};
pub use explorer::{
    BufferingReason, FairCycle, FoundProblem, Omission, ProvedExample, StepEffect, Verification, VerificationBounds,
    VerifiedStep, VerifyRequest, verify, verify_each_order, verify_each_state, verify_without,
};
pub use launch::address_size::AddressSize;
pub use launch::kernel_launch::{
    BesideLaunch, Dimensions, GridSizes, Launch, LaunchStart, Processor, ThreadId, TraceRequest, TracedThreads,
    UseRecording,
};
pub use launch::kernel_use::{KernelUse, OverlapEnd, OverlappedKernel, UsedRow};
pub use launch::launch_error::LaunchError;
pub use launch::random::ScheduleChoices;
pub use launch::remains::RunRemains;
pub use memory::global::{Allocation, AllocationKind, EarlierUse, GlobalMemory};
pub use memory::image::{
    CoordinateKind, HasLayers, IMAGE_TYPES, Image, ImageAction, ImageCoordinates, ImageGeometry, ImageInstruction,
    ImageMemory, ImageMistake, ImageQuery, ImageUsage, OutsideSurface, SurfaceAccess, TextureAddressing, TextureValue,
};
pub use memory::nearest::NearestMemory;
pub use memory::region::MemoryBytes;
pub use ordering::{
    EventAccess, EventAction, EventPerformer, EventRelation, ExecutionEdge, ExecutionEvent, ExecutionRecord, Footprint,
    OrderRule,
};
pub use problem::{CodePlace, MachineAccessKind, Problem, ProblemKind, Waiting};
pub use program::analysis::liveness::LiveRegisters;
pub use program::call::{CallTarget, Formal, Formals, MachineCall, SystemFunction};
pub use program::collective::{Collective, CollectiveOperation, FloatReduction, LaneReduction, Shuffle, Vote};
pub use program::effects::{
    AsynchronousEnd, ControlTransfer, InstructionMemory, RegisterAccesses, RegisterComputation, Synchronization,
};
pub use program::fence::{FenceSemantics, OrderedMemory};
pub use program::machine_program::{
    AddressConversion, Atomic, Extension, Fill, KernelParameter, KernelSharedMemory, Load, MachineAction,
    MachineFunction, MachineGuard, MachineInstruction, MachineProgram, ScalarAction, SecondTarget, Store,
    ThreadScheduling,
};
pub use program::matrix::{MatrixInstruction, MatrixLayout, MatrixOperation};
pub use program::multicast::MulticastSignal;
pub use program::operand::{AccessOrder, Destination, MachineAddress, MemorySpace, OrderSpelling, Source};
pub use program::proxy::{AccessProxy, EarlierAgent, FencedMemory, RaceCause};
pub use program::special::{LaneRelation, LaunchPosition, SpecialValue};
pub use state::{RunObserver, RunResult, RunState, ThreadView, UnsupportedAt, observe, run, run_and_keep};
pub use tensor::tensor_instruction::{
    AccumulatorLayout, AwaitedTiles, CtaGroup, MultipliedMatrix, TensorAction, TensorCopyIn, TensorFence,
    TensorInstruction, TensorMultiply, TensorTile, TileElements,
};
pub use tensor::tensor_mistake::{TensorCompletion, TensorMemoryMistake, TensorRaceCause};
pub use tensor::warpgroup::{MatrixMajor, SharedMatrix, WarpgroupInstruction, WarpgroupMultiply};
pub use threads::lanes::{LaneValues, WARP_SIZE};
pub use waiting::barrier::{BarrierAction, BarrierInstruction, BarrierReduction, Convergence, CtaBarrierInstruction};
pub use waiting::mbarrier::{
    MbarrierAction, MbarrierInstruction, MbarrierMistake, Participation, PendingCount, TestedPhase,
};
