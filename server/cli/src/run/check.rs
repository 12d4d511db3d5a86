//! `check`: explores every execution of a launch that the memory model allows.

use super::report::RunProblem;
use super::{PreparedKernel, RunArguments, RunOutput, expectations, prepare, unsupported};
use crate::exit::{Exit, fail};
use crate::output::{EscapeStyle, SCHEMA, print_as};
use clap::Args;
use emulator::machine::{FoundProblem, GlobalMemory, ThreadId, Unfinished, Verification, VerificationBounds, verify};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::time::Instant;

/// Arguments of `check`.
#[derive(Args)]
#[command(after_help = "\
A kernel is proved if no execution of this launch has a problem, and every one ends. Small launches show most mistakes: --grid 2 --block 2.

Exit codes: 0 proved, 1 refuted, 3 unknown, 2 it could not run.")]
pub struct CheckArguments {
    #[command(flatten)]
    run: RunArguments,
    /// Stop after this number of states
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_states: usize,
    /// Stop after this time; results may then differ from run to run
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
}

/// What is known about all executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KernelVerdict {
    /// None has a problem.
    Proved,
    /// One has a problem.
    Refuted,
    /// Not all were explored.
    Unknown,
}

impl KernelVerdict {
    const fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
        }
    }

    const fn exit(self) -> Exit {
        match self {
            Self::Proved => Exit::Clean,
            Self::Refuted => Exit::Errors,
            Self::Unknown => Exit::Undecided,
        }
    }
}

/// Checks the kernel.
pub fn check(arguments: &CheckArguments) -> Exit {
    check_kernel(arguments).unwrap_or_else(fail)
}

fn check_kernel(arguments: &CheckArguments) -> Result<Exit, String> {
    if !arguments.run.saved.is_empty() || !arguments.run.traced.is_empty() {
        return Err("`--save` and `--trace` show one execution: use `ptx-atomics run`".to_owned());
    }
    let prepared = prepare(&arguments.run.launch, arguments.run.max_instructions)?;
    let PreparedKernel { name, snapshot, kernel, launch, memory } = &prepared;
    let expected = expectations(&arguments.run.expected, kernel, memory)?;
    let claim = |memory: &GlobalMemory| {
        let failed: Vec<String> = expected.iter().filter_map(|one| one.difference(memory)).collect();
        (!failed.is_empty()).then(|| failed.join("; "))
    };
    let bounds = VerificationBounds { states: arguments.max_states };
    let begin = Instant::now();
    let is_late = || arguments.seconds.is_some_and(|seconds| begin.elapsed().as_secs() >= seconds);
    let found = verify(&kernel.program, launch, &memory.memory, bounds, &claim, &is_late);
    let found = found.map_err(|error| error.to_string())?;
    if let Some(at) = &found.unsupported {
        return Err(unsupported(name, &snapshot.file, kernel, at));
    }
    let report = CheckReport { prepared: &prepared, found: &found, verdict: verdict(&found) };
    match arguments.run.format {
        RunOutput::Text => print_as(EscapeStyle::Text, &report.text())?,
        RunOutput::Json => print_as(EscapeStyle::Json, &report.json())?,
    }
    Ok(report.verdict.exit())
}

fn verdict(found: &Verification) -> KernelVerdict {
    match found.unfinished {
        _ if !found.problems.is_empty() => KernelVerdict::Refuted,
        Some(_) => KernelVerdict::Unknown,
        None => KernelVerdict::Proved,
    }
}

struct CheckReport<'r> {
    prepared: &'r PreparedKernel,
    found: &'r Verification,
    verdict: KernelVerdict,
}

impl CheckReport<'_> {
    fn problem(&self, found: &FoundProblem) -> RunProblem {
        match (&found.problem, &found.claim) {
            (Some(problem), _) => RunProblem::of(problem, &self.prepared.kernel, &self.prepared.snapshot.file),
            (None, claim) => RunProblem::claim(claim.clone().unwrap_or_default()),
        }
    }

    /// Why the verdict is not about all executions.
    fn limit(&self) -> Option<&'static str> {
        match self.found.unfinished {
            Some(Unfinished::States) => {
                Some("the bound on states was reached: raise --max-states, or check a smaller launch")
            }
            Some(Unfinished::Instructions) => Some("the bound on instructions was reached: raise --max-instructions"),
            Some(Unfinished::Cancelled) => Some("the time of --seconds has passed"),
            None if self.found.may_buffer_loads => Some(
                "executions in which a read sees a write that a later write of its own thread caused (load buffering) are not explored",
            ),
            None => None,
        }
    }

    /// The lines and threads of the steps that lead to a problem.
    fn steps(&self, found: &FoundProblem) -> Vec<(usize, ThreadId, String)> {
        let file = &self.prepared.snapshot.file;
        let step = |step: &emulator::machine::VerifiedStep| {
            let range = self.prepared.kernel.range(step.place);
            let text = file.text().byte_slice(range.clone()).to_string();
            (file.position(range.start).line + 1, step.thread, text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        found.steps.iter().map(step).collect()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for found in &self.found.problems {
            text.push_str(&self.problem(found).text(&self.prepared.name));
            for (line, ThreadId { cta, thread }, instruction) in self.steps(found) {
                let _ = writeln!(text, "  CTA {cta} thread {thread}: line {line}: {instruction}");
            }
        }
        let _ = write!(text, "{}", self.verdict.name());
        match self.verdict {
            KernelVerdict::Proved => text.push_str(": no execution has a problem"),
            KernelVerdict::Refuted => {
                let count = self.found.problems.len();
                let _ = write!(text, ": {count} problem{}", if count == 1 { "" } else { "s" });
            }
            KernelVerdict::Unknown => {}
        }
        if let Some(limit) = self.limit() {
            let _ = write!(text, "; {limit}");
        }
        let _ = writeln!(text, " ({} states, {} different ends)", self.found.states, self.found.ends);
        text
    }

    fn json(&self) -> String {
        let problems: Vec<Json> = self
            .found
            .problems
            .iter()
            .map(|found| {
                let mut object = self.problem(found).json();
                let steps = self.steps(found).into_iter().map(|(line, ThreadId { cta, thread }, instruction)| {
                    json!({ "line": line, "cta": cta, "thread": thread, "instruction": instruction })
                });
                object["steps"] = steps.collect();
                object
            })
            .collect();
        let complete = self.found.unfinished.is_none() && !self.found.may_buffer_loads;
        let mut object = json!({
            "schema": SCHEMA,
            "path": self.prepared.name,
            "verdict": self.verdict.name(),
            "complete": complete,
            "problems": problems,
            "states": self.found.states,
            "ends": self.found.ends,
        });
        if let Some(limit) = self.limit() {
            object["limit"] = json!(limit);
        }
        object.to_string() + "\n"
    }
}
