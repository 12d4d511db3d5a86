//! A run under the debugger is the run of the command line.

use crate::client::{Session, fixture};
use serde_json::{Value, json};
use std::process::Command;

/// The words after `// run:` in a fixture.
fn options(text: &str) -> Vec<&str> {
    let line = text.lines().find_map(|line| line.strip_prefix("// run:")).expect("a `run:` comment");
    line.split_whitespace().collect()
}

/// The launch configuration of options of `run`.
fn configuration(options: &[&str], seed: u64) -> Value {
    let mut configuration = json!({ "seed": seed, "args": [], "stopOnEntry": true });
    for pair in options.chunks(2) {
        let (name, value) = (pair[0].trim_start_matches("--"), pair[1]);
        match name {
            "arg" => configuration["args"].as_array_mut().expect("a list").push(json!(value)),
            "kernel" | "grid" | "block" | "cluster" => configuration[name] = json!(value),
            "shared" => configuration[name] = json!(value.parse::<u32>().expect("a number")),
            "max-instructions" => configuration["maxInstructions"] = json!(value.parse::<u64>().expect("a number")),
            other => panic!("unknown option {other}"),
        }
    }
    configuration
}

#[test]
fn kernels_execute_the_same_instructions_as_without_a_debugger() {
    let mut compared = 0;
    for entry in std::fs::read_dir(fixture("")).expect("fixtures") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let options = options(&text);
        for seed in [0, 3] {
            let mut command = Command::new(support::binary());
            let run = command.arg("run").arg(&path).args(&options).args(["--seed", &seed.to_string()]);
            let expected = String::from_utf8(run.output().expect("the binary").stdout).expect("UTF-8");
            let mut session = Session::at_entry(&path, configuration(&options, seed));
            session.resume("next", 1);
            session.resume("stepBack", 1);
            session.request("continue", json!({ "threadId": 1 }));
            session.event("terminated");
            let summary = session.output("console");
            assert_eq!(summary.lines().last(), expected.lines().last(), "{}, seed {seed}", path.display());
            compared += 1;
        }
    }
    assert!(compared >= 22, "{compared}");
}
