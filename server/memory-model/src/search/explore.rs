//! The search for all outcomes that the axioms allow.
//!
//! Reads are decided one after the other. A branch that violates an axiom is abandoned. Threads resume as soon as the branch condition that
//! they wait for is decided. A read may be postponed until a later write exists, so no outcome is missed. Reads that can only be decided
//! in a cycle would read out-of-thin-air values.

use crate::Bits;
use crate::code::program::{Observable, Program};
use crate::model::fairness::Fairness;
use crate::relations::barrier::{pairings, too_many_pairings};
use crate::relations::candidate_execution::CandidateExecution;
use crate::relations::event_set::{EventSet, MAX_EVENTS};
use crate::relations::partial_execution::PartialExecution;
use crate::relations::undefined_execution::UndefinedExecution;
use crate::runs::run::{ProgramRun, RunKind, Stop};
use crate::search::branch::Branch;
use crate::search::endless::EndlessExecution;
use crate::search::outcomes::{OutcomeSet, Outcomes};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most search steps.
    pub steps: u64,
    /// The most loop iterations of a thread. Iterations that only wait do not count.
    pub loop_iterations: u32,
    /// The most outcomes.
    pub outcomes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { steps: 20_000_000, loop_iterations: 8, outcomes: 1 << 20 }
    }
}

/// All outcomes of a program: the values of the observables.
pub fn explore<'a>(program: &'a Program, observed: &[Observable], budget: Budget) -> Outcomes<'a> {
    explore_cancellable(program, observed, budget, &|| false)
}

/// All outcomes of a program, or those found until the search is cancelled.
pub fn explore_cancellable<'a>(
    program: &'a Program,
    observed: &[Observable],
    budget: Budget,
    cancelled: &dyn Fn() -> bool,
) -> Outcomes<'a> {
    let locations: BTreeSet<usize> = observed.iter().filter_map(|observable| observable.memory(program)).collect();
    let mut explorer = Explorer {
        observed,
        observed_locations: locations.into_iter().collect(),
        cancelled,
        ..Explorer::new(SearchGoal::Outcomes, observed.len(), budget)
    };
    explorer.explore(program);
    let Explorer { complete, not_modelled, found, .. } = explorer;
    Outcomes::new(observed, complete, not_modelled, found)
}

/// What a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchGoal {
    /// All outcomes.
    Outcomes,
    /// An execution that does not end.
    Endless(Fairness),
    /// An execution with a data race.
    Race,
}

pub(crate) struct Explorer<'o, 'a> {
    pub observed: &'o [Observable],
    /// The locations whose final values are observed, by the index of the location that is no alias.
    pub observed_locations: Vec<usize>,
    pub cancelled: &'o dyn Fn() -> bool,
    pub budget: Budget,
    pub steps: u64,
    pub found: OutcomeSet<'a>,
    /// A buffer for an outcome.
    pub outcome: Vec<Bits>,
    pub complete: bool,
    pub not_modelled: BTreeSet<String>,
    goal: SearchGoal,
    /// The execution that does not end.
    pub endless: Option<EndlessExecution>,
    /// The execution with a data race, or an undefined read.
    pub race: Option<UndefinedExecution>,
}

impl<'o> Explorer<'o, '_> {
    /// A search for a data race.
    pub fn for_races(budget: Budget, cancelled: &'o dyn Fn() -> bool) -> Self {
        Explorer { cancelled, ..Explorer::new(SearchGoal::Race, 0, budget) }
    }
}

