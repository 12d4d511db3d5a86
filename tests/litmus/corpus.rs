//! Each of our litmus tests has exactly the outcomes that it lists at its end, and an execution that shows each.
//!
//! With `PTX_ATOMICS_UPDATE=1` the lists are written; read the diff.

use crate::naive::{self, Mutant};
use crate::{files, outcomes, read};
use memory_model::{AXIOMS, Budget, Observable, explore};
use std::collections::BTreeSet;

/// What begins the line of an outcome.
const MARK: &str = "// = ";

fn listed(text: &str) -> BTreeSet<String> {
    text.lines().filter_map(|line| line.strip_prefix(MARK)).map(str::to_owned).collect()
}

#[test]
fn each_test_has_the_outcomes_that_it_lists_and_no_other() {
    let files = files();
    assert!(files.len() >= 120, "{} tests", files.len());
    for (path, text) in files {
        let test = read(&text);
        let found: BTreeSet<String> = outcomes(&test).iter().map(|outcome| test.outcome_text(outcome)).collect();
        if std::env::var_os("PTX_ATOMICS_UPDATE").is_some_and(|value| value == "1") {
            let kept: String =
                text.lines().filter(|line| !line.starts_with(MARK)).map(|line| format!("{line}\n")).collect();
            let lines: String = found.iter().map(|outcome| format!("{MARK}{outcome}\n")).collect();
            std::fs::write(&path, kept + &lines).expect("the test can be written");
        } else {
            assert_eq!(found, listed(&text), "{}", path.display());
        }
    }
}

#[test]
fn the_second_implementation_agrees() {
    let mut asked = 0;
    for (path, text) in files() {
        let test = read(&text);
        // Rings of fences and locks are too large for it in a test that is not optimized.
        let large = test.program.threads.len() > 3 || test.program.threads.iter().any(|thread| thread.code.len() > 5);
        if large && !support::full() {
            continue;
        }
        if let Some(expected) = naive::outcomes(&test.program, &test.observables(), Mutant::None) {
            assert_eq!(outcomes(&test), expected, "{}", path.display());
            asked += 1;
        }
    }
    assert!(asked >= 120, "only {asked} were asked");
}

#[test]
fn every_witness_breaks_no_axiom_and_shows_its_outcome() {
    for (path, text) in files() {
        let test = read(&text);
        let observed = test.observables();
        let found = explore(&test.program, &observed, Budget::default());
        for (at, outcome) in found.all().enumerate() {
            let execution = found.witness(at).unwrap_or_else(|| panic!("{}: no witness", path.display()));
            for axiom in AXIOMS {
                assert_eq!(axiom.violated(&execution), None, "{}: {}", path.display(), test.outcome_text(outcome));
            }
            for (observable, value) in observed.iter().zip(outcome) {
                if let Observable::Location(location) = observable {
                    let memory = test.program.physical(*location);
                    let last = execution.events.iter().enumerate().any(|(at, event)| {
                        let write = event.kind == memory_model::EventKind::Write && event.physical == memory;
                        write
                            && execution.coherence_order.successors(at).is_empty()
                            && execution.values[at] == Some(*value)
                    });
                    assert!(last, "{}: {}", path.display(), test.outcome_text(outcome));
                }
            }
        }
    }
}
