//! The search through all states.

use super::super::global::GlobalMemory;
use super::super::launch::{Launch, ThreadId};
use super::super::problem::{CodePlace, Problem, ProblemKind};
use super::super::program::MachineProgram;
use super::super::races::ReadThenWrite;
use super::super::state::{LaunchError, Machine, UnsupportedAt, check};
use super::super::warp::SplitState;
use super::liveness::{RegisterSet, live_registers};
use super::progress::first_without_end;
use super::sharing::SharedLocations;
use super::steps::Transition;
use std::collections::{BTreeSet, HashMap};

/// The bounds of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerificationBounds {
    /// The most states.
    pub states: usize,
}

/// What a verification has found.
#[derive(Debug, Default)]
pub struct Verification {
    /// The problems, each with the steps that lead to it.
    pub problems: Vec<FoundProblem>,
    /// Why not all executions were explored.
    pub unfinished: Option<Unfinished>,
    /// Whether executions with load buffering may exist, which are not explored.
    pub may_buffer_loads: bool,
    /// The number of states.
    pub states: usize,
    /// The number of different ends.
    pub ends: usize,
    /// The instruction that the machine cannot execute, if there is one.
    pub unsupported: Option<UnsupportedAt>,
}

/// Why a verification ended before it had seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The bound on states.
    States,
    /// The bound on instructions of an execution.
    Instructions,
    /// It was cancelled.
    Cancelled,
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
}

/// A step that other threads can notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedStep {
    /// The thread; that of a copy is the one that began it.
    pub thread: ThreadId,
    /// The instruction.
    pub place: CodePlace,
}

/// How a state was reached: from which one, and by which step.
#[derive(Clone, Debug)]
struct StateOrigin {
    state: u32,
    transition: Transition,
    step: Option<VerifiedStep>,
}

/// A state whose successors are being visited.
struct Open<'p> {
    state: u32,
    machine: Machine<'p>,
    transitions: Vec<Transition>,
}

/// Explores all executions of a launch. `claim` says what does not hold at the end of an execution, if something does not.
///
/// # Errors
/// [`LaunchError`] if the dimensions are invalid.
pub fn verify(
    program: &MachineProgram,
    launch: &Launch,
    memory: &GlobalMemory,
    bounds: VerificationBounds,
    claim: &dyn Fn(&GlobalMemory) -> Option<String>,
    cancelled: &dyn Fn() -> bool,
) -> Result<Verification, LaunchError> {
    check(program, launch)?;
    let mut shared = SharedLocations::default();
    let mut pairs = BTreeSet::new();
    let live: Vec<_> = program.functions.iter().map(live_registers).collect();
    loop {
        shared.surprised = false;
        let mut machine = Machine::new(program, launch, memory.clone());
        machine.begin_all();
        let search = StateSearch {
            bounds,
            claim,
            cancelled,
            shared: &mut shared,
            pairs: &mut pairs,
            live: &live,
            visited: HashMap::new(),
            origins: Vec::new(),
            successors: Vec::new(),
            ends: Vec::new(),
            found: Verification::default(),
        };
        let found = search.run(machine);
        if !shared.surprised || !found.problems.is_empty() || found.unsupported.is_some() || cancelled() {
            return Ok(found);
        }
    }
}

struct StateSearch<'s> {
    bounds: VerificationBounds,
    claim: &'s dyn Fn(&GlobalMemory) -> Option<String>,
    cancelled: &'s dyn Fn() -> bool,
    shared: &'s mut SharedLocations,
    pairs: &'s mut BTreeSet<ReadThenWrite>,
    /// The registers that matter at each instruction of each function.
    live: &'s [Vec<RegisterSet>],
    visited: HashMap<u64, u32>,
    /// How each state was reached first; the first one was not.
    origins: Vec<Option<StateOrigin>>,
    successors: Vec<Vec<u32>>,
    ends: Vec<bool>,
    found: Verification,
}

