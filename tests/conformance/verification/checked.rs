//! A launch that `check` explores and `run` executes, and the memory at its ends.

use diagnostics::{Context, Snapshot};
use explorer::{
    FoundProblem, ProvedExample, Verification, VerificationBounds, VerifyRequest, verify_each_order, verify_each_state,
    verify_without,
};
use kernel::arguments::launch::{KernelLaunch, LaunchableKernel, prepare};
use kernel::arguments::launch_memory::KernelMemory;
use kernel::modelled::{ModelAnswer, ModelEffort, ModelledLaunch, ask_model};
use kernel::{Kernel, KernelModule};
use machine::{GlobalMemory, LaunchError, ObservedAccess, RunControl, RunObserver, RunResult, RunState, observe, run};
use memory_model::{Budget, Observable, explore};
use ordering::OrderRule;
use program::{CodePlace, Dimensions, Launch, MachineAction};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use syntax::LintFile;

/// The bytes of all buffers, one after the other.
pub type FinalMemory = Vec<u8>;

/// A module whose kernels are launched.
pub struct CheckedModule {
    snapshot: Snapshot<LintFile>,
}

/// A kernel of it with its arguments.
pub struct CheckedLaunch {
    kernel: Kernel,
    memory: KernelMemory,
    launch: Launch,
}

/// What a run reports, and the memory that it leaves.
#[derive(Debug, PartialEq)]
pub struct RunReport {
    memory: FinalMemory,
    problems: BTreeSet<(CodePlace, &'static str)>,
    is_racing: bool,
    executed: u64,
}

impl RunReport {
    /// Whether accesses race, be it by storing the same value.
    pub const fn is_racing(&self) -> bool {
        self.is_racing
    }

    /// The instructions at which there are mistakes that are no data races, and their codes. At which accesses races are reported, of several to the
    /// same words, is left to how accesses are kept.
    pub const fn problems(&self) -> &BTreeSet<(CodePlace, &'static str)> {
        &self.problems
    }
}

/// Watches a run, and does nothing.
#[derive(Debug)]
struct Watcher;

impl RunObserver for Watcher {
    fn before(&mut self, _: &RunState) -> RunControl {
        RunControl::Continue
    }

    fn accessed(&mut self, _: &ObservedAccess) {}

    fn ended(&mut self, _: &RunState) {}
}

impl CheckedModule {
    pub fn new(text: &str) -> Self {
        Self { snapshot: Snapshot::new(LintFile::parse(text), Default::default()) }
    }

    pub fn launch(&self, wanted: &KernelLaunch) -> CheckedLaunch {
        const MOST_INSTRUCTIONS: u64 = 1_000_000;
        let module = Context::new(&self.snapshot).module;
        let mut no_file = |path: &str, _| Err(format!("{path} is no argument of a test"));
        let launchable =
            prepare(&mut KernelModule::of(&self.snapshot.file, module), wanted, MOST_INSTRUCTIONS, &mut no_file);
        let LaunchableKernel { kernel, memory, launch } = launchable.expect("a launch");
        CheckedLaunch { kernel, memory, launch }
    }
}

/// A launch of a grid and a block of one dimension each.
pub fn sized(kernel: &str, ctas: u32, threads: u32, arguments: &[&str]) -> KernelLaunch {
    KernelLaunch {
        kernel: kernel.to_owned(),
        grid: Dimensions([ctas, 1, 1]),
        block: Some(Dimensions([threads, 1, 1])),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        ..KernelLaunch::default()
    }
}

impl CheckedLaunch {
    fn outcome(&self, memory: &GlobalMemory) -> FinalMemory {
        self.memory.results(memory).iter().flat_map(|buffer| buffer.bytes).copied().collect()
    }

    /// What `check` finds, and the memory at all ends.
    pub fn explored(&self, states: usize) -> (Verification, BTreeSet<FinalMemory>) {
        self.explored_without(states, None)
    }

    /// The same without a rule of the memory model.
    pub fn explored_without(&self, states: usize, rule: Option<OrderRule>) -> (Verification, BTreeSet<FinalMemory>) {
        self.explored_by(states, |asked, bounds| verify_without(asked, bounds, rule))
    }

    /// The same, with each state, also those in which CTAs have only changed places.
    pub fn explored_each_state(&self, states: usize) -> (Verification, BTreeSet<FinalMemory>) {
        self.explored_by(states, verify_each_state)
    }

    /// The same, with all orders of the steps at mbarriers.
    pub fn explored_each_order(&self, states: usize) -> (Verification, BTreeSet<FinalMemory>) {
        self.explored_by(states, verify_each_order)
    }

