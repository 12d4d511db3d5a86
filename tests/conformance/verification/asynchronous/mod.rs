//! `check` against the axioms: programs with asynchronous operations, mbarriers, proxies and clusters, as litmus tests and as kernels.

mod files;
mod program;

use crate::comparison::{Comparison, compared, given};
use program::AsyncProgram;

/// A few hundred programs, thousands with `PTX_ATOMICS_FULL=1`, as many as `PTX_ATOMICS_PROGRAMS` says; others with another `PTX_ATOMICS_SEED`.
#[test]
fn random_asynchronous_programs_have_the_verdicts_of_the_axioms() {
    let programs = given("PTX_ATOMICS_PROGRAMS", if support::full() { 3_000 } else { 250 });
    let counts =
        compared(given("PTX_ATOMICS_SEED", 641), programs as usize, |random| AsyncProgram::random(random).compared());
    println!("{counts:?}");
    let count = |comparison| counts.get(&comparison).copied().unwrap_or(0);
    let decided = count(Comparison::Proved) + count(Comparison::Refuted);
    assert!(count(Comparison::Proved) * 4 > decided && count(Comparison::Refuted) * 4 > decided, "{counts:?}");
    assert!(decided * 10 > programs as usize * 9, "{counts:?}");
}
