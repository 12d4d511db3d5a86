//! The remedy of a data race as a statement of CUDA C++ at a line of the source: a fence or a barrier with which the launch is proved.

use super::SourceView;
use crate::run::orders::{ChangedKernel, OrderSearch, all_sites, verdict};
use diagnostics::Context;
use explorer::{FoundProblem, VerificationBounds};
use isa::types::Scope;
use kernel::execution::{CauseKind, KernelExecution, MissingOrder};
use kernel::repairs::line_insertions::{LineStart, OrderingStatement, line_starts};
use kernel::repairs::order_changes::{OrderChange, launch_scope};
use kernel::stream::{StreamKernel, StreamQuestion};
use program::{ProblemKind, RaceCause, WARP_SIZE};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use syntax::LintFile;

/// The most kernels that are checked.
const MAX_TRIES: u64 = 48;
/// The most instructions of threads that these have together, each counted once.
const MAX_INSTRUCTIONS: u64 = 2_000_000;
/// The most states of each.
const MAX_STATES: usize = 4_000;

/// Changes of the source that repair a kernel.
pub struct Remedy {
    path: String,
    steps: Vec<SourceChange>,
}

/// A change of a line of a source.
enum SourceChange {
    /// A statement before it.
    Insert(&'static str, usize),
    /// An order of an atomic of C++ instead of the relaxed one, such as `memory_order_release`.
    Order(&'static str, usize),
}

/// The order that an atomic of C++ has where it orders nothing.
const RELAXED: &str = "memory_order_relaxed";

/// A statement that may repair a kernel.
#[derive(Clone)]
pub struct StatementInsertion {
    /// The statement.
    pub statement: OrderingStatement,
    /// The line that it is inserted before.
    pub line: usize,
    /// The changes of the module.
    pub changes: Vec<OrderChange>,
}

/// The lines of the code that statements are inserted into.
pub trait StatementLines {
    /// The lines of the code at some offsets of the module.
    fn lines(&self, offsets: &[usize]) -> Vec<Option<usize>>;

    /// Whether a statement can stand before a line.
    fn is_statement(&self, line: usize) -> bool;
}

impl StatementLines for SourceView<'_> {
    fn lines(&self, offsets: &[usize]) -> Vec<Option<usize>> {
        Self::lines(self, offsets)
    }

    fn is_statement(&self, line: usize) -> bool {
        Self::is_statement(self, line)
    }
}

/// The lines of the module itself.
pub struct ModuleLines<'m>(pub &'m LintFile);

impl StatementLines for ModuleLines<'_> {
    fn lines(&self, offsets: &[usize]) -> Vec<Option<usize>> {
        offsets.iter().map(|offset| Some(self.0.position(*offset).line + 1)).collect()
    }

    fn is_statement(&self, _: usize) -> bool {
        true
    }
}

impl Remedy {
    /// For people.
    pub fn text(&self) -> String {
        let one = |step: &SourceChange| match step {
            SourceChange::Insert(statement, line) => format!("insert `{statement}` before line {line}"),
            SourceChange::Order(order, line) => format!("use `{order}` instead of `{RELAXED}` in line {line}"),
        };
        let all: Vec<String> = self.steps.iter().map(one).collect();
        let subject = if all.len() == 1 { "it" } else { "them" };
        format!("{}: with {subject} no execution of this launch has a problem", all.join(", and "))
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let one = |step: &SourceChange| match step {
            SourceChange::Insert(statement, line) => json!({ "path": self.path, "line": line, "insert": statement }),
            SourceChange::Order(order, line) => {
                json!({ "path": self.path, "line": line, "replace": RELAXED, "with": order })
            }
        };
        self.steps.iter().map(one).collect()
    }
}

