//! What an H100 showed of small kernels (`tests/evidence/verification/hardware.py`) is among the executions that `check` explores.

use crate::checked::{CheckedModule, FinalMemory, sized};
use serde_json::Value as Json;
use std::collections::BTreeSet;

fn number(value: &Json) -> u64 {
    value.as_u64().expect("a number")
}

#[test]
fn an_h100_shows_nothing_but_what_is_explored() {
    let lines = support::gunzip(&support::evidence("verification").join("hardware.jsonl.gz"));
    let (mut kernels, mut runs, mut shown, mut possible) = (0, 0, 0, 0);
    for line in lines.lines() {
        let record: Json = serde_json::from_str(line).expect("JSON");
        let (name, text) = (record["name"].as_str().expect("a name"), record["kernel"].as_str().expect("a kernel"));
        let words = format!("memory=u64[{}]", record["words"]);
        let launch = sized("k", number(&record["ctas"]) as u32, number(&record["threads"]) as u32, &[&words]);
        let (found, explored) = CheckedModule::new(text).launch(&launch).explored(10_000);
        assert!(found.problems.is_empty() && found.is_complete(), "{name}: {:?}\n{text}", found.problems);
        let outcomes = record["outcomes"].as_array().expect("outcomes");
        let of_words = |outcome: &Json| -> FinalMemory {
            let words = outcome[0].as_array().expect("words");
            words.iter().flat_map(|word| number(word).to_le_bytes()).collect()
        };
        let seen: BTreeSet<FinalMemory> = outcomes.iter().map(of_words).collect();
        let unknown: Vec<&FinalMemory> = seen.difference(&explored).collect();
        assert!(unknown.is_empty(), "{name}: an H100 showed {unknown:?}, which is not explored:\n{text}");
        let counted: u64 = outcomes.iter().map(|outcome| number(&outcome[1])).sum();
        assert_eq!(counted, number(&record["runs"]), "{name}: the runs of all outcomes");
        kernels += 1;
        runs += counted;
        shown += seen.len();
        possible += explored.len();
    }
    assert!(kernels >= 200 && runs >= 100_000_000, "{kernels} kernels, {runs} runs");
    println!("{kernels} kernels, {runs} runs, {shown} outcomes of {possible} that are possible");
}
