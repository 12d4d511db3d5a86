//! The machine: runs kernels as grids of clusters, CTAs, warps and threads.
//!
//! A run is deterministic: the launch has a seed, and it chooses the schedule, the moments at which asynchronous copies end included. Registers
//! are kept per warp, with a value for each lane, and an instruction is dispatched once for all lanes that execute it together. Lanes that diverge
//! become groups of their own ([`warp`]) and are joined where they meet again.
//!
//! Mistakes of the kernel do not end the run: they are collected as [`Problem`]s, with the thread and the instruction, and the access has no effect.

mod access;
mod address_size;
mod asynchronous;
mod barrier;
mod barrier_conditions;
mod barrier_ordering;
mod barrier_waits;
mod begin;
mod call;
mod cluster_queue;
mod coalesced;
mod collective;
mod commutative_update;
mod control;
mod copies;
mod cores;
mod cta;
mod deadlock;
mod debug_view;
mod debugged_run;
mod edit;
mod effects;
mod execute;
mod executed;
mod executor;
mod exit;
mod exploration_state;
mod fence;
mod fill;
mod global;
mod image;
mod image_access;
mod independent;
mod kernel_use;
mod lanes;
mod launch;
mod launch_control;
mod launch_error;
mod liveness;
mod locate;
mod loop_registers;
mod loop_rounds;
mod matrix;
mod matrix_access;
mod mbarrier;
mod mbarrier_access;
mod movement;
mod multicast;
mod nearest;
mod operand;
mod ordering;
mod paused_round;
mod polled_loop;
mod polling;
mod problem;
mod problem_message;
mod program;
mod proxy;
mod races;
mod random;
mod recording;
mod region;
mod remains;
mod repeatable;
mod residency;
mod run_observer;
mod scattered;
mod schedule;
mod skipped;
mod slots;
mod special;
mod spin;
mod state;
mod synchronize;
mod system;
mod tensor_access;
mod tensor_box;
mod tensor_copies;
mod tensor_instruction;
mod tensor_map;
mod tensor_map_access;
mod tensor_map_change;
mod tensor_map_mistake;
mod tensor_memory;
mod tensor_mistake;
mod tensor_operands;
mod tensor_products;
mod tensor_region;
mod trace;
mod trace_recorder;
mod unconstrained_reads;
mod undefined;
mod undefined_bits;
mod unknown_memory;
mod unknown_results;
mod verify;
mod wait_cycles;
mod warp;
mod warpgroup;
mod warpgroup_access;
mod warpgroup_wait;

pub use address_size::AddressSize;
pub use asynchronous::{
    AnswerRecipients, AsyncCopy, CancelLaunch, Completion, CopyPart, CopySource, GroupAction, GroupKind, GroupWait,
};
pub use barrier::{BarrierAction, BarrierInstruction, BarrierReduction, Convergence, CtaBarrierInstruction};
pub use call::{CallTarget, Formal, Formals, MachineCall, SystemFunction};
pub use collective::{Collective, CollectiveOperation, FloatReduction, LaneReduction, Shuffle, Vote};
pub use debugged_run::{ObservedRun, RunOutcome};
pub use effects::{
    AsynchronousEnd, ControlTransfer, InstructionMemory, RegisterAccesses, RegisterComputation, Synchronization,
};
pub use fence::{FenceSemantics, OrderedMemory};
pub use global::{Allocation, AllocationKind, EarlierUse, GlobalMemory};
pub use image::{
    CoordinateKind, HasLayers, IMAGE_TYPES, Image, ImageAction, ImageCoordinates, ImageGeometry, ImageInstruction,
    ImageMemory, ImageMistake, ImageQuery, ImageUsage, OutsideSurface, SurfaceAccess, TextureAddressing, TextureValue,
};
pub use kernel_use::{KernelUse, OverlapEnd, OverlappedKernel, UsedRow};
pub use lanes::{LaneValues, WARP_SIZE};
pub use launch::{
    BesideLaunch, Dimensions, GridSizes, Launch, LaunchStart, Processor, ThreadId, TraceRequest, TracedThreads,
    UseRecording,
};
pub use launch_error::LaunchError;
pub use liveness::LiveRegisters;
pub use matrix::{MatrixInstruction, MatrixLayout, MatrixOperation};
pub use mbarrier::{MbarrierAction, MbarrierInstruction, MbarrierMistake, Participation, PendingCount, TestedPhase};
pub use multicast::MulticastSignal;
pub use nearest::NearestMemory;
pub use operand::{AccessOrder, Destination, MachineAddress, MemorySpace, OrderSpelling, Source};
pub use problem::{CodePlace, MachineAccessKind, Problem, ProblemKind, Waiting};
pub use program::{
    AddressConversion, Atomic, Extension, Fill, KernelParameter, KernelSharedMemory, Load, MachineAction,
    MachineFunction, MachineGuard, MachineInstruction, MachineProgram, ScalarAction, SecondTarget, Store,
    ThreadScheduling,
};
pub use proxy::{AccessProxy, EarlierAgent, FencedMemory, RaceCause};
pub use races::{
    EventAccess, EventAction, EventPerformer, EventRelation, ExecutionEdge, ExecutionEvent, ExecutionRecord, Footprint,
    OrderRule,
};
pub use random::ScheduleChoices;
pub use region::MemoryBytes;
pub use remains::RunRemains;
pub use run_observer::{LaneGroup, ObservedAccess, ObservedMemory, RegisterValue, RunControl, StateEdit};
pub use special::{LaneRelation, LaunchPosition, SpecialValue};
pub use state::{RunObserver, RunResult, RunState, ThreadView, UnsupportedAt, observe, run, run_and_keep};
pub use tensor_box::{InnerRow, RowEnd, SharedBox, inner_rows};
pub use tensor_instruction::{
    AccumulatorLayout, AwaitedTiles, CtaGroup, MultipliedMatrix, TensorAction, TensorCopyIn, TensorFence,
    TensorInstruction, TensorMultiply, TensorTile, TileElements,
};
pub use tensor_map::{
    CHANNELS_AND_IMAGES, MAX_BOX, MAX_DIMENSIONS, MAX_SPATIAL, MAX_STEP, OutsideFill, PixelColumn, STRIDE_END, Swizzle,
    TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES, TENSOR_TYPES, TensorCopy, TensorCopyMode, TensorDimension, TensorDirection,
    TensorMap,
};
pub use tensor_map_change::{TensorMapInstruction, TensorProperty};
pub use tensor_map_mistake::TensorMistake;
pub use tensor_mistake::{TensorCompletion, TensorMemoryMistake, TensorRaceCause};
pub use trace::{Trace, TraceEvent, TraceEventKind, TracedAccess};
pub use verify::{
    BufferingReason, FairCycle, FoundProblem, ProvedExample, StepEffect, Unfinished, Verification, VerificationBounds,
    VerifiedStep, VerifyRequest, verify, verify_each_order, verify_each_state, verify_without,
};
pub use warpgroup::{MatrixMajor, SharedMatrix, WarpgroupInstruction, WarpgroupMultiply};
