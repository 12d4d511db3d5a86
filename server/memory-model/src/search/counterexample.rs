//! Counterexamples: an execution with a forbidden outcome, and the axiom that it violates.

use crate::Bits;
use crate::code::program::{Observable, Program};
use crate::model::axioms::{AXIOMS, Violation};
use crate::relations::barrier::pairings;
use crate::relations::candidate_execution::CandidateExecution;
use crate::relations::execution::{Choices, Execution};
use crate::relations::partial_execution::PartialExecution;
use crate::relations::relation::Relation;
use crate::runs::run::{ProgramRun, RunKind};

/// An execution with a forbidden outcome, and the violation.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The execution.
    pub execution: Execution,
    /// The violation; of several, that of the first axiom in the order of the PTX ISA.
    pub violation: Violation,
}

/// The most loop iterations of a thread.
const MAX_LOOP_ITERATIONS: u32 = 3;
/// The most choices of reads-from.
const MAX_CHOICES: usize = 50_000;
/// The most coherence orders.
const MAX_ORDERS: usize = 1_000_000;
/// The most executions.
const MAX_EXECUTIONS: usize = 2_000;
/// The most pairs of fences that are tried in both directions.
const MAX_FENCE_PAIRS: usize = 4;
/// The most coherence orders for one choice of reads-from: of one location, and of all.
const MAX_ORDERS_OF_LOCATION: usize = 24;
const MAX_ORDERS_OF_CHOICE: usize = 200;

/// Of the executions whose outcome satisfies a condition, one that violates the fewest axioms. `None` if the search limits are reached
/// first, or if no choice of reads-from has such an outcome.
pub fn counterexample(
    program: &Program,
    observed: &[Observable],
    holds: &dyn Fn(&[Bits]) -> bool,
) -> Option<Counterexample> {
    let mut search = Search { observed, holds, choices: 0, orders: 0, executions: 0, best: None };
    search.resume(ProgramRun::new(program, MAX_LOOP_ITERATIONS, RunKind::Ending), &PartialExecution::default());
    search.best.map(|(_, found)| found)
}

/// The number of violated axioms, then the number of edges that show the violation.
type Rank = (usize, usize);

struct Search<'o> {
    observed: &'o [Observable],
    holds: &'o dyn Fn(&[Bits]) -> bool,
    choices: usize,
    orders: usize,
    executions: usize,
    best: Option<(Rank, Counterexample)>,
}

impl Search<'_> {
    fn limit_reached(&self) -> bool {
        self.choices > MAX_CHOICES || self.orders > MAX_ORDERS || self.executions > MAX_EXECUTIONS
    }

    /// Resumes the threads of a run and decides the reads of each resulting run.
    fn resume(&mut self, run: ProgramRun, partial: &PartialExecution) {
        let mut runs = Vec::new();
        run.advance(&partial.values, &mut runs);
        for run in runs {
            let candidate = CandidateExecution::new(run, &[]);
            let mut next = PartialExecution::resume(&candidate, partial.reads_from.clone(), Vec::new());
            if next.propagate_values(&candidate, &mut Vec::new()) {
                self.decide(&candidate, &mut next);
            }
        }
    }

    fn decide(&mut self, candidate: &CandidateExecution, partial: &mut PartialExecution) {
        self.choices += 1;
        if self.limit_reached() {
            return;
        }
        if candidate.run.can_resume(&partial.values) {
            return self.resume(candidate.run.clone(), partial);
        }
        let Some(read) = (candidate.located_reads - partial.decided).first() else {
            if candidate.run.done() {
                self.finish(candidate, partial);
            }
            return;
        };
        let mut trail = Vec::new();
        for write in candidate.same_memory(read) & candidate.writes {
            if partial.depends(candidate, write, read) {
                continue;
            }
            partial.decide(read, write);
            if partial.propagate_values(candidate, &mut trail) {
                self.decide(candidate, partial);
            }
            partial.undo(read, &mut trail);
        }
    }

    /// Tries every pairing of barriers, order of fences and coherence order.
    fn finish(&mut self, candidate: &CandidateExecution, partial: &PartialExecution) {
        let orders = coherence_orders(candidate);
        for barriers in pairings(&candidate.run, &partial.values).unwrap_or_default() {
            for fence_sc in fence_sc_orders(candidate) {
                self.orders += orders.len();
                for coherence in &orders {
                    if !self.has_outcome(candidate, partial, coherence) {
                        continue;
                    }
                    self.executions += 1;
                    if self.limit_reached() {
                        return;
                    }
                    let choices = Choices { barriers: &barriers, fence_sc: &fence_sc, coherence };
                    self.consider(Execution::new(candidate, partial, &choices));
                }
            }
        }
    }

    /// Keeps an execution if it ranks before the best counterexample so far.
    fn consider(&mut self, execution: Execution) {
        let violations: Vec<_> = AXIOMS.iter().filter_map(|axiom| axiom.violated(&execution)).collect();
        let Some(violation) = violations.first().cloned() else { return };
        let rank = (violations.len(), violation.edges.len());
        if self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.best = Some((rank, Counterexample { execution, violation }));
        }
    }

    /// Whether the condition holds for the outcome.
    fn has_outcome(&self, candidate: &CandidateExecution, partial: &PartialExecution, coherence: &Relation) -> bool {
        let value = |observable: &Observable| match observable {
            Observable::Register(thread, register) => partial.register(candidate, *thread, *register),
            Observable::Location(at) => {
                let writes = candidate.accesses[candidate.run.program.physical(*at)] & candidate.writes;
                coherence.maximal(writes).first().and_then(|write| partial.value(candidate, write))
            }
        };
        let outcome: Option<Vec<Bits>> = self.observed.iter().map(value).collect();
        outcome.is_some_and(|outcome| (self.holds)(&outcome))
    }
}

