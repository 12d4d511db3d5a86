//! The outcomes that a search found, each once, with the choices from which a witness execution is rebuilt.

use crate::Bits;
use crate::code::program::Observable;
use crate::model::coherence::{CoherenceProblem, Scratch};
use crate::relations::barrier::BarrierPairing;
use crate::relations::candidate_execution::CandidateExecution;
use crate::relations::execution::{Choices, Execution};
use crate::relations::partial_execution::PartialExecution;
use crate::relations::reads_from::ReadsFrom;
use crate::relations::relation::Relation;
use crate::search::rows::{OutcomeRows, SortedOutcomes};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The data from which a witness is rebuilt, besides its choices.
#[derive(Debug)]
struct WitnessSeed<'a> {
    candidate: Arc<CandidateExecution<'a>>,
    /// The pairing of barriers that depended on values.
    pairing: Arc<BarrierPairing>,
    /// The offset of its choices: the write that each event reads, then the direction of each pair of `fence.sc`.
    choices: usize,
}

/// The outcomes found so far.
#[derive(Debug, Default)]
pub(crate) struct OutcomeSet<'a> {
    /// Every outcome once.
    pub rows: OutcomeRows,
    /// One for each outcome.
    seeds: Vec<WitnessSeed<'a>>,
    /// The choices of all seeds, one after the other.
    choices: Vec<u8>,
}

impl<'a> OutcomeSet<'a> {
    /// An empty set of outcomes with this number of values.
    pub fn new(width: usize) -> Self {
        OutcomeSet { rows: OutcomeRows::new(width), ..OutcomeSet::default() }
    }

    /// Adds an outcome and its witness; returns whether the outcome is new.
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
    /// Whether these are all outcomes.
    pub complete: bool,
    /// Messages about what the model does not define. If there are any, the outcomes are meaningless.
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

    /// Every outcome once, ordered, without witnesses.
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

    /// A coherence order whose last writes have the values of the outcome.
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
                let matches_outcome =
                    expected.is_none_or(|(_, value)| last.any(|write| partial.value(candidate, write) == Some(*value)));
                if matches_outcome {
                    found = Some(order.clone());
                }
                matches_outcome
            });
            all = all.union(&found?);
        }
        Some(all)
    }
}
