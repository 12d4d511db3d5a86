//! The search for an execution that does not end.
//!
//! An endless execution in which finitely much is written is one whose threads, from some point on, repeat loop iterations that change
//! nothing, or wait. The search of `explore` finds the executions up to there: a thread that waits is treated as one that has stopped.

use crate::barrier::{BarrierPairing, pairings};
use crate::branch::Branch;
use crate::coherence::{CoherenceProblem, Scratch};
use crate::endless::{EndlessExecution, Repetitions};
use crate::execution::{Choices, Execution};
use crate::explore::{Budget, Explorer};
use crate::fairness::Fairness;
use crate::instruction::{BarrierMode, ModelInstruction};
use crate::program::Program;
use crate::relation::Relation;
use std::collections::BTreeSet;

/// Whether every execution of a program ends.
#[derive(Clone, Debug)]
pub enum Termination {
    /// Every fair execution ends.
    Ends,
    /// A fair execution does not end.
    Endless(Box<EndlessExecution>),
    /// The search limit was reached first. Threads that write without end are not followed, for example.
    Unknown,
    /// The model does not define what the program does.
    NotModelled(BTreeSet<String>),
}

/// Whether every fair execution of a program ends.
pub fn termination(program: &Program, fairness: Fairness, budget: Budget) -> Termination {
    if !may_be_endless(program) {
        return Termination::Ends;
    }
    let mut explorer = Explorer::for_endless(fairness, budget);
    explorer.explore(program);
    match explorer {
        Explorer { endless: Some(found), .. } => Termination::Endless(Box::new(found)),
        Explorer { not_modelled, .. } if !not_modelled.is_empty() => Termination::NotModelled(not_modelled),
        Explorer { complete: false, .. } => Termination::Unknown,
        _ => Termination::Ends,
    }
}

/// Whether a program has a loop or a wait.
pub fn may_be_endless(program: &Program) -> bool {
    program.threads.iter().flat_map(|thread| thread.code.iter().enumerate()).any(
        |(at, instruction)| match instruction {
            ModelInstruction::Branch { target, .. } => *target <= at,
            ModelInstruction::Barrier { mode, .. } => *mode != BarrierMode::Arrive,
            _ => false,
        },
    )
}

impl<'a> Explorer<'_, 'a> {
    /// Keeps the decided execution if it does not end and is fair. Restores causality afterwards.
    pub fn finish_endless(&mut self, branch: &mut Branch<'_, 'a>, fairness: Fairness) {
        let run = &branch.candidate.run;
        if !run.is_endless() || !run.awaits_what_ends() {
            return;
        }
        let Some(repetitions) = run.repetitions().filter(|repetitions| repeat(branch, repetitions)) else { return };
        let depends_on_values = !run.barriers.is_empty() && pairings(run, &run.constants()).is_none();
        let known = if depends_on_values { pairings(run, &branch.partial.values) } else { None };
        for pairing in known.unwrap_or_else(|| vec![BarrierPairing::new()]) {
            let saved = branch.partial.base_causality_order.clone();
            branch.partial.base_causality_order.extend_transitive(&pairing);
            branch.partial.force_fence_sc(branch.candidate, None);
            self.order_fences_of_endless(branch, &pairing, (&repetitions, fairness));
            branch.partial.base_causality_order = saved;
        }
    }

    /// Tries every order of the morally strong fences, until one is fair.
    fn order_fences_of_endless(
        &mut self,
        branch: &mut Branch<'_, 'a>,
        pairing: &BarrierPairing,
        (repetitions, fairness): (&Repetitions, Fairness),
    ) {
        if self.endless.is_some() || branch.has_fence_cycle() || self.limit_reached() {
            return;
        }
        let candidate = branch.candidate;
        let base = &branch.partial.base_causality_order;
        let Some(&(a, b)) = candidate.sc_pairs.iter().find(|(a, b)| !base.relates(*a, *b)) else {
            self.endless = endless_execution(branch, pairing, repetitions, fairness);
            return;
        };
        for (a, b) in [(a, b), (b, a)] {
            let saved = branch.partial.base_causality_order.clone();
            branch.partial.base_causality_order.insert_transitive(a, b);
            branch.partial.force_fence_sc(candidate, None);
            self.order_fences_of_endless(branch, pairing, (repetitions, fairness));
            branch.partial.base_causality_order = saved;
        }
    }
}

/// Whether each repeated read reads what it read before.
fn repeat(branch: &Branch, repetitions: &Repetitions) -> bool {
    let (reads_from, events) = (&branch.partial.reads_from, &branch.candidate.run.events);
    let source = |at: usize| repetitions.writes.source(at, |at| reads_from.write_of(at), |at| events[at].partner);
    repetitions.reads.iter().all(|(first, second)| source(*first).is_some() && source(*first) == source(*second))
}

/// The execution with a coherence order in which what the repeated reads read is last, if there is one.
fn endless_execution(
    branch: &Branch,
    pairing: &BarrierPairing,
    repetitions: &Repetitions,
    fairness: Fairness,
) -> Option<EndlessExecution> {
    let Branch { candidate, partial, .. } = branch;
    if partial.reads_later_operation(candidate) {
        return None;
    }
    let mut scratch = Scratch::default();
    let mut coherence = Relation::empty(candidate.run.events.len());
    for location in candidate.locations.iter().copied() {
        let here = |(read, _): &(usize, usize)| candidate.run.events[*read].physical == location;
        let reads = repetitions.reads.iter().filter_map(|(_, read)| Some((*read, partial.reads_from.write_of(*read)?)));
        let reads: Vec<(usize, usize)> = reads.filter(here).collect();
        let mut found = None;
        CoherenceProblem::new(candidate, partial, location).solve(&mut scratch, &mut |order| {
            let is_last = |(read, from): &(usize, usize)| {
                let later = (order.successors(*from) & candidate.writes) - repetitions.writes;
                let seen = candidate.atomic.successors(*read);
                (if fairness == Fairness::EveryWrite { later } else { later & seen }).is_empty()
            };
            let is_fair = reads.iter().all(is_last);
            if is_fair {
                found = Some(order.clone());
            }
            is_fair
        });
        coherence = coherence.union(&found?);
    }
    let barriers = [&candidate.barriers[..], pairing].concat();
    let forward = |&(a, b): &(usize, usize)| {
        if partial.base_causality_order.contains(a, b) { (a, b) } else { (b, a) }
    };
    let fence_sc: Vec<(usize, usize)> = candidate.sc_pairs.iter().map(forward).collect();
    let choices = Choices { barriers: &barriers, fence_sc: &fence_sc, coherence: &coherence };
    let threads = candidate.run.threads.iter().enumerate();
    Some(EndlessExecution {
        execution: Execution::new(candidate, partial, &choices),
        waits: threads.filter_map(|(thread, state)| Some((thread, state.endless_wait?))).collect(),
    })
}
