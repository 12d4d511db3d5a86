//! `check` against the axioms: programs with asynchronous operations, mbarriers, proxies and clusters, as litmus tests and as kernels.

mod comparison;
mod files;
mod program;

use comparison::Comparison;
use fastrand::Rng;
use program::AsyncProgram;
use std::collections::BTreeMap;

fn compare(seed: u64, programs: usize) -> BTreeMap<Comparison, usize> {
    let mut random = Rng::with_seed(seed);
    let mut counts = BTreeMap::new();
    let mut wrong = Vec::new();
    for _ in 0..programs {
        let (comparison, text) = AsyncProgram::random(&mut random).compared().compare();
        *counts.entry(comparison).or_default() += 1;
        if comparison.is_wrong() {
            wrong.push(format!("{comparison:?}\n{text}"));
        }
    }
    let shown = std::env::var("PTX_ATOMICS_LIST").map_or(1, |shown| shown.parse().unwrap_or(100));
    assert!(wrong.is_empty(), "{counts:?}\n{}", wrong[..wrong.len().min(shown)].join("\n----\n"));
    counts
}

/// A number that the environment gives, or else the usual one.
fn given(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

/// A few hundred programs, thousands with `PTX_ATOMICS_FULL=1`, as many as `PTX_ATOMICS_PROGRAMS` says; others with another `PTX_ATOMICS_SEED`.
#[test]
fn random_asynchronous_programs_have_the_verdicts_of_the_axioms() {
    let programs = given("PTX_ATOMICS_PROGRAMS", if support::full() { 3_000 } else { 250 });
    let counts = compare(given("PTX_ATOMICS_SEED", 641), programs as usize);
    println!("{counts:?}");
    let count = |comparison| counts.get(&comparison).copied().unwrap_or(0);
    let decided = count(Comparison::Proved) + count(Comparison::Refuted);
    assert!(count(Comparison::Proved) * 4 > decided && count(Comparison::Refuted) * 4 > decided, "{counts:?}");
    assert!(decided * 10 > programs as usize * 9, "{counts:?}");
}
