//! Outcomes observed on a GPU are allowed by the model.

use crate::{outcomes, read};
use litmus::Test;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_outcome_that_an_h100_showed_is_allowed() {
    let seen = allowed_outcomes("observed.jsonl.gz");
    assert!(seen > 1000, "{seen} outcomes");
}

#[test]
fn every_outcome_of_asynchronous_operations_that_an_h100_showed_is_allowed() {
    let seen = allowed_outcomes("observed_async.jsonl.gz");
    assert!(seen > 30, "{seen} outcomes");
}

/// The number of outcomes of a recording, all of which the model has to allow.
fn allowed_outcomes(recording: &str) -> usize {
    let lines = support::gunzip(&support::evidence("litmus").join(recording));
    let mut seen = 0;
    for line in lines.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = record["litmus"].as_str().expect("a test");
        let test = read(text);
        let allowed: BTreeSet<BTreeMap<&str, i64>> = outcomes(&test)
            .iter()
            .map(|outcome| {
                test.observed.iter().zip(outcome).map(|((name, _), v)| (&**name, Test::signed(*v))).collect()
            })
            .collect();
        for outcome in record["outcomes"].as_array().expect("outcomes") {
            let values = outcome[0].as_object().expect("an outcome");
            let values = values.iter().map(|(name, value)| (&**name, value.as_i64().expect("a number"))).collect();
            assert!(allowed.contains(&values), "an H100 showed {values:?}, which the model forbids:\n{text}");
            seen += 1;
        }
    }
    seen
}
