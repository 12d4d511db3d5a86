//! Kernels of a module: `run` and `check`, bounded by steps.

use super::text;
use diagnostics::{Context, Settings, Severity, Snapshot};
use explorer::{VerificationBounds, VerifyRequest};
use kernel::arguments::launch::{KernelLaunch, LaunchFailure, LaunchableKernel, prepare};
use kernel::reports::step_access::StepAccess;
use kernel::{Kernel, KernelModule};
use lints::Checker;
use machine::LaunchError;
use program::Dimensions;
use std::num::NonZeroUsize;
use syntax::LintFile;

/// The most instructions of a run, counted per thread.
const INSTRUCTIONS: u64 = 5_000;

/// The most states of a search.
const STATES: usize = 60;

/// How many kernels and arguments of an input are looked at.
const FEW: usize = 3;

/// A module without errors, whose first byte chose the sizes of launches.
pub struct Launched {
    pub file: LintFile,
    pub kernels: Vec<LaunchableKernel>,
}

/// Reads a module, and launches the first kernels of it with the arguments that the messages ask for. `None` if it has errors.
pub fn launched(choice: u8, text: &str) -> Option<Launched> {
    let snapshot = Snapshot::new(LintFile::parse(text), Settings::default());
    let found = Checker::once().check(&snapshot, &|| false).unwrap_or_default();
    if found.iter().any(|one| one.severity == Severity::Error) {
        return None;
    }
    let module = Context::new(&snapshot).module;
    let names = Kernel::names(&snapshot.file);
    let kernels = names.into_iter().take(FEW).filter_map(|name| launch(&snapshot.file, module, name, choice)).collect();
    Some(Launched { file: snapshot.file, kernels })
}

fn launch(file: &LintFile, module: isa::Module, kernel: String, choice: u8) -> Option<LaunchableKernel> {
    let size = |bits: u8, sizes: [u32; 4]| sizes[usize::from(bits & 3)];
    let mut wanted = KernelLaunch {
        kernel,
        grid: Dimensions([size(choice, [1, 2, 1, 2]), 1, 1]),
        block: (choice & 0x80 == 0).then(|| Dimensions([size(choice >> 2, [2, 1, 33, 4]), 1, 1])),
        shared: size(choice >> 4, [0, 64, 1024, 3]),
        seed: u64::from(choice),
        ..KernelLaunch::default()
    };
    // A message asks for all arguments that are missing; an argument may not fit.
    for _ in 0..2 {
        match prepare(&mut KernelModule::of(file, module), &wanted, INSTRUCTIONS, &mut |path, _| {
            Err(format!("no file {path}"))
        }) {
            Ok(launchable) => return Some(launchable),
            Err(LaunchFailure::Arguments(error) | LaunchFailure::BesideArguments(error)) => {
                assert!(!error.message.is_empty());
                let asked_again = error.missing.iter().any(|one| wanted.arguments.contains(one));
                assert!(!asked_again, "{:?} are asked for again: {}", error.missing, error.message);
                wanted.arguments.extend(error.missing);
            }
            Err(LaunchFailure::Sizes(message)) => {
                assert!(!message.is_empty());
                return None;
            }
            Err(LaunchFailure::Kernel(error)) => {
                assert!(!error.message.is_empty() && error.range.end <= file.text().len_bytes(), "{error:?}");
                return None;
            }
        }
    }
    None
}

fn said(error: &LaunchError) {
    assert!(!error.to_string().is_empty());
}

/// The first byte chooses the launch; the rest is a module. Each kernel runs twice, with the same result.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let Some(Launched { file, kernels }) = launched(*choice, &text(bytes)) else { return };
    for LaunchableKernel { kernel, memory, launch } in &kernels {
        let go = || machine::run(&kernel.program, launch, memory.memory.clone(), NonZeroUsize::MIN);
        let (first, again) = match (go(), go()) {
            (Ok(first), Ok(again)) => (first, again),
            (Err(error), _) | (_, Err(error)) => return said(&error),
        };
        assert_eq!(first.problems, again.problems, "a run repeats");
        assert_eq!(first.executed, again.executed, "a run repeats");
        for problem in &first.problems {
            assert!(kernel.range(problem.place).end <= file.text().len_bytes());
            assert!(!kernel.problem_message(problem).is_empty());
        }
        let whole = |bytes: &[u8], size: u64| (bytes.len() as u64).is_multiple_of(size);
        let results = memory.results(&first.memory);
        assert!(
            results.iter().all(|one| whole(one.bytes, u64::from(one.shape.bytes()))),
            "buffers have whole elements"
        );
    }
}

/// The first byte chooses the launch; the rest is a module. Executions of each kernel are explored.
pub fn check(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    // Few threads: the number of states grows with the executions.
    let Some(Launched { file, kernels }) = launched(*choice & 0x75, &text(bytes)) else { return };
    for LaunchableKernel { kernel, memory, launch } in &kernels {
        let bounds = VerificationBounds { states: STATES, wait_rounds: u32::from(*choice >> 7) };
        let asked = VerifyRequest {
            program: &kernel.program,
            launch,
            memory: &memory.memory,
            claims: &|_| Vec::new(),
            holds: Some(&|_| true),
            cancelled: &|| false,
            example: explorer::ProvedExample::Shown,
        };
        let found = explorer::verify(asked, bounds);
        let found = match found {
            Ok(found) => found,
            Err(error) => return said(&error),
        };
        for problem in found.problems.iter().chain(&found.notes) {
            for step in &problem.steps {
                assert!(kernel.range(step.place).end <= file.text().len_bytes());
                let _ = StepAccess::of(&step.effect, kernel, memory).len();
            }
        }
    }
}
