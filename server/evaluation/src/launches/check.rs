//! Checks every execution of the launches in comments.

use super::blocks::WrittenLaunch;
use super::cache::{LaunchCache, LaunchKey};
use super::prepare::{PreparedLaunch, unsupported};
use super::report::{LaunchProblem, LaunchRelated, LaunchReport, thread_name};
use super::statement::LaunchLineError;
use crate::kernel::step_access::{StepAccess, described};
use emulator::machine::{
    FoundProblem, GlobalMemory, LaunchError, ProvedExample, Unfinished, Verification, VerificationBounds,
    VerifiedLaunch, verify,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// The most states of a search.
const MAX_STATES: usize = 4_000;

/// The bounds of a check.
pub struct CheckLimits<'c> {
    /// The most states.
    pub states: usize,
    /// Whether it is to end.
    pub cancelled: &'c dyn Fn() -> bool,
}

/// The bounds of checks in comments.
const COMMENT_LIMITS: CheckLimits = CheckLimits { states: MAX_STATES, cancelled: &|| false };

/// The most steps of an execution that are related places.
const MAX_STEPS: usize = 12;

/// What a search has found.
pub(super) struct CheckedLaunch {
    pub(super) found: Result<Verification, LaunchError>,
    /// The claims that failed, by their messages.
    failed: HashMap<String, usize>,
}

fn explore(prepared: &PreparedLaunch, limits: &CheckLimits, example: ProvedExample) -> CheckedLaunch {
    let failed = RefCell::new(HashMap::new());
    let claims = |memory: &GlobalMemory| {
        let failures = prepared.claims.iter().enumerate();
        let failures: Vec<_> = failures.filter_map(|(at, one)| Some((one.failure(memory)?, at))).collect();
        failed.borrow_mut().extend(failures.iter().cloned());
        failures.into_iter().map(|(message, _)| message).collect()
    };
    let kernel = &prepared.kernel;
    let bounds = VerificationBounds { states: limits.states, wait_rounds: 0 };
    let asked = VerifiedLaunch {
        program: &kernel.kernel.program,
        launch: &kernel.launch,
        memory: &kernel.memory.memory,
        claims: &claims,
        cancelled: limits.cancelled,
        example,
    };
    let found = verify(asked, bounds);
    CheckedLaunch { found, failed: failed.into_inner() }
}

/// Adds what a search finds.
pub fn check(
    text: &str,
    written: &WrittenLaunch,
    prepared: &PreparedLaunch,
    cache: &LaunchCache,
    all: &mut Vec<LaunchReport>,
) {
    let checked = explored(text, written, prepared, cache);
    all.extend(reports(&checked, written, prepared, &COMMENT_LIMITS));
}

/// What a search finds, which may be known.
pub(super) fn explored(
    text: &str,
    written: &WrittenLaunch,
    prepared: &PreparedLaunch,
    cache: &LaunchCache,
) -> Arc<CheckedLaunch> {
    let claims: Vec<&str> = written.claims.iter().map(|one| &text[one.range.clone()]).collect();
    let key = LaunchKey::of(&prepared.kernel, &format!("check {}", claims.join("\n")));
    cache.result(key, || explore(prepared, &COMMENT_LIMITS, ProvedExample::Shown))
}

/// What the check of a launch without claims finds.
pub fn check_within(written: &WrittenLaunch, prepared: &PreparedLaunch, limits: &CheckLimits) -> Vec<LaunchReport> {
    reports(&explore(prepared, limits, ProvedExample::Hidden), written, prepared, limits)
}

