//! The execution that shows a problem of a kernel: the accesses, fences and barriers of each thread, and how they are related.

mod cause;
mod essential;
mod missing;
mod render;
mod select;

use crate::Kernel;
use crate::arguments::launch_memory::KernelMemory;
use crate::execution::cause::cause;
pub use crate::execution::cause::{CauseKind, ExecutionCause};
use crate::execution::missing::missing_orders;
pub use crate::execution::missing::{MissingOrder, MissingReason};
use crate::execution::select::selected;
use crate::reports::step_access::StepAccess;
use explorer::FoundProblem;
use ordering::{EventAction, EventPerformer, EventRelation, ExecutionRecord};
use program::{Dimensions, Problem, ProblemKind, RaceCause, ThreadId};
use std::ops::Range;
use syntax::LintFile;

/// An execution of a kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelExecution {
    /// The names of its threads and copies: the columns.
    pub columns: Vec<String>,
    /// Its events, in the order in which they were explored.
    pub events: Vec<KernelEvent>,
    /// How the events are related.
    pub edges: Vec<KernelEdge>,
    /// Why the accesses of a data race are not ordered, as far as a read has observed a write between them.
    pub missing: Vec<MissingOrder>,
    /// What a data race lacks.
    pub cause: Option<ExecutionCause>,
    /// The number of events that are not shown.
    pub left_out: usize,
}

/// An event: an instruction that a thread executes.
#[derive(Clone, Debug)]
pub struct KernelEvent {
    /// The column.
    pub column: usize,
    /// The thread.
    pub thread: ThreadId,
    /// Who executes it.
    pub performer: EventPerformer,
    /// What it does.
    pub kind: KernelEventKind,
    /// The range of the instruction.
    pub range: Range<usize>,
    /// The line of the instruction, counted from 1 on.
    pub line: usize,
    /// The instruction.
    pub instruction: String,
    /// What it does to memory.
    pub accesses: Vec<StepAccess>,
    /// The code of the problem, if the thread meets it there.
    pub problem: Option<&'static str>,
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelEventKind {
    /// It accesses memory.
    Access,
    /// A fence.
    Fence,
    /// An arrival at a barrier, or a wait for one.
    Barrier,
    /// An operation on an mbarrier, or a wait for copies.
    Wait,
    /// A problem where the thread does nothing of these.
    Problem,
}

/// A relation between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelEdge {
    /// Its name: `rf`, `co`, `fr`, `sync` or `race`.
    pub relation: &'static str,
    /// The index of the first event.
    pub from: usize,
    /// The index of the second event.
    pub to: usize,
}

/// What an execution is shown by.
#[derive(Clone, Copy)]
pub struct ExecutionSource<'k> {
    /// The module.
    pub file: &'k LintFile,
    /// The kernel.
    pub kernel: &'k Kernel,
    /// Its arguments in memory.
    pub memory: &'k KernelMemory,
    /// The CTAs of its grid.
    pub grid: Dimensions,
}

/// The name of a relation.
const fn name(relation: EventRelation) -> &'static str {
    match relation {
        EventRelation::ReadsFrom => "rf",
        EventRelation::Coherence => "co",
        EventRelation::FromReads => "fr",
        EventRelation::Synchronizes => "sync",
    }
}

impl KernelExecution {
    /// The execution that leads to a problem.
    pub fn of_problem(found: &FoundProblem, source: ExecutionSource) -> Self {
        Self::of(&found.execution, found.problem.as_ref(), source)
    }

    /// An execution, with the problem at its end if it has one.
    pub fn of(record: &ExecutionRecord, problem: Option<&Problem>, source: ExecutionSource) -> Self {
        let race = problem.and_then(|problem| race(record, problem));
        let race_cause = problem.and_then(|problem| match &problem.kind {
            ProblemKind::DataRace { cause, .. } => Some(*cause),
            _ => None,
        });
        let cause = race.map(|race| cause(record, race, race_cause, source.kernel));
        let needed = cause.iter().flat_map(|(cause, _)| cause.all_events()).collect();
        let shown = selected(record, race, &needed);
        let mut execution = Self { left_out: shown.left_out, ..Self::default() };
        let is_in_race = |at: usize| race.is_some_and(|race| race.contains(&at));
        for at in &shown.events {
            let event = &record.events[*at];
            let mut accesses = match &event.action {
                EventAction::Access(access) => vec![StepAccess::of_event(access, source.kernel, source.memory)],
                _ => Vec::new(),
            };
            if is_in_race(*at) {
                // What a read reads in a race is not defined.
                accesses.iter_mut().for_each(|access| access.read.clear());
            }
            let kind = match event.action {
                EventAction::Access(_) => KernelEventKind::Access,
                EventAction::Fence => KernelEventKind::Fence,
                EventAction::Barrier => KernelEventKind::Barrier,
                EventAction::Mbarrier | EventAction::Wait => KernelEventKind::Wait,
            };
            execution.push((event.thread, event.performer, kind), event.place, accesses, source);
        }
        let index = |at: usize| shown.events.iter().position(|shown| *shown == at);
        let is_race = |from: usize, to: usize| is_in_race(from) && is_in_race(to);
        let by = |at: usize| (record.events[at].thread, record.events[at].performer);
        let is_shown = |from: usize, to: usize| by(from) != by(to) && !is_race(from, to);
        for edge in record.edges.iter().filter(|edge| is_shown(edge.from, edge.to)) {
            if let (Some(from), Some(to)) = (index(edge.from), index(edge.to)) {
                execution.edges.push(KernelEdge { relation: name(edge.relation), from, to });
            }
        }
        if let Some([from, to]) = race.map(|race| race.map(index))
            && let (Some(from), Some(to)) = (from, to)
        {
            execution.edges.push(KernelEdge { relation: "race", from, to });
            let (cause, missing) = cause.unzip();
            execution.cause = cause.and_then(|cause| cause.renumbered(index));
            execution.missing = missing.into_iter().flatten().filter_map(|one| one.renumbered(index)).collect();
        } else if let Some(problem) = problem {
            execution.mark(problem, source);
        }
        execution.edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        execution.sort_columns();
        execution
    }

