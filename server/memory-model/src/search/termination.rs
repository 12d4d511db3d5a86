//! The search for an execution that does not end.
//!
//! An endless execution in which finitely much is written is one whose threads, from some point on, repeat loop iterations that change
//! nothing, or wait. The search of `explore` finds the executions up to there: a thread that waits is treated as one that has stopped.

use crate::code::instruction::{BarrierMode, ModelInstruction};
use crate::code::program::Program;
use crate::model::fairness::Fairness;
use crate::relations::barrier::BarrierPairing;
use crate::relations::complete_execution::{OrderVisitor, complete_execution};
use crate::relations::relation::Relation;
use crate::search::branch::Branch;
use crate::search::endless::{EndlessExecution, Repetitions};
use crate::search::explore::{Budget, Explorer};
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
        self.each_order(branch, &EndlessVisitor { repetitions, fairness });
    }
}

/// Keeps an execution that does not end and is fair.
struct EndlessVisitor {
    repetitions: Repetitions,
    fairness: Fairness,
}

impl<'a> OrderVisitor<'a> for EndlessVisitor {
    fn may_matter(&self, _: &Branch<'_, 'a>) -> bool {
        true
    }

    fn visit(&self, explorer: &mut Explorer<'_, 'a>, branch: &Branch<'_, 'a>, pairing: &BarrierPairing) {
        explorer.endless = endless_execution(branch, pairing, &self.repetitions, self.fairness);
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
    let read_at = |location: usize| {
        let reads = repetitions.reads.iter().filter_map(|(_, read)| Some((*read, partial.reads_from.write_of(*read)?)));
        reads.filter(move |(read, _)| candidate.run.events[*read].physical == location)
    };
    let is_last = |order: &Relation, (read, from): (usize, usize)| {
        let later = (order.successors(from) & candidate.writes) - repetitions.writes;
        let seen = candidate.atomic.successors(read);
        (if fairness == Fairness::EveryWrite { later } else { later & seen }).is_empty()
    };
    let is_fair = |location: usize, order: &Relation| read_at(location).all(|read| is_last(order, read));
    let execution = complete_execution(branch, pairing, is_fair)?;
    let threads = candidate.run.threads.iter().enumerate();
    Some(EndlessExecution {
        execution,
        waits: threads.filter_map(|(thread, state)| Some((thread, state.endless_wait?))).collect(),
    })
}
