//! Data races of a run: conflicting accesses that causality order does not order and that are not morally strong (PTX ISA, Memory Consistency
//! Model: Data races).
//!
//! Happens-before is that of the memory model, not time: program order, release patterns that acquire patterns observe in scope, barriers,
//! mbarriers, and the ends of asynchronous copies that a thread has waited for. Each thread has a vector clock, each word of memory the accesses
//! that a later one can race with. Two `fence.sc` of the whole device are ordered if the thread of the second has observed a write after the first.
//! Bulk copies race with ordinary writes before them that no proxy fence follows, and accesses to textures and surfaces with writes through other
//! proxies.
//!
//! In a run of one execution a word remembers at least the last ten accesses that are not ordered before a later one of the same kind, so a race
//! with an access that many others followed can be missed; nothing is reported that is not a race.

pub mod accesses;
mod acquired_maps;
pub mod agent;
pub mod barriers;
pub mod checked_access;
pub mod clock;
mod comparison;
mod dependent_launch;
mod earlier_kernel;
pub mod equivalence;
mod fences_used;
pub mod kernel_use;
pub mod load_buffering;
pub mod messages;
mod notifiers;
mod order;
mod program_facts;
mod proxies;
pub mod recorder;
pub mod relation;
mod release;
pub mod rules;
pub mod shadow;
pub mod step_log;
pub mod summary;
mod synchronizations;
pub mod tensor_memory;
mod thread;

pub use crate::agent::CopyAgent;
use crate::agent::KIND_SHIFT;
pub use crate::barriers::RelaxedArrival;
pub use crate::checked_access::{CheckedAccess, RacingAccess, WriteEffect};
pub use crate::clock::{Agent, Clock};
pub use crate::equivalence::colors::ThreadColors;
pub use crate::equivalence::thread_permutation::ThreadPermutation;
pub use crate::kernel_use::{EarlierUse, KernelUse, OverlapEnd, OverlappedKernel, UsedRow};
pub use crate::load_buffering::dependent_values::{LocalAccess, PassedTo};
pub use crate::load_buffering::earlier_reads::{BarrierThreads, EarlierRead, ReadPlace, ReadThenWrite};
pub use crate::load_buffering::load_cycles::{BufferedLoads, reads_in_cycles};
pub use crate::load_buffering::value_dependent_orders::ValueDependentOrders;
pub use crate::load_buffering::value_dependent_writes::{InstructionWays, ThreadPlace, ValueDependentWrites};
pub use crate::messages::history_pruning::LostRead;
pub use crate::messages::strong_accesses::StrongAccesses;
pub use crate::recorder::{
    EventAccess, EventAction, EventOrigin, EventPerformer, EventRelation, ExecutionEdge, ExecutionEvent,
    ExecutionRecord,
};
pub use crate::relation::RaceRelation;
pub use crate::rules::{OrderRule, SequentialFenceOrder};
pub use crate::shadow::row::LaneOrder;
pub use crate::shadow::shadow_access::WORD;
pub use crate::shadow::shadow_memory::Footprint;
pub use crate::step_log::StepLog;
pub use crate::tensor_memory::operations::TensorRace;
pub use crate::tensor_memory::tensor_operation::{TensorAccess, TensorOperation, TensorOperationKind};
pub use program::memory::location::{IsUpdate, LocationKey, RacedMemory};

use crate::acquired_maps::AcquiredMaps;
use crate::barriers::MbarrierClock;
use crate::earlier_kernel::AdjacentKernels;
use crate::fences_used::FencesUsed;
pub use crate::load_buffering::earlier_reads::ThreadKey;
use crate::load_buffering::read_logs::ReadLogs;
use crate::messages::history::History;
pub use crate::messages::history::{
    Followed, FollowedBranches, HistoryPruning, LocationHistory, MbarrierOrders, SearchRules, SymmetryRule,
};
use crate::messages::observed_writes::ObservedWrites;
use crate::notifiers::Notifiers;
use crate::program_facts::ProgramFacts;
use crate::recorder::Recorder;
use crate::release::{LastWrite, ScopePosition};
use crate::shadow::commutative_words::CommutativeWords;
use crate::shadow::shadow_memory::Shadow;
pub use crate::shadow::touched::TouchedWords;
pub use crate::shadow::warp_reads::AccessOffsets;
use crate::summary::access_summaries::{AccessSummaries, Doubt};
use crate::summary::warp_accesses::RaceRecords;
use crate::tensor_memory::operations::TensorOperations;
use crate::thread::WarpClock;
use isa::types::Scope;
use program::launch::kernel_launch::{Launch, Processor, ThreadId};
use program::machine_program::MachineProgram;
use program::operand::AccessOrder;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Add;
use std::sync::Arc;

