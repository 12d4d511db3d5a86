//! Each mutant of the model is detected by one of our litmus tests.

use crate::naive::{self, MUTANTS, Mutant};
use crate::{files, outcomes, read};

/// Tests that are tried first, because they detect most mutants.
const TELLING: &[&str] = &[
    "coherence",
    "fence-sc",
    "per-location",
    "not-torn-in-cta",
    "thin-air-data",
    "CoRR+relaxed",
    "LB+ra",
    "MP+ra",
    "one-sided-scope",
    "cluster-other",
    "CoRR+weak",
    "pattern-ends",
    "weak-first-read",
    "release-then-relaxed",
    "relaxed-then-acquire",
    "fence-release-only",
    "sc-is-acq-rel",
    "SB+sc",
    "SB+sc.cta",
    "red-does-not-acquire",
    "through-rmw",
    "load-buffering-through-rmw",
    "pattern-middle",
    "observation-in-cause",
    "atom-acquire-half",
    "failed-cas",
    "torn",
    "total-order",
    "race-last",
    "barrier",
    "barrier-arrive",
    "barrier-other-cta",
    "proxy",
    "proxy-fence",
    "proxy-fence-other-cta",
    "alias",
    "alias-fence",
    "thin-air-control",
    "CoRR+volatile",
    "async-issue-not-transitive",
    "async-issue-order",
    "async-bulk-store",
    "async-wait-read",
    "async-overwrite",
    "async-overwrite-arrival",
    "mbarrier-atomic",
    "async-fence-other-space",
    "async-fence-wrong-way",
    "wgmma-issue",
    "barrier-cluster-fence",
    "mbarrier-init-fence",
    "mbarrier-init-fence-data",
];

#[test]
fn every_mutant_dies() {
    let files = files();
    let name = |path: &std::path::Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (first, rest): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| TELLING.contains(&name(path).as_str()));
    let truth = |text: &str| {
        let test = read(text);
        let outcomes = outcomes(&test);
        (test, outcomes)
    };
    let first: Vec<_> = first.iter().map(|(_, text)| truth(text)).collect();
    let mut alive = Vec::new();
    for mutant in MUTANTS {
        let detects = |(test, outcomes): &(litmus::Test, _)| {
            naive::outcomes(&test.program, &test.observables(), *mutant).as_ref().is_some_and(|wrong| wrong != outcomes)
        };
        let dies = first.iter().any(detects) || rest.iter().any(|(_, text)| detects(&truth(text)));
        if !dies {
            alive.push(mutant);
        }
        assert_ne!(*mutant, Mutant::None);
    }
    assert!(alive.is_empty(), "no test detects these mutants: {alive:?}");
}
