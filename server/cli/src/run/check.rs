//! `check`: explores every execution of a launch that the memory model allows.

use super::at_source;
use super::check_report::{CheckReport, EventSelection};
use super::execution::{self, PictureFile};
use super::orders::{self, OrderSearch};
use super::question::KernelVerdict;
use super::several::{self, LaunchResult, LaunchRow, SeveralOptions};
use super::source::{GridPart, KernelSource, ModuleSource};
use super::{CHECK_INSTRUCTIONS, PreparedKernel, RunArguments, RunOutput, any_size, assumed, repair, unsupported};
use crate::exit::{Exit, fail};
use crate::output::{EscapeStyle, print_as};
use clap::Args;
use evaluation::launches::LaunchPurpose;
use explorer::{FoundProblem, ProvedExample, VerificationBounds};
use kernel::claims::claim::failures;
use kernel::stream::StreamQuestion;
use machine::GlobalMemory;
use program::{Problem, ProblemKind};
use std::path::PathBuf;
use std::time::Instant;

/// The help of `--max-instructions`, whose default is not that of `run`.
const MAX_INSTRUCTIONS_HELP: &str =
    "Stop an execution after this number of instructions, counted per thread [default: 100000000]";

/// Arguments of `check`.
#[derive(Args)]
#[command(after_help = "\
A kernel is proved if no execution of this launch has a problem, and every one ends. Small launches show most mistakes: --grid 2 --block 2.

Examples:
  ptx-atomics check lock.ptx --grid 2 --block 2 --arg 'lock=u32[1]' --arg 'count=u32[1]' --expect count=4
  ptx-atomics check lock.ptx --grid 2 --block 1 --arg 'lock=u32[1]' --arg 'count=u32[1]' --repair

Exit codes: 0 proved, 1 refuted, 3 unknown, 2 the kernel could not be run.")]
#[command(mut_arg("saved", |option| option.hide(true)), mut_arg("traced", |option| option.hide(true)))]
#[command(mut_arg("max_instructions", |option| option.help(MAX_INSTRUCTIONS_HELP)))]
pub struct CheckArguments {
    #[command(flatten)]
    run: RunArguments,
    /// Stop after this number of states
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_states: usize,
    /// Search for the weakest change of orders, scopes or fences with which the kernel is proved
    #[arg(long)]
    repair: bool,
    /// Of a proved kernel, show which orders, fences and barriers this launch needs, and which could be weaker
    #[arg(long)]
    redundant: bool,
    /// Follow each loop that waits and counts for N rounds more while other threads can go on
    #[arg(long, value_name = "N", default_value_t = 0)]
    wait_rounds: u32,
    /// Show all events of an execution with a problem, not only those that matter for it
    #[arg(long)]
    all_events: bool,
    /// Draw the execution with the first problem, or one of a kernel without a problem
    #[arg(long, value_name = "FILE.svg|FILE.dot")]
    picture: Option<PathBuf>,
    /// Stop after this time; results may then differ from run to run
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Prove that no launch of the kernel, or of each kernel of the module, has a data race
    #[arg(long)]
    any_size: bool,
    /// Write each launch that is proved into the file, as a comment that `check` and CI read
    #[arg(long)]
    write_comment: bool,
}

/// Checks the kernel.
pub fn check(arguments: &CheckArguments) -> Exit {
    check_kernel(arguments).unwrap_or_else(fail)
}

fn check_kernel(arguments: &CheckArguments) -> Result<Exit, String> {
    if !arguments.run.saved.is_empty() || !arguments.run.traced.is_empty() {
        return Err("`--save` and `--trace` show one execution: use `ptx-atomics run`".to_owned());
    }
    if arguments.any_size {
        return any_size::check(&arguments.run, &arguments.run.launch_conditions()?);
    }
    let module = arguments.run.module(GridPart::Few)?;
    let rows = several::rows(&arguments.run, &module, LaunchPurpose::Check)?;
    if !rows.is_empty() {
        return check_several(arguments, &module, &rows);
    }
    let smaller =
        ModuleSource { source: KernelSource { grid: GridPart::One, ..module.source.clone() }, ..module.clone() };
    let prepared = arguments.run.prepare_checked(module, CHECK_INSTRUCTIONS)?;
    // One block often shows in a moment what two show later.
    if prepared.source_launch.is_some() && !arguments.run.has_claims() {
        let smaller = arguments.run.prepare_accepted(&smaller, CHECK_INSTRUCTIONS).ok();
        let other = smaller.filter(|smaller| smaller.wanted != prepared.wanted);
        let refuted = other.map(|smaller| check_launch(arguments, &smaller, &[Exit::Errors]));
        if let Some(Ok(Some(exit))) = refuted {
            return Ok(exit);
        }
    }
    let exit =
        check_launch(arguments, &prepared, &[Exit::Clean, Exit::Errors, Exit::Undecided])?.unwrap_or(Exit::Clean);
    if arguments.write_comment && exit == Exit::Clean {
        several::write_comments(&arguments.run.launch.file, &[several::comment(&arguments.run, &prepared)?])?;
    }
    Ok(exit)
}