impl<'a> Explorer<'_, 'a> {
    fn new(goal: SearchGoal, width: usize, budget: Budget) -> Self {
        Explorer {
            observed: &[],
            observed_locations: Vec::new(),
            cancelled: &|| false,
            budget,
            steps: 0,
            found: OutcomeSet::new(width),
            outcome: Vec::with_capacity(width),
            complete: true,
            not_modelled: BTreeSet::new(),
            goal,
            endless: None,
            race: None,
        }
    }

    /// A search for an execution that does not end.
    pub fn for_endless(fairness: Fairness, budget: Budget) -> Self {
        Explorer::new(SearchGoal::Endless(fairness), 0, budget)
    }

    /// Searches the executions of a program.
    pub fn explore(&mut self, program: &'a Program) {
        // Each location has an event for its initial value, and the set of events must hold others too.
        if program.locations.len() > MAX_EVENTS / 2 {
            let message = format!("{} locations exceed the limit of {}", program.locations.len(), MAX_EVENTS / 2);
            self.not_modelled.insert(message);
            return;
        }
        if let Some(message) = too_many_pairings(program) {
            self.not_modelled.insert(message);
            return;
        }
        let kind = match self.goal {
            SearchGoal::Outcomes | SearchGoal::Race => RunKind::Ending,
            SearchGoal::Endless(_) => RunKind::Endless,
        };
        self.resume(ProgramRun::new(program, self.budget.loop_iterations, kind), &PartialExecution::default());
    }

    /// Resumes the threads of a run and decides the remaining reads of each resulting run.
    fn resume(&mut self, run: ProgramRun<'a>, partial: &PartialExecution) {
        let mut runs = Vec::new();
        for stop in run.advance(&partial.values, &mut runs) {
            match stop {
                Stop::Redundant => {}
                Stop::TooLong => self.complete = false,
                Stop::NotModelled(what) => {
                    self.not_modelled.insert(what);
                }
            }
        }
        for run in runs {
            let known = if run.done() { pairings(&run, &run.constants()) } else { None };
            for pairing in known.unwrap_or_else(|| vec![Vec::new()]) {
                let candidate = Arc::new(CandidateExecution::new(run.clone(), &pairing));
                let mut next =
                    PartialExecution::resume(&candidate, partial.reads_from.clone(), partial.postponed.clone());
                next.force_fence_sc(&candidate, None);
                let possible = next.propagate_values(&candidate, &mut Vec::new());
                let mut branch = Branch::new(&candidate, next);
                if possible && branch.is_consistent() {
                    self.decide(&mut branch);
                }
            }
        }
    }

    /// Decides the next read, with each write that it may read.
    fn decide(&mut self, branch: &mut Branch<'_, 'a>) {
        if self.has_found() || self.limit_reached() {
            return;
        }
        let candidate = branch.candidate;
        if candidate.incomplete && candidate.run.can_resume(&branch.partial.values) {
            return self.resume(candidate.run.clone(), &branch.partial);
        }
        let Some(read) = self.next_read(branch) else {
            if branch.partial.decided == candidate.reads && candidate.run.done() {
                match self.goal {
                    SearchGoal::Outcomes => self.finish(branch),
                    SearchGoal::Endless(fairness) => self.finish_endless(branch, fairness),
                    SearchGoal::Race => self.finish_race(branch),
                }
            }
            return;
        };
        let is_futile = match self.goal {
            SearchGoal::Outcomes => self.adds_no_outcome(branch),
            SearchGoal::Endless(_) => candidate.run.done() && !candidate.run.is_endless(),
            SearchGoal::Race => false,
        };
        if is_futile {
            return;
        }
        let mut trail = Vec::new();
        for write in branch.readable(read) {
            branch.partial.decide(read, write);
            if branch.partial.propagate_value(candidate, read, &mut trail) {
                self.decide_with_causality(branch, read);
            }
            branch.partial.undo(read, &mut trail);
        }
        if candidate.incomplete && branch.partial.postponed[read] < candidate.run.generation {
            let before = std::mem::replace(&mut branch.partial.postponed[read], candidate.run.generation);
            self.decide(branch);
            branch.partial.postponed[read] = before;
        }
    }

    /// Adds the causality that follows from the decision of a read, and decides the other reads. Restores causality afterwards.
    fn decide_with_causality(&mut self, branch: &mut Branch<'_, 'a>, read: usize) {
        let candidate = branch.candidate;
        let saved = candidate.reads_synchronize.then(|| branch.partial.base_causality_order.clone());
        let more = candidate.reads_synchronize && branch.partial.add_causality(candidate, read);
        let location = candidate.run.events[read].physical;
        if if more { branch.is_consistent() } else { branch.is_consistent_at(location) } {
            self.decide(branch);
        }
        if more && let Some(saved) = saved {
            branch.partial.base_causality_order = saved;
        }
    }

    /// The read that is decided next: one that a waiting thread depends on, then one that an observable depends on, else the first.
    fn next_read(&self, branch: &Branch) -> Option<usize> {
        let (candidate, partial, run) = (branch.candidate, &branch.partial, &branch.candidate.run);
        let may_be_decided = |read: usize| partial.postponed[read] < run.generation || partial.postponed[read] == 0;
        let mut open = candidate.located_reads - partial.decided;
        if candidate.incomplete {
            open = open.filter(may_be_decided);
        }
        let union = |nodes: &mut dyn Iterator<Item = usize>| {
            nodes.fold(EventSet::EMPTY, |all, node| all | run.dependencies[node])
        };
        let mut needed = union(&mut run.threads.iter().filter_map(|thread| thread.waits_for));
        if needed.is_empty() {
            needed = union(&mut self.observed.iter().filter_map(|observable| match observable {
                Observable::Register(thread, register) => Some(run.threads[*thread].registers[*register]),
                Observable::Location(_) => None,
            }));
        }
        (open & partial.sources(candidate, needed)).first().or(open.first())
    }
}