/// How warps are numbered: those of the CTA in slot 0 first.
#[derive(Clone, Copy, Debug)]
pub struct WarpNumbers {
    of_cta: u32,
    ctas_of_cluster: u32,
    /// The slot of the first CTA that runs on the host, if there is one.
    first_host_cta: Option<u32>,
}

impl WarpNumbers {
    const fn position(self, warp: u32) -> ScopePosition {
        let cta = warp / self.of_cta;
        let is_host = match self.first_host_cta {
            Some(first) => cta >= first,
            None => false,
        };
        let processor = if is_host { Processor::Host } else { Processor::Device };
        ScopePosition { cta, cluster: cta / self.ctas_of_cluster, processor }
    }

    /// The narrowest scope that includes all threads.
    const fn widest(self) -> Scope {
        if self.first_host_cta.is_some() { Scope::Sys } else { Scope::Gpu }
    }
}

/// How global memory was used.
#[derive(Clone, Debug, Default)]
struct UsedMemory {
    /// The allocations that the kernel has written to.
    written: BTreeSet<usize>,
    /// The words that are only updated in one way whose order does not matter, if that is noted.
    combined: Option<CommutativeWords>,
}

/// The accesses of a run, and what orders them.
#[derive(Clone, Debug)]
pub struct Races {
    numbers: WarpNumbers,
    program: ProgramFacts,
    warps: Vec<Option<Box<WarpClock>>>,
    /// What is kept of accesses.
    kept: RaceRecords,
    global: Vec<Shadow>,
    shared: Vec<Shadow>,
    last_writes: HashMap<(RacedMemory, usize), LastWrite>,
    mbarriers: HashMap<(usize, u32), MbarrierClock>,
    /// The mbarriers at which all orders of arrivals are explored.
    ordered_arrivals: Arc<BTreeSet<(usize, u32)>>,
    /// The numbers of the agents that notify mbarriers.
    notifiers: Notifiers,
    history: Option<History>,
    /// What the search learns from each step.
    log: StepLog,
    /// Records the events of an execution that is shown.
    recorder: Option<Box<Recorder>>,
    pruning: HistoryPruning,
    fence_order: SequentialFenceOrder,
    observed: ObservedWrites,
    /// The rule that is left out in a test.
    without: Option<OrderRule>,
    /// The number of strong accesses of a run.
    strong_accesses: u32,
    /// What the `fence.sc` of a CTA, a cluster and the device have ordered, when histories are kept.
    fences: BTreeMap<(Scope, u32), Clock>,
    /// The tensor maps that threads have acquired.
    acquired_maps: AcquiredMaps,
    /// The operations on tensor memory.
    tensors: TensorOperations,
    /// How global memory was used.
    used: UsedMemory,
    /// What threads have read, for load buffering.
    reads: ReadLogs,
    fences_used: FencesUsed,
    /// The kernels before and after this one.
    kernels: AdjacentKernels,
}

impl Races {
    /// What happens before the next access of a thread.
    pub fn known(&mut self, agent: Agent) -> Clock {
        self.warp(agent.warp).known(agent.lane as usize).clone()
    }

    /// The bytes that it takes.
    pub fn footprint(&self) -> Footprint {
        const OF_ENTRY: usize = 256;
        let entries = self.warps.len() + self.last_writes.len() + self.mbarriers.len() + self.notifiers.numbers.len();
        let shadows = self.global.iter().chain(&self.shared).map(Shadow::footprint);
        let summaries = self.summaries().map_or(0, AccessSummaries::bytes);
        shadows.fold(Footprint::unshared(entries * OF_ENTRY + summaries), Footprint::add)
    }

    /// Nothing was accessed yet in a launch.
    pub fn of_launch(program: &MachineProgram, launch: &Launch) -> Self {
        let numbers = WarpNumbers {
            of_cta: launch.warps_of_cta(),
            ctas_of_cluster: launch.cluster.count() as u32,
            first_host_cta: launch.first_host_cta().map(|first| first as u32),
        };
        Self {
            numbers,
            program: ProgramFacts::of(program),
            notifiers: Notifiers::default(),
            reads: ReadLogs::default(),
            fences_used: FencesUsed::default(),
            kernels: AdjacentKernels::default(),
            warps: Vec::new(),
            kept: RaceRecords::default(),
            global: Vec::new(),
            shared: Vec::new(),
            last_writes: HashMap::new(),
            mbarriers: HashMap::new(),
            ordered_arrivals: Arc::default(),
            history: None,
            log: StepLog::default(),
            recorder: None,
            pruning: HistoryPruning::default(),
            fence_order: SequentialFenceOrder::default(),
            observed: ObservedWrites::default(),
            without: None,
            strong_accesses: 0,
            fences: BTreeMap::new(),
            acquired_maps: AcquiredMaps::default(),
            tensors: TensorOperations::default(),
            used: UsedMemory::default(),
        }
    }

