//! The state of a run.

use crate::copies::pending_copy::PendingCopy;
use crate::debug::run_observer::{ObservedAccess, RunControl, StateEdit};
use crate::debug::trace::Trace;
use crate::exploration::exploration_state::ExplorationState;
use crate::launch::cluster_queue::ClusterQueue;
use crate::launch::cta::{Cluster, Cta};
use crate::launch::paused_round::Round;
use crate::launch::random::ScheduleChoices;
use crate::launch::residency::Residency;
use crate::launch::slots::Slots;
use crate::memory::global::{AllocationKind, GlobalMemory};
use crate::memory::region::MemoryBytes;
use crate::memory::unknown_memory::UnknownMemory;
use crate::threads::warp::{Split, Warp};
use crate::waiting::wait_cycles::WaitCycles;
use ordering::shadow::commutative_words;
use ordering::{Agent, Races};
use program::analysis::independent::{cancels_launches, clusters_are_independent, has_global_atomics};
use program::analysis::liveness::KnownLiveness;
use program::analysis::loop_registers::KnownLoops;
use program::effects::RegisterComputation;
use program::lanes::{WARP_SIZE, lanes_of};
use program::launch::kernel_launch::{Dimensions, GridSizes, Launch, ThreadId};
use program::machine_program::{MachineInstruction, MachineProgram};
use program::memory::nearest::NearestMemory;
use program::problem::{CodePlace, ProblemKind, Problems};
use program::special::SpecialValue;
use std::collections::BTreeSet;
use std::fmt;

/// An instruction that the machine cannot execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedAt {
    /// The instruction.
    pub place: CodePlace,
    /// Its opcode.
    pub opcode: String,
}

/// The bytes of the memory in which the CTAs of a cooperative launch meet.
const GRID_WORKSPACE: usize = 64;

fn uses_grid_workspace(program: &MachineProgram) -> bool {
    program.instructions().any(|one| {
        matches!(one.action.computation(), Some(RegisterComputation::Special(SpecialValue::GridWorkspace(_))))
    })
}

/// The state of a run.
#[derive(Clone, Debug)]
pub struct Machine<'p> {
    /// The program that runs.
    pub program: &'p MachineProgram,
    /// How it was launched.
    pub launch: &'p Launch,
    /// Global memory, constants and parameters included.
    pub memory: GlobalMemory,
    /// Where each kernel finds what it was given.
    pub parameter_memory: ParameterMemory,
    /// The CTAs that have begun, in the order of their begin.
    pub ctas: Slots<Cta>,
    /// The clusters that have begun.
    pub clusters: Slots<Cluster>,
    /// The warps that have begun and not ended.
    pub warps: Vec<Option<Box<Warp>>>,
    /// The copies that are under way.
    pub copies: Vec<PendingCopy>,
    /// The accesses, for data races.
    pub races: Races,
    /// The mistakes so far.
    pub problems: Problems,
    /// What is no mistake in itself.
    pub notes: Problems,
    /// What `vprintf` has written.
    pub output: Vec<u8>,
    /// A number that changes with every change of memory, so that lanes that wait in a loop need not run before.
    pub version: u64,
    /// Instructions that were executed, counted per thread.
    pub executed: u64,
    /// Chooses whose turn is next.
    pub choices: ScheduleChoices,
    /// The clusters that have not begun.
    pub queue: ClusterQueue,
    /// The instruction that has ended the run, as the machine cannot execute it.
    pub unsupported: Option<UnsupportedAt>,
    /// Memory that depends on results which are not computed.
    pub unknown: UnknownMemory,
    /// What was traced.
    pub trace: Trace,
    /// How far a run that is paused is.
    pub round: Option<Round>,
    /// Whether the run ends early.
    pub stopped: bool,
    /// Sees each instruction and access.
    pub observer: CurrentObserver<'p>,
    /// What only an exploration of all executions needs.
    pub explored: ExplorationState,
    /// What is known of the code that was executed.
    pub code: KnownCode,
    /// The wait_cycles after which loops went on.
    pub wait_cycles: WaitCycles,
}

