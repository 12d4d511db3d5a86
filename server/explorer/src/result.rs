//! What a verification is asked, and what it has found.

use crate::search::fair_cycle::FairCycle;
use crate::search::omission::Omission;
use crate::search::omitted_places::OmittedPlaces;
use crate::search::replay::VerifiedStep;
use machine::exploration::unconstrained_reads::LocationValues;
use machine::memory::global::GlobalMemory;
use machine::state::UnsupportedAt;
use ordering::kernel_use::KernelUse;
use ordering::{BufferedLoads, ExecutionRecord};
use program::launch::kernel_launch::{Launch, ThreadId};
use program::machine_program::MachineProgram;
use program::problem::{CodePlace, Problem};
use std::collections::{BTreeMap, BTreeSet};

/// What is verified.
#[derive(Clone, Copy)]
pub struct VerifyRequest<'a> {
    /// The program.
    pub program: &'a MachineProgram,
    /// The kernel, its dimensions and arguments.
    pub launch: &'a Launch,
    /// Global memory before the launch.
    pub memory: &'a GlobalMemory,
    /// What does not hold at the end of an execution.
    pub claims: &'a dyn Fn(&GlobalMemory) -> Vec<String>,
    /// Whether the same holds for memory that no execution may leave. `None` if that cannot be asked: load buffering is not ruled out then.
    pub holds: Option<&'a dyn Fn(&GlobalMemory) -> bool>,
    /// Whether to give up.
    pub cancelled: &'a dyn Fn() -> bool,
    /// Whether an execution is shown if none has a problem.
    pub example: ProvedExample,
}

/// Whether an execution without a problem is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProvedExample {
    /// It is.
    Shown,
    /// It is not: the execution is not recorded.
    Hidden,
}

/// The bounds of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerificationBounds {
    /// The most states.
    pub states: usize,
    /// The rounds of a loop that waits and counts, while others can go on.
    pub wait_rounds: u32,
}

/// What a verification has found.
#[derive(Debug, Default)]
pub struct Verification {
    /// The problems, each with the steps that lead to it.
    pub problems: Vec<FoundProblem>,
    /// What is worth to know and does not refute: volatile accesses that nothing orders, each with the steps that lead to it.
    pub notes: Vec<FoundProblem>,
    /// An execution that ends, if none has a problem and one is shown.
    pub example: ExecutionRecord,
    /// What was left out.
    pub omissions: BTreeSet<Omission>,
    /// The instructions that this is about.
    pub omitted: OmittedPlaces,
    /// Whether such executions may exist that have no problem, and leave other memory.
    pub has_further_final_states: bool,
    /// The reads of such executions: those that may read what a thread writes later.
    pub buffered_reads: BTreeSet<CodePlace>,
    /// The same of a single search, with the reads that it goes through.
    pub buffered_loads: BufferedLoads,
    /// The values of each location.
    pub written_values: LocationValues,
    /// The reads of threads that read no message, each element of an access for itself.
    pub unconstrained_reads: BTreeSet<(ThreadId, CodePlace, usize)>,
    /// Whether states in which threads have only changed places were visited once.
    pub merges_permuted: bool,
    /// The instructions that some execution has executed.
    pub executed: BTreeSet<CodePlace>,
    /// The number of states.
    pub states: usize,
    /// The number of executions that were explored, each up to its end or to a state that another one has come to.
    pub executions: usize,
    /// The first instruction of each loop that a thread has repeated, and the most rounds in a row of a thread.
    pub rounds: BTreeMap<CodePlace, u32>,
    /// What a schedule can repeat forever although it lets each thread go on, if other schedules end it.
    pub fair_cycle: Option<FairCycle>,
    /// What all executions do to global memory, if the launch asks for it.
    pub usage: KernelUse,
    /// The number of distinct final states that no limit on waiting has led to.
    pub final_states: usize,
    /// Whether something was found that the order of `fence.sc` may forbid: of a search that does not explore it.
    pub is_unconfirmed: bool,
    /// The instruction that the machine cannot execute, if there is one.
    pub unsupported: Option<UnsupportedAt>,
    /// An instruction whose result is not computed and in global memory at the end of an execution, whose claims are not decided.
    pub unknown_result: Option<UnsupportedAt>,
}

impl Verification {
    /// Whether all executions were explored.
    pub fn is_complete(&self) -> bool {
        self.omissions.is_empty()
    }

    /// The same of the groups of lanes that were explored.
    pub fn has_all_orders(&self) -> bool {
        self.omissions.iter().all(|omission| *omission == Omission::LaneGroups)
    }

    /// Why a launch without problems is not proved, if it is not.
    pub fn unfinished(&self) -> Option<Omission> {
        self.omissions.iter().copied().find(|omission| omission.leaves_open())
    }

    /// Whether something was left out.
    pub fn omits(&self, omission: Omission) -> bool {
        self.omissions.contains(&omission)
    }

    /// Whether executions with load buffering may exist, and it is not ruled out that they have problems.
    pub fn may_buffer_loads(&self) -> bool {
        let is_buffering =
            |omission: &Omission| matches!(omission, Omission::LoadBuffering(_) | Omission::BufferedExecutions);
        self.omissions.iter().any(is_buffering)
    }

    /// Executions with load buffering have no problem.
    pub fn rule_out_buffering(&mut self) {
        self.omissions
            .retain(|omission| !matches!(omission, Omission::LoadBuffering(_) | Omission::BufferedExecutions));
    }
}

/// A problem, and how it came to it.
#[derive(Debug)]
pub struct FoundProblem {
    /// The problem; `None` if a claim about memory at the end does not hold.
    pub problem: Option<Problem>,
    /// What does not hold.
    pub claim: Option<String>,
    /// The steps that other threads notice, in order.
    pub steps: Vec<VerifiedStep>,
    /// All that the execution does, up to the problem.
    pub execution: ExecutionRecord,
}