/// Every order of the morally strong pairs of `fence.sc`, up to [`MAX_FENCE_PAIRS`].
fn fence_sc_orders(candidate: &CandidateExecution) -> impl Iterator<Item = Vec<(usize, usize)>> {
    let pairs = &candidate.sc_pairs;
    let is_reversed = |choice: usize, at: usize| at < MAX_FENCE_PAIRS && choice >> at & 1 == 1;
    (0..1 << pairs.len().min(MAX_FENCE_PAIRS)).map(move |choice| {
        let directed =
            |(at, (a, b)): (usize, &(usize, usize))| if is_reversed(choice, at) { (*b, *a) } else { (*a, *b) };
        pairs.iter().enumerate().map(directed).collect()
    })
}

/// Total coherence orders that include program order, up to the limits.
fn coherence_orders(candidate: &CandidateExecution) -> Vec<Relation> {
    let mut all = vec![Relation::empty(candidate.run.events.len())];
    for accesses in &candidate.accesses {
        let writes: Vec<usize> = (*accesses & candidate.writes).into_iter().collect();
        let sequences = write_sequences(candidate, &writes);
        let longer = |order: &Relation, sequence: &Vec<usize>| {
            let mut order = order.clone();
            for (at, a) in sequence.iter().enumerate() {
                sequence[at + 1..].iter().for_each(|b| order.insert(*a, *b));
            }
            order
        };
        let products = all.iter().flat_map(|order| sequences.iter().map(move |sequence| longer(order, sequence)));
        all = products.take(MAX_ORDERS_OF_CHOICE).collect();
    }
    all
}

/// The sequences of the writes to one location that include program order. The initial value is first.
fn write_sequences(candidate: &CandidateExecution, writes: &[usize]) -> Vec<Vec<usize>> {
    let mut sequences = vec![Vec::new()];
    for write in writes {
        let is_before = |other: &usize| candidate.program_order.contains(*other, *write) || *other == writes[0];
        let with_write = |sequence: &Vec<usize>| -> Vec<Vec<usize>> {
            let earliest = sequence.iter().rposition(is_before).map_or(0, |at| at + 1);
            let insert = |at: usize| [&sequence[..at], &[*write], &sequence[at..]].concat();
            (earliest..=sequence.len()).rev().map(insert).collect()
        };
        sequences = sequences.iter().flat_map(with_write).take(MAX_ORDERS_OF_LOCATION).collect();
    }
    sequences
}
