//! The search for data races: two accesses to the same memory, one of them a write, that are not morally strong and that causality order does not
//! relate (PTX ISA, "Memory Consistency Model", conflicts and data races); and for reads of memory that nothing has written.

use crate::code::program::Program;
use crate::relations::barrier::BarrierPairing;
use crate::relations::complete_execution::{OrderVisitor, complete_execution};
use crate::relations::event::{Event, EventKind};
use crate::relations::undefined_execution::{DataRace, UndefinedExecution};
use crate::search::branch::Branch;
use crate::search::explore::{Budget, Explorer};
use std::collections::BTreeSet;

/// What a search for data races has found.
#[derive(Clone, Debug)]
pub enum RaceSearch {
    /// An execution with one, or with an undefined read.
    Found(UndefinedExecution),
    /// No execution that ends has one.
    None,
    /// The search limit was reached first.
    Unknown,
    /// The model does not define what the program does.
    NotModelled(BTreeSet<String>),
}

/// Whether an execution of a program that ends has a data race.
pub fn data_race(program: &Program, budget: Budget, cancelled: &dyn Fn() -> bool) -> RaceSearch {
    let mut explorer = Explorer::for_races(budget, cancelled);
    explorer.explore(program);
    match explorer {
        Explorer { race: Some(found), .. } => RaceSearch::Found(found),
        Explorer { not_modelled, .. } if !not_modelled.is_empty() => RaceSearch::NotModelled(not_modelled),
        Explorer { complete: false, .. } => RaceSearch::Unknown,
        _ => RaceSearch::None,
    }
}

impl<'a> Explorer<'_, 'a> {
    /// Keeps the decided execution if it has a data race. Restores causality afterwards.
    pub fn finish_race(&mut self, branch: &mut Branch<'_, 'a>) {
        let run = &branch.candidate.run;
        let is_undefined = |write: usize| run.events[write].is_undefined(run.program);
        if branch.partial.reads_from.edges().any(|(write, _)| is_undefined(write)) {
            self.race = Some(UndefinedExecution::UndefinedRead);
            return;
        }
        self.each_order(branch, &RaceVisitor);
    }
}

/// Keeps an execution with a data race.
struct RaceVisitor;

impl<'a> OrderVisitor<'a> for RaceVisitor {
    fn may_matter(&self, branch: &Branch<'_, 'a>) -> bool {
        unordered(branch).next().is_some()
    }

    fn visit(&self, explorer: &mut Explorer<'_, 'a>, branch: &Branch<'_, 'a>, pairing: &BarrierPairing) {
        explorer.race = race(branch, pairing).map(|race| UndefinedExecution::Race(Box::new(race)));
    }
}

/// The conflicting accesses that base causality order, which causality order includes at one address, does not relate.
fn unordered<'b>(branch: &'b Branch) -> impl Iterator<Item = [usize; 2]> + 'b {
    let (events, base) = (&branch.candidate.run.events, &branch.partial.base_causality_order);
    let pairs = (0..events.len()).flat_map(move |a| (a + 1..events.len()).map(move |b| [a, b]));
    pairs.filter(move |[a, b]| conflict(&events[*a], &events[*b]) && !base.relates(*a, *b))
}

/// Whether two accesses of different threads may race.
fn conflict(a: &Event, b: &Event) -> bool {
    let writes = |event: &Event| event.kind == EventKind::Write;
    a.thread.is_some()
        && b.thread.is_some()
        && a.thread != b.thread
        && a.is_memory()
        && b.is_memory()
        && a.same_memory(b)
        && (writes(a) || writes(b))
        && !a.atomic(b)
}

/// The decided execution with a race, if it has one.
fn race(branch: &Branch, pairing: &BarrierPairing) -> Option<DataRace> {
    let execution = complete_execution(branch, pairing, |_, _| true)?;
    // An update is one operation: where its write is observed, its read is before, too.
    let halves = |at: usize| [Some(at), execution.events[at].partner].into_iter().flatten();
    // What is after a weak write that has overwritten an earlier one is after that one, too; and a read does not see the write of an operation that is issued
    // later.
    let same_memory = |a: usize, b: usize| execution.events[a].same_memory(&execution.events[b]);
    let cause = execution.causality_order.filter(same_memory);
    let is_write = |at: usize| execution.events[at].kind == EventKind::Write;
    let overwritten = cause.filter(|a, by| is_write(a) && is_write(by) && !execution.events[by].strong).closure();
    let order = cause.union(&overwritten.then(&cause)).union(&execution.overwrites);
    let is_ordered = |[a, b]: [usize; 2]| halves(a).any(|a| halves(b).any(|b| order.relates(a, b)));
    let accesses = unordered(branch).find(|pair| !is_ordered(*pair))?;
    Some(DataRace { execution, accesses })
}
