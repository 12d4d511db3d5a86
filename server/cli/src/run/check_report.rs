//! What `check` says: the problems with the way to them, the verdict and what it is about, as text and as JSON.

use super::at_source::{ProblemLevel, Remedy};
use super::executed::ExecutedSummary;
use super::execution::{self, accesses_json};
use super::orders::{self, OrderNeed, RepairResult};
use super::question::KernelVerdict;
use super::report::RunProblem;
use super::undecided::Undecided;
use super::{PreparedKernel, assumed, grids};
use crate::output::SCHEMA;
use crate::render::counted;
use diagnostics::Context;
use explorer::{FoundProblem, Omission, VerifiedStep};
use isa::target::Target;
use kernel::HardwareAssumption;
use kernel::repairs::fairness::{fairness, schedules_lanes};
use kernel::reports::step_access::{StepAccess, described};
use kernel::stream::{StreamKernel, StreamPlace, StreamVerification};
use program::{CodePlace, Launch, ProblemKind, ThreadId};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

fn is_divergence((_, found): &(usize, FoundProblem)) -> bool {
    found.problem.as_ref().is_some_and(|problem| matches!(problem.kind, ProblemKind::BarrierDivergence { .. }))
}

/// What problems have in common that are one to an author: two accesses race in either order.
fn same_problem((number, found): &(usize, FoundProblem)) -> (usize, &str, BTreeSet<CodePlace>) {
    let problem = found.problem.as_ref();
    let places = problem.map(|one| one.related.iter().map(|(_, place)| *place).chain([one.place]).collect());
    let code = problem.map(|one| one.kind.code()).or(found.claim.as_deref());
    (*number, code.unwrap_or_default(), places.unwrap_or_default())
}

/// The note about a launch whose sizes were left out.
const ONE_THREAD: &str = "note: one thread: nothing runs at the same time; use `--grid` or `--block` for more\n";

/// A step that leads to a problem.
struct ShownStep {
    line: usize,
    /// The name of the CTA.
    cta: String,
    thread: ThreadId,
    instruction: String,
    accesses: Vec<StepAccess>,
}

impl ShownStep {
    fn text(&self) -> String {
        let Self { line, cta, thread: ThreadId { thread, .. }, instruction, accesses } = self;
        let effect = if accesses.is_empty() { String::new() } else { format!("  → {}", described(accesses)) };
        format!("  CTA {cta} thread {thread}: line {line}: {instruction}{effect}\n")
    }

    fn json(&self) -> Json {
        json!({
            "line": self.line,
            "cta": self.thread.cta,
            "thread": self.thread.thread,
            "instruction": self.instruction,
            "accesses": accesses_json(&self.accesses),
        })
    }
}

/// What was found about a launch.
pub struct CheckReport<'r> {
    /// The kernels.
    pub prepared: &'r PreparedKernel,
    /// What the search has found.
    pub found: &'r StreamVerification,
    /// The bound on states.
    pub max_states: usize,
    /// What is known about all executions.
    pub verdict: KernelVerdict,
    /// The orders that the launch needs, if that was asked for.
    pub needs: Option<Vec<OrderNeed>>,
    /// What the search for a repair has found, if one was asked for.
    pub repair: Option<RepairResult>,
    /// What to write in the source against a problem, which has this index.
    pub remedy: Option<(usize, Remedy)>,
    /// What is assumed.
    pub assumed: &'r [HardwareAssumption],
    /// The assumptions each of which would turn the refutation into a proof.
    pub proving: Vec<HardwareAssumption>,
    /// Whether neither the user nor the kernel says how many threads there are.
    pub has_default_sizes: bool,
    /// Which events are shown.
    pub events: EventSelection,
}

/// Which events of an execution the text shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EventSelection {
    /// Those that matter for the problem.
    Essential,
    /// All of them.
    All,
}

