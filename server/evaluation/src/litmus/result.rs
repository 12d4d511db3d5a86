//! What the model says of a litmus test.
//!
//! Must not know how it is shown.

use super::test::Test;
use memory_model::{
    Bits, Budget, ClaimVerdict, Counterexample, Execution, Quantifier, SortedOutcomes, counterexample, explore,
};

/// How far is looked while somebody waits before an editor.
pub const WAITING: Budget = Budget { steps: 100_000, loop_iterations: 4, outcomes: 10_000 };

/// The answer to a test: its verdict and its outcomes.
#[derive(Debug)]
pub struct LitmusResult {
    /// Whether the claim is true.
    pub verdict: ClaimVerdict,
    /// Whether the outcomes are all.
    pub complete: bool,
    /// What the model does not speak of, in sentences for people.
    pub not_modelled: Vec<String>,
    /// All that was found, and of what counts, by index, whether the condition holds for it.
    found: SortedOutcomes,
    kept: Vec<(usize, bool)>,
    /// An execution for each outcome that was asked for, by index.
    pub witnesses: Vec<(usize, Execution)>,
    /// Where no outcome is as the condition has it: what forbids it.
    pub counterexample: Option<Counterexample>,
}

impl LitmusResult {
    /// Every outcome, in the order of `Test::observed`, and whether the condition holds for it.
    pub fn outcomes(&self) -> impl ExactSizeIterator<Item = (&[Bits], bool)> {
        self.kept.iter().map(|(at, holds)| (self.found.get(*at), *holds))
    }
}

/// Which executions shall be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedExecutions {
    /// None.
    Nothing,
    /// The one that decides.
    Decisive,
    /// One for each outcome.
    All,
}

/// What the model says of a test without errors.
pub fn answer(test: &Test, wanted: WantedExecutions, budget: Budget) -> LitmusResult {
    let observed = test.observables();
    let found = explore(&test.program, &observed, budget);
    let keeps = |outcome: &[Bits]| test.filter.as_ref().is_none_or(|filter| filter.holds(&observed, outcome));
    let holds = |outcome: &[Bits]| match &test.claim {
        Some(claim) => claim.condition.holds(&observed, outcome),
        None => true,
    };
    let kept: Vec<(usize, bool)> = found
        .all()
        .enumerate()
        .filter(|(_, outcome)| keeps(outcome))
        .map(|(at, outcome)| (at, holds(outcome)))
        .collect();
    let some = |expected: bool| kept.iter().position(|(_, holds)| *holds == expected);
    let complete = found.complete && found.not_modelled.is_empty();
    let quantifier = test.claim.as_ref().map_or(Quantifier::Exists, |claim| claim.quantifier);
    let verdict = match found.not_modelled.is_empty() {
        true => quantifier.verdict(some(true).is_some(), some(false).is_some(), complete),
        false => ClaimVerdict::Unknown,
    };
    // What decides is an outcome of the kind that the quantifier speaks of.
    let telling = quantifier != Quantifier::ForAll;
    let shown: Vec<usize> = match wanted {
        WantedExecutions::Nothing => Vec::new(),
        WantedExecutions::Decisive => some(telling).into_iter().collect(),
        WantedExecutions::All => (0..kept.len()).collect(),
    };
    let witnesses = shown.iter().filter_map(|at| Some((*at, found.witness(kept[*at].0)?))).collect();
    let counterexample = match (wanted, some(telling)) {
        (WantedExecutions::Decisive | WantedExecutions::All, None) if complete => {
            counterexample(&test.program, &observed, &|outcome| keeps(outcome) && holds(outcome) == telling)
        }
        _ => None,
    };
    let not_modelled = found.not_modelled.iter().cloned().collect();
    LitmusResult { verdict, complete, not_modelled, found: found.into_rows(), kept, witnesses, counterexample }
}