    /// The same with a claim, and what memory it is also asked about to rule out load buffering.
    pub fn explored_with_claim(
        &self,
        states: usize,
        claim: impl Fn(&FinalMemory) -> bool,
    ) -> (Verification, BTreeSet<FinalMemory>, BTreeSet<FinalMemory>) {
        let asked_about = RefCell::new(BTreeSet::new());
        let holds = |memory: &GlobalMemory| {
            let outcome = self.outcome(memory);
            let holds = claim(&outcome);
            asked_about.borrow_mut().insert(outcome);
            holds
        };
        let search =
            |asked: VerifyRequest, bounds| verify_without(VerifyRequest { holds: Some(&holds), ..asked }, bounds, None);
        let (found, outcomes) = self.explored_by(states, search);
        (found, outcomes, asked_about.into_inner())
    }

    fn explored_by(
        &self,
        states: usize,
        search: impl Fn(VerifyRequest, VerificationBounds) -> Result<Verification, LaunchError>,
    ) -> (Verification, BTreeSet<FinalMemory>) {
        let outcomes = RefCell::new(BTreeSet::new());
        let collect = |memory: &GlobalMemory| {
            outcomes.borrow_mut().insert(self.outcome(memory));
            Vec::new()
        };
        let asked = VerifyRequest {
            program: &self.kernel.program,
            launch: &self.launch,
            memory: &self.memory.memory,
            claims: &collect,
            holds: None,
            cancelled: &|| false,
            example: ProvedExample::Hidden,
        };
        let bounds = VerificationBounds { states, wait_rounds: 0 };
        let found = search(asked, bounds).expect("a valid launch");
        (found, outcomes.into_inner())
    }

    /// The memory at all ends that the axioms allow; `None` if the launch is no program of the model, or has too many executions.
    pub fn allowed_by_axioms(&self) -> Option<BTreeSet<FinalMemory>> {
        let before = &self.memory.memory;
        let modelled = ModelledLaunch::new(&self.kernel.program, &self.launch, before)?;
        let observed: Vec<Observable> = (0..modelled.words.len()).map(Observable::Location).collect();
        let found = explore(&modelled.program, &observed, Budget::default());
        let is_known = found.complete && found.not_modelled.is_empty() && modelled.traps.is_empty();
        is_known.then(|| found.all().map(|values| self.outcome(&modelled.memory(before, values))).collect())
    }

    /// What the axioms say about a launch without claims.
    pub fn answer_of_axioms(&self) -> ModelAnswer {
        let asked = VerifyRequest {
            program: &self.kernel.program,
            launch: &self.launch,
            memory: &self.memory.memory,
            claims: &|_| Vec::new(),
            holds: None,
            cancelled: &|| false,
            example: ProvedExample::Hidden,
        };
        ask_model(&asked, ModelEffort::Decision)
    }

    /// An execution for each memory that can be left, as if a claim failed there.
    pub fn refuted(&self) -> Vec<FoundProblem> {
        let claims = |memory: &GlobalMemory| vec![format!("{:?}", self.outcome(memory))];
        let asked = VerifyRequest {
            program: &self.kernel.program,
            launch: &self.launch,
            memory: &self.memory.memory,
            claims: &claims,
            holds: None,
            cancelled: &|| false,
            example: ProvedExample::Hidden,
        };
        let bounds = VerificationBounds { states: 1_000_000, wait_rounds: 0 };
        verify_without(asked, bounds, None).expect("a valid launch").problems
    }

    /// The memory at the end of one schedule.
    pub fn run(&self, seed: u64) -> FinalMemory {
        let launch = Launch { seed, ..self.launch.clone() };
        let memory = self.memory.memory.clone();
        let result = run(&self.kernel.program, &launch, memory, NonZeroUsize::MIN).expect("a valid launch");
        assert!(result.problems.is_empty(), "{}, seed {seed}: {:?}", self.name(), result.problems);
        self.outcome(&result.memory)
    }

    /// What a schedule reports, and the same while something watches it.
    pub fn run_and_watched(&self, seed: u64) -> (RunReport, RunReport) {
        let launch = Launch { seed, ..self.launch.clone() };
        let memory = || self.memory.memory.clone();
        let program = &self.kernel.program;
        let report = |result: RunResult| {
            let codes = || result.problems.iter().map(|one| (one.place, one.kind.code()));
            let is_race = |(_, code): &(CodePlace, &str)| *code == "data-race";
            RunReport {
                memory: self.outcome(&result.memory),
                problems: codes().filter(|one| !is_race(one)).collect(),
                is_racing: codes().any(|one| is_race(&one)) || !result.notes.is_empty(),
                executed: result.executed,
            }
        };
        let alone = run(program, &launch, memory(), NonZeroUsize::MIN).expect("a valid launch");
        let watched = observe(program, &launch, memory(), &mut Watcher).expect("a valid launch");
        (report(alone), report(watched))
    }

    /// What an instruction does.
    pub fn action(&self, place: CodePlace) -> &MachineAction {
        &self.kernel.program.functions[place.function as usize].code[place.instruction as usize].action
    }

    /// The name of the kernel.
    pub fn name(&self) -> &str {
        &self.kernel.program.functions[self.kernel.index].name
    }
}
