//! Checks every execution of the launches in comments.

use crate::launches::blocks::WrittenLaunch;
use crate::launches::cache::{LaunchCache, LaunchKey};
use crate::launches::prepare::{PreparedLaunch, unsupported};
use crate::launches::report::{LaunchProblem, LaunchRelated, LaunchReport, thread_name};
use crate::launches::statement::LaunchLineError;
use explorer::{FoundProblem, Omission, ProvedExample, VerificationBounds};
use kernel::reports::omission_text::{OmissionBounds, OmissionText};
use kernel::reports::step_access::{StepAccess, described};
use kernel::stream::{StreamFailure, StreamKernel, StreamPlace, StreamQuestion, StreamVerification, verify_stream};
use machine::GlobalMemory;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The most states of a search for a comment.
const MAX_STATES: usize = 4_000;

/// The most states of such a search, times the threads of the launch: each state has all of them.
const MAX_THREAD_STATES: u64 = 64_000;

/// The bounds of a check.
pub struct CheckLimits<'c> {
    /// The most states.
    pub states: usize,
    /// Whether it is to end.
    pub cancelled: &'c dyn Fn() -> bool,
}

impl CheckLimits<'_> {
    /// The bounds of a check in a comment.
    fn of_comment(prepared: &PreparedLaunch) -> Self {
        let threads = |one: &StreamKernel| one.launch.grid.count().saturating_mul(one.launch.block.count());
        let threads = prepared.stream().iter().map(threads).max().unwrap_or_default();
        let states = MAX_STATES.min((MAX_THREAD_STATES / threads.max(1)) as usize);
        Self { states, cancelled: &|| false }
    }
}

/// The most steps of an execution that are related places.
const MAX_STEPS: usize = 12;

/// What a search has found.
pub(super) struct CheckedLaunch {
    pub(super) found: Result<StreamVerification, StreamFailure>,
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
    let bounds = VerificationBounds { states: limits.states, wait_rounds: 0 };
    let question = StreamQuestion { bounds, claims: &claims, is_late: limits.cancelled, example };
    let found = verify_stream(&prepared.stream(), &question);
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
    all.extend(reports(&checked, written, prepared, &CheckLimits::of_comment(prepared)));
}

/// What a search finds, which may be known.
pub(super) fn explored(
    text: &str,
    written: &WrittenLaunch,
    prepared: &PreparedLaunch,
    cache: &LaunchCache,
) -> Arc<CheckedLaunch> {
    let claims: Vec<&str> = written.claims.iter().map(|one| &text[one.range.clone()]).collect();
    let key = LaunchKey::of(&prepared.stream(), &format!("check {}", claims.join("\n")));
    cache.result(key, || explore(prepared, &CheckLimits::of_comment(prepared), ProvedExample::Shown))
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
    let unreadable =
        |number: usize, at| vec![LaunchReport::Unreadable(unsupported(prepared.stream()[number].kernel, at))];
    let found = match found {
        Err(StreamFailure::Launch(error)) => {
            let help = "change the sizes of the launch";
            return vec![LaunchReport::Unreadable(LaunchLineError::new(
                written.range.clone(),
                error.to_string(),
                help,
            ))];
        }
        Err(StreamFailure::Unsupported(number, at)) => return unreadable(*number, at),
        Ok(found) => found,
    };
    let mut all = Vec::new();
    all.extend(found.notes.iter().map(|note| LaunchReport::Unordered(refuted(note, None, written, prepared))));
    all.extend(unfair(found, written, prepared).map(LaunchReport::Unfair));
    if let Some(at) = found.total.unknown_result.as_ref()
        && found.problems.is_empty()
        && !prepared.claims.is_empty()
    {
        all.extend(unreadable(found.last, at));
        return all;
    }
    let claim = |found: &FoundProblem| found.claim.as_ref().and_then(|claim| failed.get(claim)).copied();
    let problems =
        found.problems.iter().map(|one| LaunchReport::Refuted(refuted(one, claim(&one.1), written, prepared)));
    all.extend(problems);
    if !found.problems.is_empty() {
        return all;
    }
    all.extend(found.total.unfinished().and_then(|why| undecided(why, found, written, prepared, limits)));
    all
}

