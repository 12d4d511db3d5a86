//! The machine: runs kernels as grids of clusters, CTAs, warps and threads.
//!
//! A run is deterministic: the launch has a seed, and it chooses the schedule, the moments at which asynchronous copies end included. Registers
//! are kept per warp, with a value for each lane, and an instruction is dispatched once for all lanes that execute it together. Lanes that diverge
//! become groups of their own ([`warp`](threads::warp)) and are joined where they meet again.
//!
//! Mistakes of the kernel do not end the run: they are collected as [`Problem`]s, with the thread and the instruction, and the access has no effect.

pub mod copies;
pub mod debug;
pub mod exploration;
pub mod launch;
pub mod memory;
mod recording;
pub mod state;
pub mod tensor;
pub mod threads;
pub mod waiting;

pub use crate::copies::tensor_box::{InnerRow, RowEnd, SharedBox, inner_rows};
pub use crate::debug::debugged_run::{ObservedRun, RunOutcome};
pub use crate::debug::run_observer::{LaneGroup, ObservedAccess, ObservedMemory, RegisterValue, RunControl, StateEdit};
pub use crate::debug::trace::{Trace, TraceEvent, TraceEventKind, TracedAccess};
pub use crate::launch::launch_error::LaunchError;
pub use crate::launch::random::ScheduleChoices;
pub use crate::launch::remains::RunRemains;
pub use crate::launch::run::{RunResult, observe, run, run_and_keep};
pub use crate::memory::global::{Allocation, AllocationKind, GlobalMemory};
pub use crate::memory::region::MemoryBytes;
pub use crate::state::{RunObserver, RunState, ThreadView, UnsupportedAt};
