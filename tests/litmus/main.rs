//! The memory model: our own litmus tests with their outcomes, a second implementation, what a GPU showed, and the command.

mod annotated_functions;
mod command;
mod comments;
mod corpus;
mod mutants;
mod naive;
mod observed;
mod random;
mod tensor_memory_comments;
mod termination;

use litmus::{Test, parse};
use memory_model::{Bits, Budget, explore};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Our litmus tests, ordered by name: path and text.
fn files() -> Vec<(PathBuf, String)> {
    let folder = support::root().join("tests/litmus");
    let entries = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ending| ending == "litmus")).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).expect("UTF-8"))).collect()
}

/// A test that has no mistakes.
fn read(text: &str) -> Test {
    let test = parse(text);
    assert!(test.errors.is_empty(), "{:?} in {text}", test.errors);
    test
}

/// What the engine says.
fn outcomes(test: &Test) -> BTreeSet<Vec<Bits>> {
    let found = explore(&test.program, &test.observables(), Budget::default());
    assert!(found.complete && found.not_modelled.is_empty(), "{}: {:?}", test.name, found.not_modelled);
    found.all().map(<[Bits]>::to_vec).collect()
}
