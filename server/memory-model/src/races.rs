//! The search for data races: two accesses to the same memory, one of them a write, that are not morally strong and that causality order does not
//! relate (PTX ISA, "Memory Consistency Model", conflicts and data races); and for reads of memory that nothing has written.

use crate::barrier::{BarrierPairing, pairings};
use crate::branch::Branch;
use crate::coherence::{CoherenceProblem, Scratch};
use crate::event::{Event, EventKind};
use crate::execution::{Choices, Execution};
use crate::explore::{Budget, Explorer};
use crate::program::Program;
use crate::relation::Relation;
use crate::undefined_execution::{DataRace, UndefinedExecution};
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
        let depends_on_values = !run.barriers.is_empty() && pairings(run, &run.constants()).is_none();
        let known = if depends_on_values { pairings(run, &branch.partial.values) } else { None };
        for pairing in known.unwrap_or_else(|| vec![BarrierPairing::new()]) {
            let saved = branch.partial.base_causality_order.clone();
            branch.partial.base_causality_order.extend_transitive(&pairing);
            branch.partial.force_fence_sc(branch.candidate, None);
            self.order_fences_of_race(branch, &pairing);
            branch.partial.base_causality_order = saved;
        }
    }

    /// Tries every order of the morally strong fences, until one has a race.
    fn order_fences_of_race(&mut self, branch: &mut Branch<'_, 'a>, pairing: &BarrierPairing) {
        if self.race.is_some() || branch.has_fence_cycle() || unordered(branch).next().is_none() {
            return;
        }
        if self.limit_reached() {
            return;
        }
        let candidate = branch.candidate;
        let base = &branch.partial.base_causality_order;
        let Some(&(a, b)) = candidate.sc_pairs.iter().find(|(a, b)| !base.relates(*a, *b)) else {
            self.race = race(branch, pairing).map(|race| UndefinedExecution::Race(Box::new(race)));
            return;
        };
        for (a, b) in [(a, b), (b, a)] {
            let saved = branch.partial.base_causality_order.clone();
            branch.partial.base_causality_order.insert_transitive(a, b);
            branch.partial.force_fence_sc(candidate, None);
            self.order_fences_of_race(branch, pairing);
            branch.partial.base_causality_order = saved;
        }
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
        && !a.morally_strong(b)
}

/// The decided execution with a race, if it has one.
fn race(branch: &Branch, pairing: &BarrierPairing) -> Option<DataRace> {
    let Branch { candidate, partial, .. } = branch;
    if partial.reads_later_operation(candidate) {
        return None;
    }
    let mut scratch = Scratch::default();
    let mut coherence = Relation::empty(candidate.run.events.len());
    for location in candidate.locations.iter().copied() {
        let mut found = None;
        CoherenceProblem::new(candidate, partial, location).solve(&mut scratch, &mut |order| {
            found = Some(order.clone());
            true
        });
        coherence = coherence.union(&found?);
    }
    let barriers = [&candidate.barriers[..], pairing].concat();
    let forward = |&(a, b): &(usize, usize)| {
        if partial.base_causality_order.contains(a, b) { (a, b) } else { (b, a) }
    };
    let fence_sc: Vec<(usize, usize)> = candidate.sc_pairs.iter().map(forward).collect();
    let choices = Choices { barriers: &barriers, fence_sc: &fence_sc, coherence: &coherence };
    let execution = Execution::new(candidate, partial, &choices);
    // An update is one operation: where its write is observed, its read is before, too.
    let halves = |at: usize| [Some(at), execution.events[at].partner].into_iter().flatten();
    let cause = &execution.causality_order;
    let is_ordered = |[a, b]: [usize; 2]| halves(a).any(|a| halves(b).any(|b| cause.relates(a, b)));
    let accesses = unordered(branch).find(|pair| !is_ordered(*pair))?;
    Some(DataRace { execution, accesses })
}