impl CheckReport<'_> {
    /// The kernel with a number.
    fn kernel(&self, number: usize) -> StreamKernel<'_> {
        let mut kernels = self.prepared.stream();
        kernels.swap_remove(number)
    }

    fn problem(&self, (number, found): &(usize, FoundProblem)) -> RunProblem {
        match (&found.problem, &found.claim) {
            (Some(problem), _) => RunProblem::of(problem, self.kernel(*number), &self.prepared.snapshot.file),
            (None, claim) => RunProblem::claim(claim.clone().unwrap_or_default()),
        }
    }

    fn note(&self, (number, found): &(usize, FoundProblem)) -> Option<RunProblem> {
        let problem = found.problem.as_ref()?;
        Some(RunProblem::note(problem, self.kernel(*number), &self.prepared.snapshot.file))
    }

    /// What was left out.
    fn undecided(&self) -> Undecided<'_> {
        Undecided { found: self.found, prepared: self.prepared, max_states: self.max_states }
    }

    fn executed(&self) -> ExecutedSummary {
        ExecutedSummary::new(self.prepared, &self.found.executed)
    }

    fn target(&self) -> Option<Target> {
        Context::new(&self.prepared.snapshot).module.target
    }

    /// The threads of the largest launch, which the verdict is about.
    fn threads(&self) -> u64 {
        let of_launch =
            |launch: &Launch| launch.all_sizes().map(|sizes| sizes.grid.count() * sizes.block.count()).sum();
        let threads = |one: StreamKernel| of_launch(one.launch);
        self.prepared.stream().into_iter().map(threads).max().unwrap_or_default()
    }

    /// The lines of instructions.
    fn lines(&self, places: &BTreeSet<StreamPlace>) -> BTreeSet<usize> {
        places.iter().map(|place| self.prepared.line(*place)).collect()
    }

    /// The lines of loops that a thread has repeated, and the most rounds in a row.
    fn rounds(&self) -> BTreeMap<usize, u32> {
        let mut rounds = BTreeMap::new();
        for (place, most) in &self.found.rounds {
            let known = rounds.entry(self.prepared.line(*place)).or_default();
            *known = (*most).max(*known);
        }
        rounds
    }

    /// The steps that lead to a problem.
    fn steps(&self, (number, found): &(usize, FoundProblem)) -> Vec<ShownStep> {
        let StreamKernel { kernel, memory, launch } = self.kernel(*number);
        let file = &self.prepared.snapshot.file;
        let step = |step: &VerifiedStep| {
            let range = kernel.range(step.place);
            let text = file.text().byte_slice(range.clone()).to_string();
            ShownStep {
                line: file.position(range.start).line + 1,
                cta: launch.grid.cta_name(step.thread.cta),
                thread: step.thread,
                instruction: text.split_whitespace().collect::<Vec<_>>().join(" "),
                accesses: StepAccess::of(&step.effect, kernel, memory),
            }
        };
        found.steps.iter().map(step).collect()
    }

    /// The execution that leads to a problem, for people.
    fn way(&self, found: &(usize, FoundProblem)) -> String {
        let execution = execution::of_problem(found, self.prepared);
        match (execution.is_empty(), self.events) {
            (true, _) => self.steps(found).iter().map(ShownStep::text).collect(),
            (false, EventSelection::All) => execution.text(),
            (false, EventSelection::Essential) => execution.essential().text(),
        }
    }

    /// A problem with the way to it, for people: at its source, or at the lines of PTX.
    fn problem_text(&self, found: &(usize, FoundProblem), level: ProblemLevel, help: Option<&str>) -> String {
        let kernel = self.kernel(found.0);
        let execution = || execution::of_problem(found, self.prepared);
        let at_source =
            self.prepared.source_view().and_then(|view| view.found(&found.1, (kernel, level), &execution(), help));
        match (at_source, self.events) {
            (Some(text), EventSelection::Essential) => text,
            (Some(text), EventSelection::All) => text + &self.way(found),
            (None, _) => {
                let shown = if level == ProblemLevel::Error { Some(self.problem(found)) } else { self.note(found) };
                shown.map(|one| one.text(&self.prepared.name)).unwrap_or_default() + &self.way(found)
            }
        }
    }

    /// The loops that threads have repeated, and those that may not end, for people.
    fn loops_text(&self) -> String {
        let mut text = String::new();
        let mut by_line = BTreeMap::new();
        let places: Vec<StreamPlace> = self.found.rounds.keys().copied().collect();
        for (line, most) in self.prepared.shown_lines(&places).into_iter().zip(self.found.rounds.values()) {
            let known = line.map(|line| by_line.entry(line).or_default());
            known.into_iter().for_each(|known: &mut u32| *known = (*most).max(*known));
        }
        let rounds: Vec<String> = by_line
            .iter()
            .map(|(line, rounds)| format!("{} at line {line}", counted(*rounds as usize, "round")))
            .collect();
        if !rounds.is_empty() {
            let _ = writeln!(text, "loops: at most {}", rounds.join(", "));
        }
        let cycles = [
            (&self.found.gives_way, "in which they go on in turn, threads give way to each other forever"),
            (&self.found.starves, "that lets it look at the wrong moments, a thread waits forever while others go on"),
        ];
        for (lines, schedule) in cycles.into_iter().filter(|(lines, _)| !lines.is_empty()) {
            let places: Vec<StreamPlace> = lines.iter().copied().collect();
            let lines: BTreeSet<usize> = self.prepared.shown_lines(&places).into_iter().flatten().collect();
            let word = if lines.len() == 1 { "line" } else { "lines" };
            let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
            let lines = lines.join(", ");
            let _ = writeln!(text, "termination: not guaranteed: under a schedule {schedule} ({word} {lines})");
        }
        text
    }

    /// All problems and notes. At the source each is told once, and a barrier that lanes of a warp do not reach first: races follow from it.
    fn problems_text(&self, text: &mut String) {
        let is_at_source = self.prepared.source.compiled.is_some();
        let mut problems: Vec<_> = self.found.problems.iter().enumerate().collect();
        if is_at_source {
            let mut seen = BTreeSet::new();
            problems.retain(|(_, found)| seen.insert(same_problem(found)));
            problems.sort_by_key(|(_, found)| !is_divergence(found));
        }
        for (at, found) in problems {
            let help = self.remedy.as_ref().filter(|(of, _)| *of == at).map(|(_, remedy)| remedy.text());
            text.push_str(&self.problem_text(found, ProblemLevel::Error, help.as_deref()));
        }
        for found in &self.found.notes {
            text.push_str(&self.problem_text(found, ProblemLevel::Note, None));
        }
    }

    /// All of it for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.problems_text(&mut text);
        let _ = write!(text, "{}", self.verdict.name());
        match self.verdict {
            KernelVerdict::Proved if self.found.is_complete() => text.push_str(": no execution has a problem"),
            KernelVerdict::Proved => text.push_str(": no explored execution has a problem"),
            KernelVerdict::Refuted => {
                let _ = write!(text, ": {}", counted(self.found.problems.len(), "problem"));
            }
            KernelVerdict::Unknown => {}
        }
        let is_told = self.prepared.source.compiled.is_some() && self.verdict == KernelVerdict::Refuted;
        if let Some(limit) = self.undecided().text().filter(|_| !is_told) {
            let _ = write!(text, "; {limit}");
        }
        let threads = counted(self.threads() as usize, "thread");
        let (states, ends) =
            (counted(self.found.total.states, "state"), counted(self.found.total.final_states, "distinct final state"));
        // Where problems are shown, the search has left out executions.
        let is_least =
            self.found.total.has_further_final_states || self.found.total.unfinished() == Some(Omission::AfterProblem);
        let ends = if is_least { format!("at least {ends}") } else { ends };
        let executions = counted(self.found.total.executions, "execution");
        let _ = writeln!(text, " ({threads}, {executions}, {states}, {ends})");
        // At the source a problem is told by itself.
        if !is_told {
            text.push_str(&self.loops_text());
            text.push_str(&self.executed().text());
        }
        if self.has_default_sizes && self.threads() == 1 {
            text.push_str(ONE_THREAD);
        }
        text.push_str(&self.prepared.source_launch_text());
        text.push_str(&grids::text(self.prepared));
        if self.verdict == KernelVerdict::Proved && !schedules_lanes(self.target()) {
            text.push_str(
                "assumed: lanes of a warp are scheduled independently, which targets before sm_70 do not promise\n",
            );
        }
        text.push_str(&assumed::text(self.assumed));
        text.push_str(&assumed::proving_text(&self.proving));
        if let Some(repair) = &self.repair {
            text.push_str(&orders::repair_text(repair, self.prepared));
        }
        if let Some(needs) = &self.needs {
            text.push_str(&orders::needs_text(needs, self.prepared));
        }
        text
    }

    /// Why the launch is not proved, in a few words: its first problem, or what was left out.
    pub fn reason(&self) -> String {
        let Some(first) = self.found.problems.first() else { return self.undecided().text().unwrap_or_default() };
        let code = first.1.problem.as_ref().map_or("claim", |problem| problem.kind.code());
        let place = first.1.problem.as_ref().map(|problem| (first.0, problem.place));
        let line = place.and_then(|place| self.prepared.shown_lines(&[place]).remove(0));
        line.map_or_else(|| code.to_owned(), |line| format!("{code} at line {line}"))
    }

    /// All of it as one JSON object.
    pub fn json(&self) -> Json {
        let with_steps = |shown: RunProblem, found: &(usize, FoundProblem)| {
            let mut object = shown.json();
            object["steps"] = self.steps(found).iter().map(ShownStep::json).collect();
            object["execution"] = execution::json(&execution::of_problem(found, self.prepared));
            object
        };
        let problems = self.found.problems.iter().map(|found| with_steps(self.problem(found), found));
        let notes = self.found.notes.iter().filter_map(|found| Some(with_steps(self.note(found)?, found)));
        let mut object = json!({
            "schema": SCHEMA,
            "path": self.prepared.name,
            "verdict": self.verdict.name(),
            "complete": self.found.is_complete(),
            "problems": problems.collect::<Vec<Json>>(),
            "notes": notes.collect::<Vec<Json>>(),
            "executed": self.executed().json(),
            "threads": self.threads(),
            "states": self.found.total.states,
            "executions": self.found.total.executions,
            "loops": self.rounds().iter().map(|(line, rounds)| json!({ "line": line, "rounds": rounds })).collect::<Vec<_>>(),
            "gives_way": self.lines(&self.found.gives_way),
            "starves": self.lines(&self.found.starves),
            "final_states": self.found.total.final_states,
            "further_final_states": self.found.total.has_further_final_states,
            // The former names, which the next version of the schema leaves out.
            "ends": self.found.total.final_states,
            "further_ends": self.found.total.has_further_final_states,
            "fairness": fairness(self.target()),
        });
        if let Some(grids) = grids::json(self.prepared) {
            object["kernels"] = grids;
        }
        if let Some(launch) = &self.prepared.source_launch {
            object["launch"] = json!(launch);
        }
        if let Some(limit) = self.undecided().text() {
            object["limit"] = json!(limit);
        }
        for (key, list) in [("assumptions", self.assumed), ("would_prove", &*self.proving)] {
            if !list.is_empty() {
                object[key] = list.iter().map(|one| one.name()).collect();
            }
        }
        if let Some(undecided) = self.undecided().json() {
            object["undecided"] = undecided;
        }
        if let Some((_, remedy)) = &self.remedy {
            object["remedy"] = remedy.json();
        }
        if let Some(repair) = &self.repair {
            object["repair"] = orders::repair_json(repair, self.prepared);
            object["repair_search"] = orders::repair_search_json(repair);
        }
        if let Some(needs) = &self.needs {
            object["orders"] = orders::needs_json(needs, self.prepared);
        }
        object
    }
}
