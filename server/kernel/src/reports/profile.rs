//! What a run does line by line: how often each instruction runs, with how many lanes, and how atomics meet.

use crate::Kernel;
use crate::KernelModule;
use crate::arguments::argument_values::shape_of;
use crate::arguments::launch::{KernelLaunch, LaunchFailure, LaunchableKernel, prepare};
use crate::arguments::launch_memory::{BufferPlace, bytes_at};
use crate::expression::Quantity;
use crate::reports::transactions::{LaneAccess, transactions};
use machine::{ObservedAccess, ObservedMemory, RunControl, RunObserver, RunState, TraceEventKind};
pub use program::Problem;
use program::{CodePlace, MachineAccessKind, ThreadId, TracedThreads, WARP_SIZE};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;
use syntax::LintFile;
use values::{Shape, Value};

/// The most instructions of a run, counted per thread.
const MAX_INSTRUCTIONS: u64 = 5_000_000;

/// How the lanes of an atomic meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtomicContention {
    /// How often lanes of a warp executed it together.
    pub executions: u64,
    /// The accesses of all lanes.
    pub accesses: u64,
    /// The most lanes of one execution that accessed the same address.
    pub most_lanes: u64,
    /// The transactions of all executions.
    pub transactions: u64,
}

impl AtomicContention {
    /// How much its lanes are in each other's way, by the transactions of an execution: 0 if there are at most 4, as of 32 lanes with consecutive
    /// elements of 4 bytes, 1 up to 8, 2 up to 16, 3 if there are more.
    pub const fn heat(&self) -> u32 {
        match self.transactions.div_ceil(if self.executions == 0 { 1 } else { self.executions }) {
            0..=4 => 0,
            5..=8 => 1,
            9..=16 => 2,
            _ => 3,
        }
    }
}

/// How often an instruction ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionProfile {
    /// How often lanes of a warp executed it together.
    pub executions: u64,
    /// The same, counted per thread.
    pub threads: u64,
    /// How many of these executions were of a part of the warp: its threads had diverged, or some had ended.
    pub divergent: u64,
    /// How lanes met, if it is an atomic.
    pub contention: Option<AtomicContention>,
    /// The registers that it wrote last in the chosen thread, with their values as text.
    pub registers: Vec<(String, String)>,
}

/// A buffer before and after a run.
#[derive(Clone, Debug)]
pub struct ProfiledBuffer {
    /// The name of the argument.
    pub name: String,
    /// The shape of an element.
    pub shape: Shape,
    /// The contents before the run.
    pub before: Vec<u8>,
    /// The contents after it.
    pub after: Vec<u8>,
}

/// A run with what it did.
#[derive(Debug)]
pub struct LaunchProfile {
    /// The kernel.
    pub kernel: Kernel,
    /// The instructions that ran, by their byte ranges.
    pub instructions: Vec<(Range<usize>, InstructionProfile)>,
    /// The buffers.
    pub buffers: Vec<ProfiledBuffer>,
    /// The mistakes.
    pub problems: Vec<Problem>,
    /// What the kernel printed.
    pub output: Vec<u8>,
    /// The number of instructions, counted per thread.
    pub executed: u64,
}

/// Why there is no profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileFailure {
    /// The kernel cannot be launched.
    Launch(LaunchFailure),
    /// The message of a launch that the machine rejects.
    Machine(String),
    /// An instruction that is not emulated, and its opcode.
    Unsupported(Range<usize>, String),
}

/// Counts what a run does.
struct ProfileObserver<'c> {
    block: u64,
    instructions: HashMap<CodePlace, InstructionProfile>,
    /// The atomic accesses of the instruction that runs.
    accesses: Vec<(CodePlace, LaneAccess)>,
    cancelled: &'c (dyn Fn() -> bool + Sync),
    /// The instructions until the next question whether the run is cancelled.
    left: u32,
    is_cancelled: bool,
}

/// The instructions of a warp between two questions whether the run is cancelled.
const POLL_INTERVAL: u32 = 1024;

impl fmt::Debug for ProfileObserver<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ProfileObserver").field("instructions", &self.instructions).finish_non_exhaustive()
    }
}

impl RunObserver for ProfileObserver<'_> {
    fn before(&mut self, state: &RunState) -> RunControl {
        self.left -= 1;
        if self.left == 0 {
            self.left = POLL_INTERVAL;
            self.is_cancelled = (self.cancelled)();
        }
        if self.is_cancelled {
            return RunControl::Stop;
        }
        self.end_instruction();
        if let Some(group) = state.running() {
            let lanes = u64::from(group.lanes.count_ones());
            let warp_size = u64::from(WARP_SIZE);
            let whole = warp_size.min(self.block - u64::from(group.warp) * warp_size);
            let profile = self.instructions.entry(group.place).or_default();
            profile.executions += 1;
            profile.threads += lanes;
            profile.divergent += u64::from(lanes < whole);
        }
        RunControl::Continue
    }

    fn accessed(&mut self, access: &ObservedAccess) {
        if access.kind == MachineAccessKind::Atomic {
            let lane = access.thread.thread % WARP_SIZE;
            self.accesses.push((access.place, LaneAccess { lane, memory: access.memory, size: access.size }));
        }
    }

    fn ended(&mut self, _: &RunState) {
        self.end_instruction();
    }
}

