//! Every fixture is linted by the binary, and what is found is what its markers say, no more and no less.

use crate::run;
use std::fs;
use std::path::PathBuf;
use support::markers::{markers, reported};

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let folder = support::root().join("tests/fixtures").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|p| {
            p.extension().is_some_and(|e| {
                e == "ptx"
                    || e == "sass"
                    || (e == "cu" && folder.ends_with("cuda"))
                    || (e == "py" && folder.ends_with("realistic"))
            })
        })
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no fixture in {}", folder.display());
    paths
}

fn check(folder: &str) {
    let mut wrong = String::new();
    for path in fixtures(folder) {
        let text = fs::read_to_string(&path).expect("UTF-8");
        // What is hidden from the compiler is a warning of the preset `strict`, and has no fixtures of its own.
        let options = ["lint", "--format", "jsonl", "--enable", "asm-hidden-order"];
        let linted = run(&[&options[..], &[path.to_str().expect("UTF-8")]].concat());
        let (mut expected, mut found) = (markers(&text), reported(&linted.stdout, &text));
        expected.sort();
        found.sort();
        if expected != found {
            let missing: Vec<_> = expected.iter().filter(|e| !found.contains(e)).collect();
            let unexpected: Vec<_> = found.iter().filter(|f| !expected.contains(f)).collect();
            wrong += &format!("\n{}\n  not found: {missing:#?}\n  found instead: {unexpected:#?}\n", path.display());
        }
        let errors = expected.iter().any(|e| e.severity == "error");
        assert_eq!(linted.code, i32::from(errors), "{}: exit code\n{}", path.display(), linted.stderr);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn situations_that_cost_people_hours() {
    check("realistic");
}

#[test]
fn what_is_near_a_mistake_and_none() {
    check("rules");
}

#[test]
fn examples_of_the_reference_texts() {
    check("reference");
}

#[test]
fn litmus_tests_in_comments() {
    check("litmus");
}

#[test]
fn disassembly() {
    check("sass");
}

#[test]
fn statements_in_cpp() {
    check("cuda");
}

#[test]
fn evaluation_comments() {
    check("evaluation");
}