/// Checks a launch, and prints the report if the exit code is one of these.
fn check_launch(arguments: &CheckArguments, prepared: &PreparedKernel, shown: &[Exit]) -> Result<Option<Exit>, String> {
    let (exit, output) = with_report(arguments, &arguments.run, prepared, &|report| {
        let output = || match arguments.run.format {
            RunOutput::Text => report.text(),
            RunOutput::Json => report.json().to_string() + "\n",
        };
        let exit = report.verdict.exit();
        (exit, shown.contains(&exit).then(output))
    })?;
    let Some(output) = output else { return Ok(None) };
    let style = if arguments.run.format == RunOutput::Json { EscapeStyle::Json } else { EscapeStyle::Text };
    print_as(style, &output)?;
    Ok(Some(exit))
}

/// Checks each of several launches.
fn check_several(arguments: &CheckArguments, module: &ModuleSource, rows: &[LaunchRow]) -> Result<Exit, String> {
    if arguments.picture.is_some() {
        return Err("`--picture` draws one execution: check one launch".to_owned());
    }
    let check = |row: &LaunchRow| {
        let prepared = row.arguments.prepare_accepted(module, CHECK_INSTRUCTIONS)?;
        let mut result = with_report(arguments, &row.arguments, &prepared, &|report| LaunchResult {
            exit: report.verdict.exit(),
            verdict: report.verdict.name(),
            reason: report.reason(),
            text: report.text(),
            json: report.json(),
            comment: None,
        })?;
        if arguments.write_comment && result.exit == Exit::Clean && !row.is_comment {
            result.comment = Some(several::comment(&row.arguments, &prepared)?);
        }
        Ok(result)
    };
    let options = SeveralOptions { path: &arguments.run.launch.file, format: arguments.run.format };
    several::evaluate(options, rows, &check)
}

/// Explores the executions of a launch, with the options of a command that may have several, and shows what is known of it.
fn with_report<R>(
    arguments: &CheckArguments,
    run: &RunArguments,
    prepared: &PreparedKernel,
    show: &dyn Fn(&CheckReport) -> R,
) -> Result<R, String> {
    let picture = arguments.picture.as_deref().map(PictureFile::new).transpose()?;
    let last = prepared.last();
    let wanted = run.claims(last.kernel, last.memory)?;
    let claims = |memory: &GlobalMemory| failures(&wanted, memory);
    let bounds = VerificationBounds { states: arguments.max_states, wait_rounds: arguments.wait_rounds };
    let example = if picture.is_some() { ProvedExample::Shown } else { ProvedExample::Hidden };
    let begin = Instant::now();
    let is_late = || arguments.seconds.is_some_and(|seconds| begin.elapsed().as_secs() >= seconds);
    let question = StreamQuestion { bounds, claims: &claims, is_late: &is_late, example };
    let found = prepared.verify(&question)?;
    let depends = found.total.unknown_result.as_ref().filter(|_| !wanted.is_empty() && found.problems.is_empty());
    if let Some(at) = depends {
        return Err(unsupported(&prepared.name, &prepared.snapshot.file, last.kernel, at));
    }
    if let Some(picture) = picture {
        picture.write(&found, prepared)?;
    }
    let verdict = KernelVerdict::new(found.problems.len(), found.total.unfinished());
    let is_proved = verdict == KernelVerdict::Proved;
    let question = StreamQuestion { example: ProvedExample::Hidden, ..question };
    let search = OrderSearch { question: &question, prepared, arguments: run };
    let needs = (arguments.redundant && is_proved).then(|| orders::needs(search));
    let repair = (arguments.repair && !found.problems.is_empty()).then(|| repair::repair(search, &found.problems));
    let race = found.problems.iter().position(is_race);
    let remedy = prepared.source_view().zip(race).and_then(|(view, at)| {
        let race = &found.problems[at];
        Some((at, at_source::remedy(search, &view, race, &execution::of_problem(race, prepared))?))
    });
    let proving = if verdict == KernelVerdict::Refuted { assumed::proving(search) } else { Vec::new() };
    let report = CheckReport {
        prepared,
        found: &found,
        max_states: arguments.max_states,
        verdict,
        needs,
        repair,
        remedy,
        assumed: &run.assumed()?,
        proving,
        has_default_sizes: has_default_sizes(run, prepared),
        events: if arguments.all_events { EventSelection::All } else { EventSelection::Essential },
    };
    Ok(show(&report))
}

fn is_race((_, found): &(usize, FoundProblem)) -> bool {
    matches!(&found.problem, Some(Problem { kind: ProblemKind::DataRace { .. }, .. }))
}

/// Whether neither the user, the kernel nor its source says how many threads there are.
fn has_default_sizes(run: &RunArguments, prepared: &PreparedKernel) -> bool {
    let sizes = &run.launch;
    sizes.grid.is_none()
        && sizes.block.is_none()
        && prepared.kernel.bounds.block.is_none()
        && prepared.source_launch.is_none()
}