    /// Whether an asynchronous copy does what an event does, not its thread.
    pub fn is_copy(&self, at: usize) -> bool {
        self.events[at].performer == EventPerformer::Copy
    }

    fn push(
        &mut self,
        (thread, performer, kind): (ThreadId, EventPerformer, KernelEventKind),
        place: program::CodePlace,
        accesses: Vec<StepAccess>,
        ExecutionSource { file, kernel, grid, .. }: ExecutionSource,
    ) {
        let copy = if performer == EventPerformer::Copy { "copy of " } else { "" };
        let name = format!("{copy}CTA {} thread {}", grid.cta_name(thread.cta), thread.thread);
        let column = self.columns.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.columns.push(name);
            self.columns.len() - 1
        });
        let range = kernel.range(place);
        let text = file.text().byte_slice(range.clone()).to_string();
        self.events.push(KernelEvent {
            column,
            thread,
            performer,
            kind,
            line: file.position(range.start).line + 1,
            range,
            instruction: text.split_whitespace().collect::<Vec<_>>().join(" "),
            accesses,
            problem: None,
        });
    }

    /// Sorts the columns by their threads; a copy is beside the thread that began it.
    fn sort_columns(&mut self) {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(|column| {
            let thread = self.events.iter().find(|event| event.column == *column).map(|event| event.thread);
            thread.map(|thread| (thread.cta, thread.thread, self.columns[*column].starts_with("copy")))
        });
        self.columns = order.iter().map(|column| self.columns[*column].clone()).collect();
        for event in &mut self.events {
            event.column = order.iter().position(|column| *column == event.column).unwrap_or_default();
        }
    }

    /// Marks where threads meet a problem, with events of their own if they did nothing there.
    fn mark(&mut self, problem: &Problem, source: ExecutionSource) {
        for (thread, place) in problem.related.iter().chain([&(problem.thread, problem.place)]) {
            let range = source.kernel.range(*place);
            let last = self.events.iter_mut().rev().find(|event| event.thread == *thread);
            match last.filter(|event| event.range == range) {
                Some(event) => event.problem = Some(problem.kind.code()),
                None => {
                    let by = (*thread, EventPerformer::Thread, KernelEventKind::Problem);
                    self.push(by, *place, Vec::new(), source);
                    self.events
                        .iter_mut()
                        .last()
                        .into_iter()
                        .for_each(|event| event.problem = Some(problem.kind.code()));
                }
            }
        }
    }
}

/// Whether a data race says what is missing: its cause is a fence or a wait, or a flag between the accesses does not synchronize.
pub(super) fn names_cause(found: &FoundProblem, kernel: &Kernel) -> bool {
    let Some(problem) = &found.problem else { return false };
    let ProblemKind::DataRace { cause, .. } = problem.kind else { return false };
    let is_missing = || {
        let race = race(&found.execution, problem);
        race.is_some_and(|race| !missing_orders(&found.execution, race, kernel).is_empty())
    };
    !matches!(cause, RaceCause::NotOrdered | RaceCause::UnorderedTensorMap) || is_missing()
}

/// The two accesses of a data race, the earlier one first.
fn race(record: &ExecutionRecord, problem: &Problem) -> Option<[usize; 2]> {
    if !matches!(problem.kind, ProblemKind::DataRace { .. } | ProblemKind::UnorderedAccess { .. }) {
        return None;
    }
    let last = |thread: ThreadId, place| {
        let is_there = |at: &usize| (record.events[*at].thread, record.events[*at].place) == (thread, place);
        (0..record.events.len()).rev().find(is_there)
    };
    let (thread, place) = problem.related.first()?;
    let mut both = [last(*thread, *place)?, last(problem.thread, problem.place)?];
    both.sort_unstable();
    (both[0] != both[1]).then_some(both)
}