/// The statements of the source with which a launch with a data race is proved.
pub fn remedy(
    search: OrderSearch,
    view: &SourceView,
    race: &(usize, FoundProblem),
    execution: &KernelExecution,
) -> Option<Remedy> {
    let steps = orders(search, view, execution).or_else(|| {
        let found = insertions(search, view, race, execution)?;
        let step =
            |one: StatementInsertion| Some(SourceChange::Insert(view.words().statement(one.statement)?, one.line));
        found.into_iter().map(step).collect()
    });
    Some(Remedy { path: view.path(), steps: steps? })
}

/// The orders of atomics of C++ with which a launch is proved: a release where a value is written, an acquire where it is read.
fn orders(search: OrderSearch, view: &SourceView, execution: &KernelExecution) -> Option<Vec<SourceChange>> {
    let MissingOrder { from, to, .. } = execution.missing.first()?;
    let prepared = search.prepared;
    let text = prepared.snapshot.file.text().to_string();
    let scope = prepared.stream().into_iter().map(|one| launch_scope(one.launch)).max()?;
    let sites = all_sites(prepared);
    let change = |at: usize, (word, order): (&str, &'static str)| {
        let range = &execution.events[at].range;
        let line = view.lines(&[range.start])[0]?;
        view.line_text(line).contains(RELAXED).then_some(())?;
        let site = sites.iter().find(|site| site.range == *range)?;
        let stronger = site.stronger(&text, &prepared.module, scope);
        let change = stronger.into_iter().find(|one| one.edit.1.split('.').any(|part| part == word))?;
        Some((SourceChange::Order(order, line), change))
    };
    let release = change(*from, ("release", "memory_order_release"));
    let acquire = change(*to, ("acquire", "memory_order_acquire"));
    let all: Vec<(SourceChange, OrderChange)> = release.into_iter().chain(acquire).collect();
    let proves = |changes: &[&OrderChange]| matches!(verdict((search, &mut 0), &text, changes), ChangedKernel::Proved);
    if let Some(enough) = (0..all.len()).find(|at| proves(&[&all[*at].1])) {
        return all.into_iter().nth(enough).map(|(step, _)| vec![step]);
    }
    let changes: Vec<&OrderChange> = all.iter().map(|(_, change)| change).collect();
    (changes.len() > 1 && proves(&changes)).then(|| all.into_iter().map(|(step, _)| step).collect())
}

/// The first statement, else the first two, with which a launch with a data race is proved.
pub fn insertions(
    search: OrderSearch,
    view: &dyn StatementLines,
    (number, found): &(usize, FoundProblem),
    execution: &KernelExecution,
) -> Option<Vec<StatementInsertion>> {
    let kernel = search.prepared.stream().swap_remove(*number);
    let (statements, ranges) = wanted(kernel, view, found, execution)?;
    let text = search.prepared.snapshot.file.text().to_string();
    let module = Context::new(&search.prepared.snapshot).module;
    let starts = starts(kernel, view);
    let possible = |range: &RangeInclusive<usize>| {
        let lines = starts.iter().rev().filter(|start| range.contains(&start.line) && view.is_statement(start.line));
        let of_line = |start: &LineStart| {
            let can_be = |one: &&OrderingStatement| start.is_uniform || **one != OrderingStatement::Barrier;
            let one = |statement: &OrderingStatement| StatementInsertion {
                statement: *statement,
                line: start.line,
                changes: start.inserting(&text, &module, *statement),
            };
            statements.iter().filter(can_be).map(one).filter(|one| !one.changes.is_empty()).collect::<Vec<_>>()
        };
        lines.flat_map(of_line).collect::<Vec<_>>()
    };
    let possible: Vec<Vec<StatementInsertion>> = ranges.iter().map(possible).collect();
    let mut singles: Vec<Vec<&StatementInsertion>> = possible.iter().flatten().map(|one| vec![one]).collect();
    if kernel.launch.block.count() > u64::from(WARP_SIZE) {
        // What orders the whole block orders a warp, and tells soon whether a barrier is what is missing.
        singles.sort_by_key(|one| one[0].statement == OrderingStatement::WarpBarrier);
    }
    let pairs =
        possible.first().into_iter().zip(possible.get(1)).flat_map(|(before, after)| {
            before.iter().flat_map(move |one| after.iter().map(move |other| vec![one, other]))
        });
    let bounds = VerificationBounds { states: MAX_STATES.min(search.question.bounds.states), ..search.question.bounds };
    let question = StreamQuestion { bounds, ..*search.question };
    let search = OrderSearch { question: &question, ..search };
    let tries = usize::try_from(tries(kernel)).unwrap_or_default();
    let suffices = |insertions: &Vec<&StatementInsertion>| {
        let changes: Vec<&OrderChange> = insertions.iter().flat_map(|one| &one.changes).collect();
        matches!(verdict((search, &mut 0), &text, &changes), ChangedKernel::Proved)
    };
    let found = singles.into_iter().chain(pairs).take(tries).find(suffices)?;
    Some(found.into_iter().cloned().collect())
}