/// The memory that each kernel of a launch has for itself.
#[derive(Clone, Debug, Default)]
pub struct ParameterMemory {
    /// The address of the parameters of each kernel.
    pub parameters: Vec<u64>,
    /// The address of the memory in which the CTAs of each cooperative launch meet; none if the program does not ask for it.
    pub grid_workspaces: Vec<u64>,
}

/// What was found out about the code of a program so far.
#[derive(Clone, Debug, Default)]
pub struct KnownCode {
    /// Which registers are still read.
    pub liveness: KnownLiveness,
    /// The registers that decide what loops do.
    pub loops: KnownLoops,
}

/// The observer of a run. A copy of the state has none.
#[derive(Debug, Default)]
pub struct CurrentObserver<'p>(pub Option<&'p mut dyn RunObserver>);

impl Clone for CurrentObserver<'_> {
    fn clone(&self) -> Self {
        Self(None)
    }
}

/// Watches a run.
pub trait RunObserver: fmt::Debug + Send {
    /// Called before lanes of a warp execute an instruction.
    fn before(&mut self, state: &RunState) -> RunControl;
    /// Called when memory is accessed.
    fn accessed(&mut self, access: &ObservedAccess);
    /// Called at the end, before the threads that wait are given up.
    fn ended(&mut self, state: &RunState);
    /// The edits, after [`RunControl::Edit`].
    fn edits(&mut self) -> Vec<StateEdit> {
        Vec::new()
    }
    /// Whether the run pauses before the next turn of a warp; only an [`ObservedRun`](crate::debug::debugged_run::ObservedRun) goes on then.
    fn pauses(&mut self) -> bool {
        false
    }
}

/// The state of a run between two instructions.
#[derive(Clone, Copy, Debug)]
pub struct RunState<'m, 'p> {
    /// The state of all threads.
    pub machine: &'m Machine<'p>,
    /// The warp that runs, and the index of the split.
    pub running: Option<(&'m Warp, usize)>,
}

/// The state of a thread.
#[derive(Clone, Copy, Debug)]
pub struct ThreadView<'m, 'p> {
    /// The state of all threads.
    pub machine: &'m Machine<'p>,
    /// Its warp.
    pub warp: &'m Warp,
    /// The lanes of the warp that it runs with.
    pub split: &'m Split,
    /// Its lane.
    pub lane: usize,
}

impl<'p> Machine<'p> {
    /// The instructions that threads are at.
    pub fn places(&self) -> BTreeSet<CodePlace> {
        self.warps.iter().flatten().flat_map(|warp| (0..warp.splits.len()).map(|split| warp.place(split))).collect()
    }

    /// The position in a grid of a CTA of a cluster.
    pub fn position(&self, grid: usize, cluster: u64, rank: u64) -> [u32; 3] {
        let GridSizes { grid, cluster: size, .. } = self.launch.sizes(grid);
        let clusters = Dimensions(std::array::from_fn(|axis| grid.0[axis] / size.0[axis]));
        let (origin, inner) = (clusters.position(cluster), size.position(rank));
        std::array::from_fn(|axis| origin[axis] * size.0[axis] + inner[axis])
    }

    /// Whether a limit on waiting was reached although others could go on.
    pub fn has_timed_out(&self) -> bool {
        self.explored.clock.as_ref().is_some_and(|clock| clock.has_timed_out)
    }

    /// The first thread of a warp, for the detector of data races.
    pub fn first_agent(&self, warp: &Warp) -> Agent {
        self.races.agent(warp.cta, ThreadId { cta: 0, thread: warp.number * WARP_SIZE })
    }

    /// The number in the grid of the CTA in a slot, which may have ended.
    pub fn cta_number(&self, slot: usize) -> u32 {
        let of_cluster = self.launch.cluster.count();
        if !self.launch.beside.is_empty() {
            return slot as u32;
        }
        let begun = slot as u64 / of_cluster;
        let cluster = self.queue.cancelled.iter().fold(begun, |cluster, other| cluster + u64::from(*other <= cluster));
        let position = self.position(0, cluster, slot as u64 % of_cluster);
        self.launch.grid.linear(position) as u32
    }