fn reports(
    CheckedLaunch { found, failed }: &CheckedLaunch,
    written: &WrittenLaunch,
    prepared: &PreparedLaunch,
    limits: &CheckLimits,
) -> Vec<LaunchReport> {
    let mut all = Vec::new();
    if let Ok(Verification { notes, .. }) = found {
        let unordered = |found: &FoundProblem| LaunchReport::Unordered(refuted(found, None, written, prepared));
        all.extend(notes.iter().map(unordered));
    }
    let undecided = |message: &str, help: &str| {
        LaunchReport::Undecided(LaunchLineError::new(written.range.clone(), message.to_owned(), help))
    };
    match found {
        Err(error) => {
            let help = "change the sizes of the launch";
            all.push(LaunchReport::Unreadable(LaunchLineError::new(written.range.clone(), error.to_string(), help)));
        }
        Ok(Verification { unsupported: Some(at), .. }) => {
            all.push(LaunchReport::Unreadable(unsupported(prepared, at)));
        }
        Ok(Verification { unknown_result: Some(at), problems, .. })
            if problems.is_empty() && !prepared.claims.is_empty() =>
        {
            all.push(LaunchReport::Unreadable(unsupported(prepared, at)));
        }
        Ok(Verification { problems, .. }) if !problems.is_empty() => {
            let claim = |found: &FoundProblem| found.claim.as_ref().and_then(|claim| failed.get(claim)).copied();
            let refuted = |found: &FoundProblem| refuted(found, claim(found), written, prepared);
            all.extend(problems.iter().map(|found| LaunchReport::Refuted(refuted(found))));
        }
        Ok(Verification { unfinished: None, .. }) => {}
        Ok(Verification { unfinished: Some(Unfinished::Instructions), .. }) => {
            all.push(undecided(
                "an execution has too many instructions",
                "use a smaller launch, or `ptx-atomics check`",
            ));
        }
        Ok(Verification { unfinished: Some(Unfinished::Waits), .. }) => {
            all.push(undecided("loops that wait and count may not end", "use `ptx-atomics check --wait-rounds`"));
        }
        Ok(Verification { unfinished: Some(Unfinished::Allocations), .. }) => {
            all.push(undecided(
                "nothing orders what several warps do to the allocations of tensor memory",
                "synchronize the warps",
            ));
        }
        Ok(Verification { unfinished: Some(Unfinished::Writes), .. }) => {
            all.push(undecided(
                "threads write values again and again that others may read",
                "bound the loops that write, or use `ptx-atomics check`",
            ));
        }
        Ok(Verification { unfinished: Some(Unfinished::LoadBuffering), .. }) => {
            all.push(undecided(
                "threads may read what others write after their own reads (load buffering), which is not explored",
                "order these reads before the writes after them, by acquire and release",
            ));
        }
        Ok(_) => {
            let message = format!("launch has more than {} states", limits.states);
            all.push(undecided(&message, "use fewer threads, or `ptx-atomics check`"));
        }
    }
    all
}

/// An execution with a problem, or that fails a claim with a number, with its steps.
fn refuted(
    found: &FoundProblem,
    claim: Option<usize>,
    written: &WrittenLaunch,
    prepared: &PreparedLaunch,
) -> LaunchProblem {
    let kernel = &prepared.kernel.kernel;
    let mut problem = match &found.problem {
        Some(problem) => LaunchProblem::of(problem, kernel, &written.range),
        None => {
            let place = claim.and_then(|number| written.claims.get(number)).map_or(&written.range, |one| &one.range);
            let message = format!("after an execution, {}", found.claim.as_deref().unwrap_or_default());
            LaunchProblem { range: place.clone(), message, related: vec![LaunchRelated::launch(written.range.clone())] }
        }
    };
    let steps = found.steps.iter().rev().take(MAX_STEPS).rev().enumerate();
    problem.related.extend(steps.map(|(number, step)| {
        let thread = thread_name(step.thread);
        let accesses = StepAccess::of(&step.effect, kernel, &prepared.kernel.memory);
        let effect = if accesses.is_empty() { String::new() } else { format!(" {}", described(&accesses)) };
        let message = format!("step {}: {thread}{effect}", number + 1);
        LaunchRelated { range: kernel.range(step.place), message, thread: Some(thread) }
    }));
    problem
}
