//! What a search found: every outcome once, each with the choices that an execution with it is rebuilt from.

use crate::Bits;
use crate::barrier::BarrierPairing;
use crate::candidate_execution::CandidateExecution;
use crate::coherence::{CoherenceProblem, Scratch};
use crate::execution::{Choices, Execution};
use crate::partial_execution::PartialExecution;
use crate::program::Observable;
use crate::reads_from::ReadsFrom;
use crate::relation::Relation;
use crate::rows::{OutcomeRows, SortedOutcomes};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What an execution is rebuilt from, besides the choices that are kept elsewhere.
#[derive(Debug)]
struct WitnessSeed<'a> {
    candidate: Arc<CandidateExecution<'a>>,
    /// The pairing of barriers that depended on values.
    pairing: Arc<BarrierPairing>,
    /// Where its choices begin: what each event reads, then in which direction each pair of `fence.sc` is ordered.
    choices: usize,
}

/// What is found while a search goes on.
#[derive(Debug, Default)]
pub(crate) struct OutcomeSet<'a> {
    /// Every outcome once.
    pub rows: OutcomeRows,
    /// One for each outcome.
    seeds: Vec<WitnessSeed<'a>>,
    /// The choices of one seed behind those of the other.
    choices: Vec<u8>,
}

impl<'a> OutcomeSet<'a> {
    /// Nothing yet; outcomes will have so many values.
    pub fn new(width: usize) -> Self {
        OutcomeSet { rows: OutcomeRows::new(width), ..OutcomeSet::default() }
    }

    /// Keeps an outcome with what shows it, if it is new; says whether it is.
    pub fn keep(
        &mut self,
        outcome: &[Bits],
        candidate: &Arc<CandidateExecution<'a>>,
        partial: &PartialExecution,
        pairing: &Arc<BarrierPairing>,
    ) -> bool {
        if !self.rows.add(outcome) {
            return false;
        }
        let choices = self.choices.len();
        self.seeds.push(WitnessSeed { candidate: candidate.clone(), pairing: pairing.clone(), choices });
        self.choices.extend_from_slice(partial.reads_from.bytes());
        let forward = |(a, b): &(usize, usize)| u8::from(partial.base_causality_order.contains(*a, *b));
        self.choices.extend(candidate.sc_pairs.iter().map(forward));
        true
    }
}

/// The outcomes of a program.
#[derive(Debug)]
pub struct Outcomes<'a> {
    /// Whether these are all; if not, some may be missing.
    pub complete: bool,
    /// What the model does not define, in sentences for people; where there is one, the outcomes mean nothing.
    pub not_modelled: BTreeSet<String>,
    observed: Vec<Observable>,
    rows: SortedOutcomes,
    seeds: Vec<WitnessSeed<'a>>,
    choices: Vec<u8>,
}

impl<'a> Outcomes<'a> {
    pub(crate) fn new(
        observed: &[Observable],
        complete: bool,
        not_modelled: BTreeSet<String>,
        OutcomeSet { rows, seeds, choices }: OutcomeSet<'a>,
    ) -> Self {
        Outcomes { observed: observed.to_vec(), complete, not_modelled, rows: rows.sorted(), seeds, choices }
    }

    /// Every outcome once, ordered.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &[Bits]> {
        self.rows.all()
    }

    /// Every outcome once, ordered, without the executions that show them.
    pub fn into_rows(self) -> SortedOutcomes {
        self.rows
    }

    /// An execution with the outcome of an index.
    pub fn witness(&self, index: usize) -> Option<Execution> {
        let seed = self.seeds.get(self.rows.number(index)?)?;
        let candidate = &seed.candidate;
        let (reads_from, forward) = self.choices.get(seed.choices..)?.split_at_checked(candidate.run.events.len())?;
        let directed = |((a, b), forward): (&(usize, usize), &u8)| if *forward == 1 { (*a, *b) } else { (*b, *a) };
        let fence_sc: Vec<(usize, usize)> = candidate.sc_pairs.iter().zip(forward).map(directed).collect();
        let barriers = [&candidate.barriers[..], &seed.pairing].concat();
        let mut partial = PartialExecution::resume(candidate, ReadsFrom::from_bytes(reads_from), Vec::new());
        partial.base_causality_order.extend_transitive(&barriers);
        partial.base_causality_order.extend_transitive(&fence_sc);
        let coherence = self.coherence_order(self.rows.get(index), candidate, &partial)?;
        let choices = Choices { barriers: &barriers, fence_sc: &fence_sc, coherence: &coherence };
        Some(Execution::new(candidate, &partial, &choices))
    }

    /// A coherence order whose last writes have the values of an outcome.
    fn coherence_order(
        &self,
        outcome: &[Bits],
        candidate: &CandidateExecution,
        partial: &PartialExecution,
    ) -> Option<Relation> {
        let mut scratch = Scratch::default();
        let mut all = Relation::empty(candidate.run.events.len());
        for location in candidate.locations.iter().copied() {
            let mut values = self.observed.iter().zip(outcome);
            let expected = values.find(|(observable, _)| observable.memory(candidate.run.program) == Some(location));
            let writes = candidate.accesses[location] & candidate.writes;
            let mut found = None;
            CoherenceProblem::new(candidate, partial, location).solve(&mut scratch, &mut |order| {
                let mut last = order.maximal(writes).into_iter();
                let fits =
                    expected.is_none_or(|(_, value)| last.any(|write| partial.value(candidate, write) == Some(*value)));
                if fits {
                    found = Some(order.clone());
                }
                fits
            });
            all = all.union(&found?);
        }
        Some(all)
    }
}