    /// The global memory at an address, for messages.
    pub fn nearest(&self, address: u64) -> Option<NearestMemory> {
        self.memory.nearest_memory(address)
    }

    /// Whether all threads have ended.
    pub fn has_ended(&self) -> bool {
        self.warps.iter().all(Option::is_none)
    }

    /// The threads that have not ended.
    pub fn live_agents(&self) -> Vec<Agent> {
        let lanes = |warp: &Warp| {
            let first = self.first_agent(warp);
            lanes_of(warp.live).map(move |lane| Agent { lane: lane as u32, ..first }).collect::<Vec<_>>()
        };
        self.warps.iter().flatten().flat_map(|warp| lanes(warp)).collect()
    }

    /// The state before the first instruction of a launch.
    pub fn new(program: &'p MachineProgram, launch: &'p Launch, mut memory: GlobalMemory) -> Self {
        let all = std::iter::once(&launch.parameters).chain(launch.beside.iter().map(|one| &one.parameters));
        let parameters = all.map(|bytes| {
            let region = MemoryBytes::defined(bytes.clone());
            memory.allocate("the parameters".into(), region, AllocationKind::Parameters)
        });
        let parameters: Vec<u64> = parameters.collect();
        let mut workspace = || {
            let region = MemoryBytes::defined(vec![0; GRID_WORKSPACE]);
            memory.allocate("the workspace of the grid".into(), region, AllocationKind::Buffer)
        };
        let workspaces = if uses_grid_workspace(program) { parameters.len() } else { 0 };
        let grid_workspaces = (0..workspaces).map(|_| workspace()).collect();
        let mut races = Races::of_launch(program, launch);
        let is_independent = clusters_are_independent(program) && launch.beside.is_empty();
        if is_independent && has_global_atomics(program) {
            commutative_words::note_commutative(&mut races);
        }
        for (at, allocation) in memory.allocations().iter().enumerate() {
            races.use_earlier(at, allocation.earlier);
            if !allocation.changed_maps.is_empty() {
                races.note_changed_maps();
            }
        }
        memory.overlapped().iter().for_each(|kernel| races.overlap(kernel));
        let residency = match is_independent || (cancels_launches(program) && launch.beside.is_empty()) {
            true => Residency::One { begun_at: 0 },
            false => Residency::All,
        };
        Self {
            program,
            launch,
            memory,
            parameter_memory: ParameterMemory { parameters, grid_workspaces },
            ctas: Slots::default(),
            clusters: Slots::default(),
            warps: Vec::new(),
            copies: Vec::new(),
            races,
            problems: Problems::of(launch.checks),
            notes: Problems::of(launch.checks),
            output: Vec::new(),
            version: 0,
            executed: 0,
            choices: ScheduleChoices::new(launch.seed),
            queue: ClusterQueue::new(launch, residency),
            unsupported: None,
            unknown: UnknownMemory::default(),
            trace: Trace::default(),
            round: None,
            stopped: false,
            observer: CurrentObserver::default(),
            explored: ExplorationState::default(),
            code: KnownCode::default(),
            wait_cycles: WaitCycles::default(),
        }
    }

    /// Reports a problem.
    pub fn report(&mut self, kind: ProblemKind, thread: ThreadId, place: CodePlace) {
        self.problems.report(kind, thread, place, Vec::new());
    }

    /// An instruction.
    pub fn instruction(&self, place: CodePlace) -> &'p MachineInstruction {
        &self.program.functions[place.function as usize].code[place.instruction as usize]
    }

    /// A thread by its warp and lane.
    pub fn thread(&self, warp: &Warp, lane: usize) -> ThreadId {
        ThreadId { cta: self.ctas[warp.cta].number, thread: warp.number * WARP_SIZE + lane as u32 }
    }

    /// The address of the parameters of the CTA in a slot.
    pub fn parameters_of(&self, slot: usize) -> u64 {
        self.parameter_memory.parameters[self.ctas[slot].grid]
    }
}
