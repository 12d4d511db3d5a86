//! The result of a litmus test: its verdict and its outcomes.

use crate::termination::TestTermination;
use crate::test::{LoadedAddress, Test};
use memory_model::{
    Bits, Budget, ClaimEvidence, ClaimVerdict, Counterexample, Execution, Quantifier, SortedOutcomes, counterexample,
    explore,
};
use std::collections::BTreeMap;

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
    /// What is wrong if the claim fails as the address of an allocation can be loaded before it is there.
    pub early_load: Option<String>,
    /// All outcomes; and the indices of those that the filter keeps, with whether the condition holds for them. Those that differ only in what the
    /// test does not name are one.
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
    let mut kept: Vec<(usize, bool)> = found
        .all()
        .enumerate()
        .filter(|(_, outcome)| keeps(outcome))
        .map(|(at, outcome)| (at, holds(outcome)))
        .collect();
    if !test.loaded_addresses.is_empty() {
        kept = merged(test, kept, &found.all().collect::<Vec<_>>());
    }
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
    let early_load = some(true).filter(|_| verdict == ClaimVerdict::Fail).and_then(|at| {
        let outcome = found.all().nth(kept[at].0)?;
        let is_early = |one: &&LoadedAddress| one.is_too_early().holds(&observed, outcome);
        test.loaded_addresses.iter().find(is_early).map(LoadedAddress::message)
    });
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
        early_load,
        found: found.into_rows(),
        kept,
        witnesses,
        counterexample,
        termination,
    }
}

/// The outcomes that differ in what a test names, the first of each for which the condition holds, if it does for one.
fn merged(test: &Test, kept: Vec<(usize, bool)>, rows: &[&[Bits]]) -> Vec<(usize, bool)> {
    let mut all: Vec<(usize, bool)> = Vec::new();
    let mut known: BTreeMap<Vec<Bits>, usize> = BTreeMap::new();
    for (at, holds) in kept {
        let first = *known.entry(test.named().map(|one| rows[at][one]).collect()).or_insert(all.len());
        match all.get_mut(first) {
            Some(same) if holds && !same.1 => *same = (at, holds),
            Some(_) => {}
            None => all.push((at, holds)),
        }
    }
    all
}
