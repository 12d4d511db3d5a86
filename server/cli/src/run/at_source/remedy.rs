//! The remedy of a data race as a statement of CUDA C++ at a line of the source: a fence or a barrier with which the launch is proved.

use super::SourceView;
use crate::run::orders::{ChangedKernel, OrderSearch, verdict};
use diagnostics::Context;
use explorer::{FoundProblem, VerificationBounds};
use isa::types::Scope;
use kernel::execution::{CauseKind, KernelExecution, MissingOrder};
use kernel::repairs::line_insertions::{LineStart, OrderingStatement, line_starts};
use kernel::repairs::order_changes::{OrderChange, launch_scope};
use kernel::stream::{StreamKernel, StreamQuestion};
use program::{ProblemKind, RaceCause};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The most kernels that are checked.
const MAX_TRIES: u64 = 48;
/// The most instructions of threads that these have together, each counted once.
const MAX_INSTRUCTIONS: u64 = 2_000_000;
/// The most states of each.
const MAX_STATES: usize = 4_000;

/// Statements that repair a kernel.
pub struct Remedy {
    path: String,
    /// Each with the line that it is inserted before.
    insertions: Vec<(OrderingStatement, usize)>,
}

/// A statement that may repair a kernel.
struct PossibleInsertion {
    statement: OrderingStatement,
    line: usize,
    changes: Vec<OrderChange>,
}

impl Remedy {
    /// For people.
    pub fn text(&self) -> String {
        let one = |(statement, line): &(OrderingStatement, usize)| {
            format!("insert `{}` before line {line}", statement.cuda())
        };
        let all: Vec<String> = self.insertions.iter().map(one).collect();
        let subject = if all.len() == 1 { "it" } else { "them" };
        format!("{}: with {subject} no execution of this launch has a problem", all.join(", and "))
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let one = |(statement, line): &(OrderingStatement, usize)| json!({ "path": self.path, "line": line, "insert": statement.cuda() });
        self.insertions.iter().map(one).collect()
    }
}

/// The first statement, else the first two, with which a launch with a data race is proved.
pub fn remedy(
    search: OrderSearch,
    view: &SourceView,
    (number, found): &(usize, FoundProblem),
    execution: &KernelExecution,
) -> Option<Remedy> {
    let kernel = search.prepared.stream().swap_remove(*number);
    let (statements, ranges) = wanted(kernel, view, found, execution)?;
    let text = search.prepared.snapshot.file.text().to_string();
    let module = Context::new(&search.prepared.snapshot).module;
    let starts = starts(kernel, view);
    let possible = |range: &RangeInclusive<usize>| {
        let lines = starts.iter().rev().filter(|start| range.contains(&start.line) && view.is_statement(start.line));
        let of_line = |start: &LineStart| {
            let can_be = |one: &&OrderingStatement| start.is_uniform || **one != OrderingStatement::Barrier;
            let one = |statement: &OrderingStatement| PossibleInsertion {
                statement: *statement,
                line: start.line,
                changes: start.inserting(&text, &module, *statement),
            };
            statements.iter().filter(can_be).map(one).filter(|one| !one.changes.is_empty()).collect::<Vec<_>>()
        };
        lines.flat_map(of_line).collect::<Vec<_>>()
    };
    let possible: Vec<Vec<PossibleInsertion>> = ranges.iter().map(possible).collect();
    let singles = possible.iter().flatten().map(|one| vec![one]);
    let pairs =
        possible.first().into_iter().zip(possible.get(1)).flat_map(|(before, after)| {
            before.iter().flat_map(move |one| after.iter().map(move |other| vec![one, other]))
        });
    let bounds = VerificationBounds { states: MAX_STATES.min(search.question.bounds.states), ..search.question.bounds };
    let question = StreamQuestion { bounds, ..*search.question };
    let search = OrderSearch { question: &question, ..search };
    let tries = usize::try_from(tries(kernel)).unwrap_or_default();
    let suffices = |insertions: &Vec<&PossibleInsertion>| {
        let changes: Vec<&OrderChange> = insertions.iter().flat_map(|one| &one.changes).collect();
        matches!(verdict((search, &mut 0), &text, &changes), ChangedKernel::Proved)
    };
    let found = singles.chain(pairs).take(tries).find(suffices)?;
    let insertions = found.into_iter().map(|one| (one.statement, one.line)).collect();
    Some(Remedy { path: view.path(), insertions })
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
    view: &SourceView,
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
fn starts(StreamKernel { kernel, .. }: StreamKernel, view: &SourceView) -> Vec<LineStart> {
    let mut offsets: Vec<usize> = kernel.places[kernel.index].iter().map(|range| range.start).collect();
    offsets.dedup();
    let lines = offsets.iter().copied().zip(view.lines(&offsets));
    let lines: BTreeMap<usize, usize> = lines.filter_map(|(offset, line)| Some((offset, line?))).collect();
    line_starts(kernel, &lines)
}