impl StateSearch<'_> {
    fn run(mut self, first: Machine) -> Verification {
        let root = first.clone();
        let mut open = Vec::new();
        let mut machine = first;
        machine.settle(self.shared);
        self.visit(machine, None, &mut open);
        while let Some(Open { state, machine, transitions }) = open.last_mut() {
            if self.is_over() {
                break;
            }
            let Some(transition) = transitions.pop() else {
                open.pop();
                continue;
            };
            let (state, mut machine) = (*state, machine.clone());
            let step = machine.step_of(&transition);
            machine.take(&transition, self.shared);
            self.visit(machine, Some(StateOrigin { state, transition, step }), &mut open);
        }
        self.found.states = self.origins.len();
        self.found.may_buffer_loads = root.races.may_buffer_loads(self.pairs);
        if self.found.unfinished.is_none() && !self.shared.surprised && self.found.problems.is_empty() {
            self.report_livelock(root);
        }
        self.found
    }

    fn is_over(&mut self) -> bool {
        if self.origins.len() >= self.bounds.states {
            self.found.unfinished = Some(Unfinished::States);
        } else if (self.cancelled)() {
            self.found.unfinished = Some(Unfinished::Cancelled);
        }
        self.found.unfinished.is_some() || self.found.unsupported.is_some() || self.shared.surprised
    }

    /// Visits a state that a step of another one leads to.
    fn visit<'p>(&mut self, mut machine: Machine<'p>, origin: Option<StateOrigin>, open: &mut Vec<Open<'p>>) {
        let transitions = machine.settle_stalls(self.shared);
        self.pairs.append(&mut machine.races.take_reads_then_writes());
        // Also if the state is known: what was wrong on this way to it may have left no trace.
        let goes_on = self.report(&mut machine, origin.as_ref());
        let parent = origin.as_ref().map(|origin| origin.state);
        let fingerprint = machine.fingerprint(self.live);
        let next = self.origins.len() as u32;
        let state = *self.visited.entry(fingerprint).or_insert(next);
        if let Some(parent) = parent {
            self.successors[parent as usize].push(state);
        }
        if state != next {
            return;
        }
        self.successors.push(Vec::new());
        self.ends.push(!goes_on || transitions.is_empty());
        if goes_on && transitions.is_empty() {
            self.found.ends += 1;
            if let Some(claim) = (self.claim)(&machine.memory) {
                self.add(None, Some(claim), origin.as_ref());
            }
        } else if goes_on {
            open.push(Open { state, machine, transitions });
        }
        self.origins.push(origin);
    }

    /// Reports the problems of a state. Returns whether its successors are worth a visit.
    fn report(&mut self, machine: &mut Machine, origin: Option<&StateOrigin>) -> bool {
        self.found.unsupported = self.found.unsupported.take().or(machine.unsupported.take());
        let mut goes_on = !machine.stopped;
        for problem in std::mem::take(&mut machine.problems).into_list() {
            match problem.kind {
                ProblemKind::InstructionLimit { .. } => {
                    self.found.unfinished = Some(Unfinished::Instructions);
                    continue;
                }
                ProblemKind::DataRace { .. } | ProblemKind::Deadlock { .. } | ProblemKind::Livelock { .. } => {
                    goes_on = false;
                }
                _ => {}
            }
            self.add(Some(problem), None, origin);
        }
        goes_on
    }

    fn add(&mut self, problem: Option<Problem>, claim: Option<String>, origin: Option<&StateOrigin>) {
        let key = |problem: &Option<Problem>| problem.as_ref().map(|one| (one.place, one.kind.code()));
        let is_known = |known: &FoundProblem| key(&known.problem) == key(&problem) && known.claim == claim;
        if !self.found.problems.iter().any(is_known) {
            let steps = self.way(origin).iter().filter_map(|origin| origin.step).collect();
            self.found.problems.push(FoundProblem { problem, claim, steps });
        }
    }

    /// The steps from the first state on.
    fn way<'o>(&'o self, last: Option<&'o StateOrigin>) -> Vec<&'o StateOrigin> {
        let before = |origin: &&'o StateOrigin| self.origins[origin.state as usize].as_ref();
        let mut way: Vec<&StateOrigin> = std::iter::successors(last, before).collect();
        way.reverse();
        way
    }

    /// Reports threads that run forever under every schedule.
    fn report_livelock(&mut self, mut machine: Machine) {
        let Some(state) = first_without_end(&self.successors, &self.ends) else { return };
        let origin = self.origins[state].clone();
        machine.settle(self.shared);
        let transitions: Vec<Transition> =
            self.way(origin.as_ref()).iter().map(|origin| origin.transition.clone()).collect();
        for transition in transitions {
            machine.settle_stalls(self.shared);
            machine.take(&transition, self.shared);
        }
        machine.report_livelock();
        self.report(&mut machine, origin.as_ref());
    }
}

impl Machine<'_> {
    /// Begins all CTAs, each lane on its own, and keeps histories.
    fn begin_all(&mut self) {
        self.races.keep_history();
        self.begin_ctas();
    }

    /// The possible steps; if there are none, what is wrong is reported, or threads go on that wait in vain for others of their warp.
    fn settle_stalls(&mut self, shared: &mut SharedLocations) -> Vec<Transition> {
        loop {
            self.prune_history();
            let transitions = self.transitions(shared);
            let has_ended = self.warps.iter().all(Option::is_none);
            if !transitions.is_empty() || self.stopped {
                return transitions;
            }
            if has_ended {
                while !self.copies.is_empty() {
                    self.end_copy(0);
                }
                return transitions;
            }
            if !self.resolve_stall() {
                return transitions;
            }
            self.settle(shared);
        }
    }

    fn step_of(&self, transition: &Transition) -> Option<VerifiedStep> {
        match transition {
            Transition::EndCopy(at) => {
                self.copies.get(*at).map(|copy| VerifiedStep { thread: copy.thread, place: copy.place })
            }
            Transition::Thread(at, lane, _) => {
                let warp = self.warps[*at].as_deref()?;
                let split = warp.splits.iter().find(|split| split.lanes >> lane & 1 == 1)?;
                let frame = split.stack.last().map_or(0, |entry| entry.frame);
                let place = CodePlace { function: warp.frames[frame].function, instruction: split.next };
                Some(VerifiedStep { thread: self.thread(warp, *lane as usize), place })
            }
        }
    }

    fn report_livelock(&mut self) {
        let version = self.version;
        for split in self.warps.iter_mut().flatten().flat_map(|warp| &mut warp.splits) {
            if split.state == SplitState::Ready {
                split.state = SplitState::Spinning(version);
            }
        }
        self.report_deadlock();
    }
}
