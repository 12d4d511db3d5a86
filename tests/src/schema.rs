//! JSON schemas, by the `jsonschema` of Python in `tests/.tools`: a validator in Rust would add sixty crates to each build of the tests.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// A schema, whose draft its `$schema` names; the newest without one.
pub struct Validator {
    number: usize,
}

/// The process that validates for all tests of a binary.
struct Process {
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    schemas: usize,
}

impl Process {
    fn start() -> Self {
        let python = crate::root().join("tests/.tools/venv/bin/python");
        let mut command = Command::new(&python);
        command.arg(crate::root().join("tests/src/validate.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let started = command.spawn();
        let mut child = started.unwrap_or_else(|error| panic!("{}: {error}: run tests/install", python.display()));
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Process { _child: child, input, output, schemas: 0 }
    }

    /// Sends a line and reads one.
    fn ask(&mut self, question: &Value) -> Value {
        writeln!(self.input, "{question}").expect("tests/src/validate.py reads on");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer in UTF-8");
        serde_json::from_str(&line).expect("tests/src/validate.py answers in JSON")
    }
}

/// The process, whichever test had it when one failed.
fn process() -> MutexGuard<'static, Process> {
    static PROCESS: OnceLock<Mutex<Process>> = OnceLock::new();
    let process = PROCESS.get_or_init(|| Mutex::new(Process::start()));
    process.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Validator {
    /// Compiles a schema.
    ///
    /// # Panics
    ///
    /// If the schema is invalid, or Python's `jsonschema` is not installed.
    pub fn new(schema: &Value) -> Self {
        let mut process = process();
        let number = process.schemas;
        process.schemas += 1;
        let answer = process.ask(&json!({ "schema": schema }));
        assert_eq!(answer, json!([]), "the schema is valid");
        Validator { number }
    }

    /// What is wrong with a value: each error with its place.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        let answer = process().ask(&json!({ "number": self.number, "value": value }));
        serde_json::from_value(answer).expect("a list of errors")
    }

    /// What is wrong with a value by one of the schema's `definitions`.
    pub fn errors_by(&self, definition: &str, value: &Value) -> Vec<String> {
        let answer = process().ask(&json!({ "number": self.number, "definition": definition, "value": value }));
        serde_json::from_value(answer).expect("a list of errors")
    }

    /// Whether nothing is wrong with a value.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.errors(value).is_empty()
    }
}

/// The schema of SARIF 2.1.0: a crate of its own has it as a dependency, which is fetched and never compiled.
///
/// # Panics
///
/// If it was not fetched.
pub fn sarif() -> Value {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--manifest-path"])
        .arg(crate::root().join("tests/sarif_schema/Cargo.toml"))
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&metadata.stderr);
    assert!(metadata.status.success(), "{said}: run tests/install");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("cargo's metadata");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").expect("a dependency");
    let manifest = std::path::Path::new(package["manifest_path"].as_str().expect("a path"));
    let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).expect("the schema");
    serde_json::from_str(&text).expect("JSON")
}