/// The instructions that a finding about an undecided launch names, at most.
const MOST_UNDECIDED_PLACES: usize = 16;

/// Why not all executions were explored, with the instructions that the reason is about.
fn undecided(
    why: Omission,
    found: &StreamVerification,
    written: &WrittenLaunch,
    prepared: &PreparedLaunch,
    limits: &CheckLimits,
) -> Option<LaunchReport> {
    // What a proof says that it leaves out is no finding.
    if !why.leaves_open() {
        return None;
    }
    let kernels = prepared.stream();
    let instructions = kernels.first().map_or(0, |one| one.launch.max_instructions);
    let bounds = OmissionBounds {
        states: format!("{} states", limits.states),
        instructions: format!("{instructions} instructions"),
    };
    let text = OmissionText::of(why, &bounds);
    let help = text.advice(|option| format!("use `ptx-atomics check {option}`"));
    let (message, word) = (text.why, text.place.label());
    let related = found.undecided.iter().take(MOST_UNDECIDED_PLACES).map(|(number, place)| LaunchRelated {
        range: kernels[*number].kernel.range(*place),
        message: word.to_owned(),
        thread: None,
    });
    Some(LaunchReport::Undecided {
        error: LaunchLineError::new(written.range.clone(), message, help),
        related: related.collect(),
    })
}

/// What a schedule can repeat forever although it lets each thread go on, if other schedules end it.
fn unfair(found: &StreamVerification, written: &WrittenLaunch, prepared: &PreparedLaunch) -> Option<LaunchProblem> {
    let kernels = prepared.stream();
    let range = |(number, place): &StreamPlace| kernels[*number].kernel.range(*place);
    let problem = |places: &BTreeSet<StreamPlace>, message: &str| {
        let first = range(places.first()?);
        let mut related = vec![LaunchRelated::launch(written.range.clone())];
        let others = places.iter().skip(1).map(range);
        related.extend(others.map(|range| LaunchRelated { range, message: "and here".to_owned(), thread: None }));
        Some(LaunchProblem { range: first, message: format!("termination is not guaranteed: {message}"), related })
    };
    let gives_way = "under a schedule in which they go on in turn, threads give way to each other forever";
    let starves =
        "under a schedule that lets it look at the wrong moments, a thread waits here forever while others go on";
    problem(&found.gives_way, gives_way).or_else(|| problem(&found.starves, starves))
}

/// An execution with a problem, or that fails a claim with a number, with its steps.
fn refuted(
    (number, found): &(usize, FoundProblem),
    claim: Option<usize>,
    written: &WrittenLaunch,
    prepared: &PreparedLaunch,
) -> LaunchProblem {
    let of = prepared.stream().swap_remove(*number);
    let StreamKernel { kernel, memory, launch } = of;
    let mut problem = match &found.problem {
        Some(problem) => LaunchProblem::of(problem, of, &written.range),
        None => {
            let place = claim.and_then(|number| written.claims.get(number)).map_or(&written.range, |one| &one.range);
            let message = format!("after an execution, {}", found.claim.as_deref().unwrap_or_default());
            LaunchProblem { range: place.clone(), message, related: vec![LaunchRelated::launch(written.range.clone())] }
        }
    };
    let steps = found.steps.iter().rev().take(MAX_STEPS).rev().enumerate();
    problem.related.extend(steps.map(|(number, step)| {
        let thread = thread_name(step.thread, launch.grid);
        let accesses = StepAccess::of(&step.effect, kernel, memory);
        let effect = if accesses.is_empty() { String::new() } else { format!(" {}", described(&accesses)) };
        let message = format!("step {}: {thread}{effect}", number + 1);
        LaunchRelated { range: kernel.range(step.place), message, thread: Some(thread) }
    }));
    problem
}
