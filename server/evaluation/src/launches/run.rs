//! Runs the launches in comments.

use crate::launches::blocks::{LaunchPurpose, WrittenLaunch, written_launches};
use crate::launches::cache::{LAUNCH_CACHE, LaunchCache, LaunchKey};
use crate::launches::check::{CheckLimits, check, check_within};
use crate::launches::prepare::{
    MAX_ALLOCATIONS, PreparedLaunch, prepare_launch, too_long, too_many_allocations, unsupported,
};
use crate::launches::report::{LaunchProblem, LaunchReport};
use crate::launches::statement::{LaunchLineError, WrittenClaimContent};
use isa::Module;
use kernel::KernelModule;
use kernel::arguments::argument_values::values;
use kernel::claims::claim::MemoryClaim;
use kernel::stream::{StreamKernel, last_reader_of_maps};
use litmus::is_marked;
use machine::{GlobalMemory, LaunchError, UnsupportedAt};
use program::{Problem, ProblemKind};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use syntax::LintFile;

/// The most problems of a launch that are reported.
const MAX_PROBLEMS: usize = 20;

/// The most elements of a buffer in a summary.
const SHOWN_ELEMENTS: usize = 16;

/// What the launches in the comments of a module find, in source order. The module must have no error.
pub fn launch_reports(file: &LintFile, module: Module, cache: &LaunchCache) -> Vec<LaunchReport> {
    if !is_marked(file, 0..file.text().len_bytes()) {
        return Vec::new();
    }
    let text = file.text().to_string();
    let (launches, errors) = written_launches(&text);
    let mut all: Vec<LaunchReport> = errors.into_iter().map(LaunchReport::Unreadable).collect();
    if launches.is_empty() {
        return all;
    }
    let mut module = KernelModule::of_many(file, module);
    let mut allocations = 0;
    for written in &launches {
        if allocations > MAX_ALLOCATIONS {
            all.push(LaunchReport::Unreadable(too_many_allocations(written.range.clone())));
            continue;
        }
        match prepare_launch(&mut module, &text, written) {
            Err(error) => all.push(LaunchReport::Unreadable(error)),
            Ok(prepared) => {
                allocations += prepared.last().memory.memory.allocations().len();
                match written.purpose {
                    LaunchPurpose::Run => run(&text, written, &prepared, cache, &mut all),
                    LaunchPurpose::Check => check(&text, written, &prepared, cache, &mut all),
                }
            }
        }
    }
    all
}

/// What the check of one launch without claims finds.
pub fn check_reports(
    file: &LintFile,
    module: Module,
    written: &WrittenLaunch,
    limits: &CheckLimits,
) -> Vec<LaunchReport> {
    match prepare_launch(&mut KernelModule::of(file, module), "", written) {
        Err(error) => vec![LaunchReport::Unreadable(error)],
        Ok(prepared) => check_within(written, &prepared, limits),
    }
}

fn run(
    text: &str,
    written: &WrittenLaunch,
    prepared: &PreparedLaunch,
    cache: &LaunchCache,
    all: &mut Vec<LaunchReport>,
) {
    let result = execute(prepared, cache);
    let ran = match finished(&result, written, prepared) {
        Ok(ran) => ran,
        Err(error) => return all.push(LaunchReport::Unreadable(error)),
    };
    let is_limit = |(_, problem): &(usize, Problem)| matches!(problem.kind, ProblemKind::InstructionLimit { .. });
    if ran.problems.iter().any(is_limit) {
        return all.push(LaunchReport::Unreadable(too_long(written.range.clone())));
    }
    let kernels = prepared.stream();
    let problem = |(number, problem): &(usize, Problem)| {
        LaunchReport::Problem(LaunchProblem::of(problem, kernels[*number], &written.range))
    };
    all.extend(ran.problems.iter().take(MAX_PROBLEMS).map(problem));
    for (written, claim) in written.claims.iter().zip(&prepared.claims) {
        let Some(message) = claim.failure(&ran.memory) else { continue };
        let observed = match (&written.content, claim) {
            (WrittenClaimContent::Values { values, .. }, MemoryClaim::Values(expected)) => {
                let found: Vec<String> = expected.found(&ran.memory).iter().map(ToString::to_string).collect();
                let is_whole = found.len() == text[values.clone()].split(',').count();
                is_whole.then(|| (values.clone(), found.join(", ")))
            }
            _ => None,
        };
        let problem = LaunchProblem { range: written.range.clone(), message, related: Vec::new() };
        all.push(LaunchReport::Mismatch { problem, observed });
    }
}

