//! The outputs in JSON against their schemas in `server/cli/schemas`.

use crate::{run, run_in, scratch};
use serde_json::{Value, json};
use std::fs;
use support::schema::Validator;

const KERNEL: &str = "tests/fixtures/kernels/out_of_bounds.ptx";

fn schema(name: &str) -> Value {
    let path = support::root().join(format!("server/cli/schemas/{name}.v1.schema.json"));
    serde_json::from_str(&fs::read_to_string(path).expect(name)).expect("JSON")
}

/// Allows only the keys that a schema describes.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            let has_other_keys = object.contains_key("oneOf") || object.contains_key("additionalProperties");
            if object.get("properties").is_some_and(Value::is_object) && !has_other_keys {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn assert_valid(validator: &Validator, output: &Value) {
    let errors = validator.errors(output);
    assert!(errors.is_empty(), "{errors:#?} in {output}");
}

/// Validates what commands print, and that mutations of it are invalid.
fn check(name: &str, commands: &[&[&str]], mutations: &[(&str, Value)]) {
    let mut schema = schema(name);
    close(&mut schema);
    let validator = Validator::new(&schema);
    let mut first = None;
    for command in commands {
        let output = run(command);
        assert!(!output.stdout.is_empty(), "{command:?}: {}", output.stderr);
        for line in output.stdout.lines() {
            let output: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(output["schema"], 1);
            assert_valid(&validator, &output);
            first.get_or_insert(output);
        }
    }
    let first = first.expect("an output");
    for (pointer, bad) in mutations.iter().chain(&[("/schema", json!(2))]) {
        let mut mutated = first.clone();
        *mutated.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} in {first}")) = bad.clone();
        assert!(!validator.is_valid(&mutated), "{name}: {pointer} is checked");
    }
}

#[test]
fn findings() {
    let commands: [&[&str]; 3] = [
        &["lint", "--format", "jsonl", "--preset", "all", "tests/fixtures/realistic", "tests/fixtures/cuda"],
        &["lint", "--format", "jsonl", "--preset", "all", "tests/fixtures/sass", "tests/fixtures/compiled"],
        &["lint", "--format", "jsonl", "tests/fixtures/litmus"],
    ];
    check("lint", &commands, &[("/severity", json!("fatal")), ("/line", json!(0)), ("/message", json!(null))]);
}

#[test]
fn runs_and_verdicts() {
    let launch = |command: &'static str, trace: &[&'static str]| {
        let arguments = [command, KERNEL, "--block", "9", "--arg", "a=u32[8]", "--format", "json"];
        [&arguments[..], trace].concat()
    };
    let (thread, element) = (["--trace", "thread=0"], ["--trace", "a[1]"]);
    let runs = [launch("run", &[]), launch("run", &thread), launch("run", &element)];
    let runs: Vec<&[&str]> = runs.iter().map(Vec::as_slice).collect();
    check(
        "run",
        &runs,
        &[("/memory", json!([])), ("/problems/0/thread/cta", json!("0")), ("/instructions", json!(-1))],
    );
    let sweeps = [launch("run", &["--sweep", "block=1,2"]), launch("check", &["--sweep", "a=u32[1],nothing"])];
    let sweeps: Vec<&[&str]> = sweeps.iter().map(Vec::as_slice).collect();
    check("launches", &sweeps, &[("/launches/0/result", json!("maybe")), ("/launches/0/settings/block", json!(1))]);
    let check_it = launch("check", &[]);
    check("check", &[&check_it], &[("/verdict", json!("maybe")), ("/problems/0/steps", json!(null))]);
}

#[test]
fn proofs_for_any_size() {
    let kernels = "tests/fixtures/any_size/kernels.ptx";
    let all: &[&str] = &["check", kernels, "--any-size", "--assume", "%ntid.x <= 64", "--format", "json"];
    check("any-size", &[all], &[("/verdict", json!("refuted")), ("/assumptions/0/kind", json!("other"))]);
}

#[test]
fn values_differences_and_outcomes() {
    let evaluations: [&[&str]; 3] = [
        &["eval", "atom.global.inc.u32", "--mem", "7", "--b", "7", "--format", "json"],
        &["eval", "red.global.add.noftz.f16x2", "--mem", "{1.0, 1.0}", "--b", "{1.0, 2.0}", "--format", "json"],
        &["eval", "red.global.or.u32", "--mem", "7", "--b", "7", "--format", "json"],
    ];
    check("eval", &evaluations, &[("/memory", json!(null)), ("/destination/bits", json!(7))]);
    let [before, after] = ["histogram", "spin_lock"].map(|name| format!("tests/fixtures/kernels/{name}.ptx"));
    check("diff", &[&["diff", "--format", "json", &before, &after]], &[("/functions/0/change", json!("new"))]);
    check("litmus", &[&["litmus", "--format", "jsonl", "tests/litmus/MP+ra.litmus"]], &[("/outcomes", json!({}))]);
}

#[test]
fn eval_prints_an_illegal_instruction_as_an_error() {
    let illegal = run(&["eval", "red.global.or.u32", "--mem", "7", "--b", "7", "--format", "json"]);
    let object: Value = serde_json::from_str(&illegal.stdout).expect("JSON");
    assert_eq!((illegal.code, &object["error"]["code"]), (1, &json!("illegal-type")));
}

#[test]
fn the_version_names_what_is_known() {
    let folder = scratch("version");
    let version = run_in(&folder, &["--version"], b"").stdout;
    let lines: Vec<_> = version.lines().collect();
    assert_eq!(lines[0], format!("ptx-atomics {}", env!("CARGO_PKG_VERSION")));
    assert_eq!(lines[1..], ["PTX 1.0 to 9.5, sm_10 to sm_121a", "ptxas 13.5"], "{version}");
    let readme = fs::read_to_string(support::root().join("README.md")).expect("README.md");
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains("every PTX version from 1.0 to 9.5 and every target from sm_10 to sm_121a"));
    assert_eq!(run_in(&folder, &["-V"], b"").stdout, format!("{}\n", lines[0]));
}
