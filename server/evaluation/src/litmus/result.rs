//! The result of a litmus test: its verdict and its outcomes.

use super::termination::TestTermination;
use super::test::Test;
use memory_model::{
    Bits, Budget, ClaimEvidence, ClaimVerdict, Counterexample, Execution, Quantifier, SortedOutcomes, counterexample,
    explore,
};

/// The search limits for an interactive request of an editor.
pub const INTERACTIVE: Budget = Budget { steps: 100_000, loop_iterations: 4, outcomes: 10_000 };

/// The result of a test.
#[derive(Debug)]
pub struct LitmusResult {
    /// The verdict on the claim.
    pub verdict: ClaimVerdict,
    /// Whether all outcomes were found.
    pub complete: bool,
    /// Messages about what the model does not define.
    pub not_modelled: Vec<String>,
    /// All outcomes; and the indices of those that the filter keeps, with whether the condition holds for them.
    found: SortedOutcomes,
    kept: Vec<(usize, bool)>,
    /// A witness execution for each requested outcome, by index.
    pub witnesses: Vec<(usize, Execution)>,
    /// An execution that shows why no outcome matches the condition.
    pub counterexample: Option<Counterexample>,
    /// Whether every execution ends, if the test has a loop or a wait.
    pub termination: Option<TestTermination>,
}

impl LitmusResult {
    /// Every outcome, in the order of `Test::observed`, and whether the condition holds for it.
    pub fn outcomes(&self) -> impl ExactSizeIterator<Item = (&[Bits], bool)> {
        self.kept.iter().map(|(at, holds)| (self.found.get(*at), *holds))
    }
}

/// Which executions a result includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedExecutions {
    /// None.
    Nothing,
    /// The one that decides the verdict.
    Decisive,
    /// One for each outcome.
    All,
}

/// The result of a test without errors.
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
    let verdict = if found.not_modelled.is_empty() {
        quantifier.verdict(ClaimEvidence { holds: some(true).is_some(), fails: some(false).is_some(), complete })
    } else {
        ClaimVerdict::Unknown
    };
    // An outcome that holds decides `exists` and `~exists`, one that fails decides `forall`.
    let decisive = quantifier != Quantifier::ForAll;
    let shown: Vec<usize> = match wanted {
        WantedExecutions::Nothing => Vec::new(),
        WantedExecutions::Decisive => some(decisive).into_iter().collect(),
        WantedExecutions::All => (0..kept.len()).collect(),
    };
    let witnesses = shown.iter().filter_map(|at| Some((*at, found.witness(kept[*at].0)?))).collect();
    let counterexample = match (wanted, some(decisive)) {
        (WantedExecutions::Decisive | WantedExecutions::All, None) if complete => {
            counterexample(&test.program, &observed, &|outcome| keeps(outcome) && holds(outcome) == decisive)
        }
        _ => None,
    };
    let not_modelled: Vec<String> = found.not_modelled.iter().cloned().collect();
    let termination = if not_modelled.is_empty() { TestTermination::of(test, budget) } else { None };
    let verdict = match test.endless {
        Some(expected) if not_modelled.is_empty() => TestTermination::verdict(termination.as_ref(), expected),
        _ => verdict,
    };
    LitmusResult {
        verdict,
        complete,
        not_modelled,
        found: found.into_rows(),
        kept,
        witnesses,
        counterexample,
        termination,
    }
}
