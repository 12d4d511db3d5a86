//! The executions that a check in a comment shows: those with a problem, or one without.

use crate::launches::blocks::{LaunchPurpose, WrittenLaunch, written_launches};
use crate::launches::cache::LAUNCH_CACHE;
use crate::launches::check::explored;
use crate::launches::prepare::prepare_launch;
use explorer::FoundProblem;
use isa::Module;
use kernel::KernelModule;
use kernel::execution::{ExecutionSource, KernelExecution};
use kernel::graph::PictureFormat;
use kernel::stream::{StreamKernel, StreamVerification};
use litmus::{ExecutionVerdict, Executions, ShownExecution, is_marked};
use syntax::LintFile;

/// The executions of the check whose comments contain an offset.
pub fn check_executions(file: &LintFile, module: Module, offset: usize) -> Option<Executions> {
    if !is_marked(file, 0..file.text().len_bytes()) {
        return None;
    }
    let text = file.text().to_string();
    let (launches, _) = written_launches(&text);
    let end =
        |one: &WrittenLaunch| one.claims.iter().map(|claim| claim.range.end).max().unwrap_or(0).max(one.arguments_end);
    let is_here = |one: &&WrittenLaunch| one.range.start <= offset && offset <= end(one).max(one.range.end);
    let written = launches.iter().find(is_here).filter(|one| one.purpose == LaunchPurpose::Check)?;
    let prepared = prepare_launch(&mut KernelModule::of(file, module), &text, written).ok()?;
    let checked = explored(&text, written, &prepared, &LAUNCH_CACHE);
    let found = checked.found.as_ref().ok()?;
    let kernels = prepared.stream();
    let source = |number: usize| {
        let StreamKernel { kernel, memory, launch } = kernels[number];
        ExecutionSource { file, kernel, memory, grid: launch.grid }
    };
    let name = &written.launch.kernel;
    let shown = |outcome: String, verdict: ExecutionVerdict, execution: KernelExecution| ShownExecution {
        outcome,
        claimed: false,
        verdict,
        svg: execution.graph(name).picture(PictureFormat::Svg),
        text: execution.text(),
    };
    let of_problem = |(number, found): &(usize, FoundProblem)| {
        let message = found.problem.as_ref().map(|problem| kernels[*number].kernel.problem_message(problem));
        let message = message.or_else(|| found.claim.clone()).unwrap_or_default();
        shown(message, ExecutionVerdict::Problem, KernelExecution::of_problem(found, source(*number)))
    };
    let mut all: Vec<ShownExecution> = found.problems.iter().map(of_problem).collect();
    if all.is_empty() {
        let example = KernelExecution::of(&found.total.example, None, source(found.last));
        all.push(shown("no problem".to_owned(), ExecutionVerdict::Allowed, example));
    }
    let range = written.range.start..end(written).max(written.range.end);
    Some(Executions { name: name.clone(), summary: summary(found), range, decisive: 0, shown: all })
}

/// What a search says, in one line.
fn summary(found: &StreamVerification) -> String {
    match (found.problems.len(), found.total.unfinished()) {
        (0, None) if !found.gives_way.is_empty() || !found.starves.is_empty() => {
            "proved: no execution has a problem; termination is not guaranteed".to_owned()
        }
        (0, None) => "proved: no execution has a problem".to_owned(),
        (0, Some(_)) => "unknown: not all executions were explored".to_owned(),
        (1, _) => "refuted: 1 problem".to_owned(),
        (count, _) => format!("refuted: {count} problems"),
    }
}