    /// A thread, by the slot of its CTA.
    pub const fn agent(&self, slot: usize, ThreadId { thread, .. }: ThreadId) -> Agent {
        // This does not overflow: a run ends where `has_numbers_for` is false.
        Agent { warp: slot as u32 * self.numbers.of_cta + thread / 32, lane: thread % 32 }
    }

    /// Whether the warps of so many CTAs have numbers of their own, beside those of the copies that they begin.
    pub const fn has_numbers_for(&self, ctas: usize) -> bool {
        ctas as u64 * self.numbers.of_cta as u64 <= 1 << KIND_SHIFT
    }

    /// The slot of the CTA of a thread, and its number in the CTA.
    pub const fn thread(&self, agent: Agent) -> (usize, u32) {
        let of_cta = self.numbers.of_cta;
        ((agent.warp / of_cta) as usize, agent.warp % of_cta * 32 + agent.lane)
    }

    /// Whether a rule is left out.
    pub fn omits(&self, rule: OrderRule) -> bool {
        self.without == Some(rule)
    }

    #[inline]
    fn warp(&mut self, warp: u32) -> &mut WarpClock {
        let at = warp as usize;
        if at >= self.warps.len() {
            self.warps.resize(at + 1, None);
        }
        self.warps[at].get_or_insert_default()
    }

    /// Whether something is remembered of the barriers of a warp, by its lanes.
    pub fn has_warp_barriers(&self, warp: u32) -> bool {
        self.warps.get(warp as usize).and_then(Option::as_deref).is_some_and(|warp| !warp.barriers.is_empty())
    }

    /// What is remembered of the accesses to an allocation of global memory, if there were any.
    pub fn of_global(&self, allocation: usize) -> Option<&Shadow> {
        self.global.get(allocation)
    }

    /// Whether the kernel has written to an allocation of global memory.
    pub fn is_written(&self, allocation: usize) -> bool {
        self.used.written.contains(&allocation) || self.summaries().is_some_and(|all| all.is_written(allocation))
    }

    /// Whether the program stores to surfaces, so that ordinary accesses may not see what was written.
    pub const fn has_surface_stores(&self) -> bool {
        !self.program.surface_stores.is_empty()
    }

    /// Keeps less of the accesses from now on.
    pub fn keep(&mut self, kept: RaceRecords) {
        self.kept = kept;
    }

    /// What is kept of the accesses, before there were any.
    pub fn kept(&self) -> RaceRecords {
        match &self.kept {
            RaceRecords::All => RaceRecords::All,
            RaceRecords::Summaries(summaries) => RaceRecords::Summaries(Box::new(summaries.emptied())),
            RaceRecords::Nothing => RaceRecords::Nothing,
        }
    }

    /// Whether all accesses are kept that later ones may race with.
    #[inline]
    pub const fn keeps_all(&self) -> bool {
        matches!(self.kept, RaceRecords::All)
    }

    /// Whether something is kept of them, so that it matters what happens before what.
    #[inline]
    pub const fn keeps_order(&self) -> bool {
        !matches!(self.kept, RaceRecords::Nothing)
    }

    /// The summaries, if they are kept.
    const fn summaries(&self) -> Option<&AccessSummaries> {
        if let RaceRecords::Summaries(summaries) = &self.kept { Some(summaries) } else { None }
    }

    /// The first access that may race, if summaries are kept.
    #[inline]
    pub fn doubt(&self) -> Option<Doubt> {
        self.summaries().and_then(AccessSummaries::doubt)
    }

    /// All threads of a CTA have come to a barrier that all of them wait at.
    pub fn end_era(&mut self, slot: usize) {
        if let RaceRecords::Summaries(summaries) = &mut self.kept {
            summaries.end_era(slot);
        }
    }

    fn note_write(written: &mut BTreeSet<usize>, region: RacedMemory) {
        if let RacedMemory::Global(allocation) = region {
            written.insert(allocation);
        }
    }

    /// The thread of an agent.
    fn owner(&self, agent: Agent) -> Agent {
        match agent.notifier() {
            Some(number) => self.notifiers.epochs[number as usize].0,
            None => agent.thread(),
        }
    }

    fn position(&self, agent: Agent) -> ScopePosition {
        self.numbers.position(self.owner(agent).warp)
    }

    fn shadow<'s>(global: &'s mut Vec<Shadow>, shared: &'s mut Vec<Shadow>, region: RacedMemory) -> &'s mut Shadow {
        let (all, at) = match region {
            RacedMemory::Global(at) => (global, at),
            RacedMemory::Shared(at) => (shared, at),
        };
        if at >= all.len() {
            all.resize_with(at + 1, Shadow::default);
        }
        &mut all[at]
    }
}