/// How many kernels are checked.
fn tries(StreamKernel { kernel, launch, .. }: StreamKernel) -> u64 {
    let threads: u64 = launch.all_sizes().map(|sizes| sizes.grid.count() * sizes.block.count()).sum();
    let instructions = kernel.program.functions[kernel.index].code.len() as u64;
    (MAX_INSTRUCTIONS / (threads * instructions).max(1)).min(MAX_TRIES)
}

/// The statements that can be missing, and the lines before which they can be: those of the first access, and those of the second one.
fn wanted(
    kernel: StreamKernel,
    view: &dyn StatementLines,
    found: &FoundProblem,
    execution: &KernelExecution,
) -> Option<(Vec<OrderingStatement>, Vec<RangeInclusive<usize>>)> {
    let problem = found.problem.as_ref()?;
    let cause = execution.cause.as_ref()?;
    let offset = |at: usize| execution.events[at].range.start;
    let lines = |events: [usize; 2]| {
        let lines = view.lines(&events.map(offset));
        let [one, other] = [lines[0]?, lines[1]?];
        // What is on one line can be ordered by a statement before it.
        Some(one.min(other) + usize::from(one != other)..=one.max(other))
    };
    let both = lines(cause.accesses);
    let of_value = |MissingOrder { from, to, .. }: &MissingOrder| {
        let [first, second] = cause.accesses;
        Some(vec![lines([first, *from])?, lines([*to, second])?])
    };
    let is_proxy = matches!(problem.kind, ProblemKind::DataRace { cause: RaceCause::NoProxyFence, .. });
    let statements = match cause.kind {
        CauseKind::Stated if is_proxy => {
            vec![OrderingStatement::AsyncFenceOfShared, OrderingStatement::AsyncFenceOfGlobal]
        }
        CauseKind::NoWarpBarrier => vec![OrderingStatement::WarpBarrier, OrderingStatement::Barrier],
        CauseKind::NoBarrier | CauseKind::OtherBarriers => vec![OrderingStatement::Barrier],
        CauseKind::Unsynchronized => {
            let scope = match launch_scope(kernel.launch) {
                Scope::Cluster => Scope::Gpu,
                scope => scope,
            };
            let ranges = of_value(execution.missing.first()?)?;
            return Some((vec![OrderingStatement::Fence(scope)], ranges));
        }
        CauseKind::Stated | CauseKind::Copy | CauseKind::NothingPassed => return None,
    };
    Some((statements, vec![both?]))
}

/// The lines of the body of a kernel.
fn starts(StreamKernel { kernel, .. }: StreamKernel, view: &dyn StatementLines) -> Vec<LineStart> {
    let mut offsets: Vec<usize> = kernel.places[kernel.index].iter().map(|range| range.start).collect();
    offsets.dedup();
    let lines = offsets.iter().copied().zip(view.lines(&offsets));
    let lines: BTreeMap<usize, usize> = lines.filter_map(|(offset, line)| Some((offset, line?))).collect();
    line_starts(kernel, &lines)
}