/// What the kernels of a launch have led to.
struct RanLaunch {
    /// Memory after the last one.
    memory: GlobalMemory,
    /// The problems, each with the number of its kernel.
    problems: Vec<(usize, Problem)>,
    /// The instructions of all, counted per thread.
    executed: u64,
    /// The instruction that the machine cannot execute, if there is one, with the number of its kernel.
    unsupported: Option<(usize, UnsupportedAt)>,
}

/// Runs a launch to its end, or up to the bound.
fn execute(prepared: &PreparedLaunch, cache: &LaunchCache) -> Arc<Result<RanLaunch, LaunchError>> {
    let kernels = prepared.stream();
    cache.result(LaunchKey::of(&kernels, "run"), || run_stream(&kernels))
}

fn run_stream(kernels: &[StreamKernel]) -> Result<RanLaunch, LaunchError> {
    let memory = kernels.first().map(|one| one.memory.memory.clone()).unwrap_or_default();
    let mut ran = RanLaunch { memory, problems: Vec::new(), executed: 0, unsupported: None };
    let (mut overlapped, last_reader) = (Vec::new(), last_reader_of_maps(kernels));
    for (number, one) in kernels.iter().enumerate() {
        if number > 0 {
            StreamKernel::begin_after(&mut ran.memory, std::mem::take(&mut overlapped));
        }
        let kept = (last_reader > Some(number)).then(|| ran.memory.clone());
        let before = std::mem::take(&mut ran.memory);
        let next = kernels.get(number + 1);
        let launch = one.launch_before(next);
        let (result, remains) = machine::run_and_keep(&one.kernel.program, &launch, before, NonZeroUsize::MIN)?;
        if let Some(next) = next {
            overlapped = next.overlapped(result.memory.overlapped(), || remains.usage());
        }
        ran.executed += result.executed;
        ran.problems.extend(result.problems.into_iter().map(|problem| (number, problem)));
        ran.memory = result.memory;
        kept.iter().for_each(|before| ran.memory.note_changed_maps(before));
        if let Some(at) = result.unsupported {
            ran.unsupported = Some((number, at));
            break;
        }
    }
    Ok(ran)
}

/// The result of a run that the machine could execute.
fn finished<'r>(
    result: &'r Result<RanLaunch, LaunchError>,
    written: &WrittenLaunch,
    prepared: &PreparedLaunch,
) -> Result<&'r RanLaunch, LaunchLineError> {
    let result = result.as_ref().map_err(|error| {
        LaunchLineError::new(written.range.clone(), error.to_string(), "change the sizes of the launch")
    })?;
    match &result.unsupported {
        Some((number, at)) => Err(unsupported(prepared.stream()[*number].kernel, at)),
        None => Ok(result),
    }
}

/// What the launch whose comments contain an offset computes, as Markdown; `None` if there is none that runs.
pub fn launch_summary(file: &LintFile, module: Module, offset: usize) -> Option<(Range<usize>, String)> {
    if !is_marked(file, 0..file.text().len_bytes()) {
        return None;
    }
    let text = file.text().to_string();
    let contains = |range: &Range<usize>| range.start <= offset && offset <= range.end;
    let (launches, _) = written_launches(&text);
    let is_here = |one: &&WrittenLaunch| contains(&one.range) || one.claims.iter().any(|claim| contains(&claim.range));
    let written = launches.iter().find(is_here).filter(|one| one.purpose == LaunchPurpose::Run)?;
    let prepared = prepare_launch(&mut KernelModule::of(file, module), &text, written).ok()?;
    let result = execute(&prepared, &LAUNCH_CACHE);
    let result = finished(&result, written, &prepared).ok()?;
    let problems = match result.problems.len() {
        0 => "no problem".to_owned(),
        1 => "1 problem".to_owned(),
        count => format!("{count} problems"),
    };
    let mut summary = format!("**{}**: {problems}, {} instructions\n", written.launch.kernel, result.executed);
    for buffer in prepared.last().memory.results(&result.memory) {
        let length = buffer.bytes.len() / buffer.shape.bytes() as usize;
        let shown: Vec<String> =
            values(buffer.bytes, buffer.shape).take(SHOWN_ELEMENTS).map(|value| value.to_string()).collect();
        let more = if length > SHOWN_ELEMENTS { " …" } else { "" };
        let ty = buffer.shape.element().name();
        let _ = write!(summary, "\n- `{}`: `{ty}[{length}]` = {}{more}", buffer.name, shown.join(" "));
    }
    Some((written.range.clone(), summary))
}