impl ProfileObserver<'_> {
    fn end_instruction(&mut self) {
        let Some(&(place, _)) = self.accesses.first() else { return };
        let mut lanes: HashMap<ObservedMemory, u64> = HashMap::new();
        for (_, access) in &self.accesses {
            *lanes.entry(access.memory).or_default() += 1;
        }
        let accesses: Vec<LaneAccess> = self.accesses.drain(..).map(|(_, access)| access).collect();
        let profile = self.instructions.entry(place).or_default();
        let contention = profile.contention.get_or_insert_default();
        contention.executions += 1;
        contention.accesses += accesses.len() as u64;
        contention.most_lanes = contention.most_lanes.max(lanes.into_values().max().unwrap_or_default());
        contention.transactions += transactions(&accesses);
    }
}

/// Runs a launch and counts what it does, until it ends or is cancelled; registers are those of a thread, given by its CTA and its number there. Files are not read.
///
/// # Errors
/// [`ProfileFailure`] if the kernel cannot run.
pub fn profile(
    file: &LintFile,
    module: isa::Module,
    options: &KernelLaunch,
    [cta, thread]: [u32; 2],
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<LaunchProfile, ProfileFailure> {
    let mut no_file = |path: &str, _: Shape| Err(format!("`@{path}`: files are read by `ptx-atomics run` only"));
    let prepared = prepare(&mut KernelModule::of(file, module), options, MAX_INSTRUCTIONS, &mut no_file)
        .map_err(ProfileFailure::Launch)?;
    let LaunchableKernel { kernel, mut memory, mut launch } = prepared;
    launch.trace.threads = TracedThreads::Listed(vec![ThreadId { cta, thread }]);
    let before = std::mem::take(&mut memory.memory);
    let (grid, block) = (launch.grid.count(), launch.block.count());
    if u64::from(cta) >= grid || u64::from(thread) >= block {
        let message =
            format!("no thread {thread} of CTA {cta}: the launch has {grid} CTAs of {block} threads, counted from 0");
        return Err(ProfileFailure::Machine(message));
    }
    let mut observer = ProfileObserver {
        block,
        instructions: HashMap::new(),
        accesses: Vec::new(),
        cancelled,
        left: POLL_INTERVAL,
        is_cancelled: false,
    };
    let result = machine::observe(&kernel.program, &launch, before.clone(), &mut observer);
    let result = result.map_err(|error| ProfileFailure::Machine(error.to_string()))?;
    if observer.is_cancelled {
        return Err(ProfileFailure::Machine("the run was cancelled".to_owned()));
    }
    if let Some(at) = result.unsupported {
        return Err(ProfileFailure::Unsupported(kernel.range(at.place), at.opcode));
    }
    for event in &result.trace.events {
        if let TraceEventKind::Executed(slots) = &event.kind {
            let register = |(slot, bits): &(u32, u64)| register_text(&kernel, event.place, slots, (*slot, *bits));
            observer.instructions.entry(event.place).or_default().registers =
                slots.iter().filter_map(register).collect();
        }
    }
    let buffer = |one: &BufferPlace| ProfiledBuffer {
        name: one.name.clone(),
        shape: one.shape,
        before: bytes_at(&before, one.address).to_vec(),
        after: bytes_at(&result.memory, one.address).to_vec(),
    };
    Ok(LaunchProfile {
        instructions: by_range(&kernel, observer.instructions),
        buffers: memory.buffers().iter().map(buffer).collect(),
        problems: result.problems,
        output: result.output,
        executed: result.executed,
        kernel,
    })
}

/// The name of a register and its value with its declared type; `None` for an intermediate value.
fn register_text(
    kernel: &Kernel,
    place: CodePlace,
    slots: &[(u32, u64)],
    (slot, low): (u32, u64),
) -> Option<(String, String)> {
    let name = kernel.register_name(place.function, slot)?;
    let (register, ..) = kernel.names.get(place.function as usize)?.find_register(&name, place.instruction)?;
    let high = slots.iter().find(|(other, _)| register.bits > 64 && *other == slot + 1).map_or(0, |(_, bits)| *bits);
    let bits = u128::from(high) << 64 | u128::from(low);
    let text = match shape_of(&register.ty) {
        Some(shape) => Quantity::of(Value::new(shape, bits)).1,
        // A predicate.
        None => (bits & 1 == 1).to_string(),
    };
    Some((name, text))
}

/// The profiles of the instructions of the text. An instruction of the text may be several of the machine.
fn by_range(
    kernel: &Kernel,
    instructions: HashMap<CodePlace, InstructionProfile>,
) -> Vec<(Range<usize>, InstructionProfile)> {
    let ordered: BTreeMap<CodePlace, InstructionProfile> = instructions.into_iter().collect();
    let mut merged: BTreeMap<(usize, usize), InstructionProfile> = BTreeMap::new();
    for (place, part) in ordered {
        let range = kernel.range(place);
        let whole = merged.entry((range.start, range.end)).or_default();
        whole.executions = whole.executions.max(part.executions);
        whole.threads = whole.threads.max(part.threads);
        whole.divergent = whole.divergent.max(part.divergent);
        whole.contention = whole.contention.or(part.contention);
        whole.registers.extend(part.registers);
    }
    merged.into_iter().map(|((start, end), profile)| (start..end, profile)).collect()
}
