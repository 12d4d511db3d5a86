//! One-token mutants of compiler-made modules: what the assembler rejects is an error here, and nothing else.
//!
//! `record.py` in `tests/evidence/mutants` recorded those of all lines, `record_directives.py` those of heads of functions, declarations and directives.
//! `PTX_ATOMICS_LIST=1` prints each disagreement, and `PTX_ATOMICS_MUTANTS` names another recording of all lines.

use diagnostics::{Settings, Severity, Snapshot};
use lints::Check;
use std::path::{Path, PathBuf};
use std::thread;
use support::{evidence, gunzip};
use syntax::LintFile;

/// A recorded module.
#[derive(serde::Deserialize)]
struct Module {
    name: String,
    text: String,
    mutants: Vec<Mutant>,
}

/// The line that changes, from 0; its new text; whether the assembler accepts the module then.
#[derive(serde::Deserialize)]
struct Mutant(usize, String, bool);

#[derive(Default)]
struct Tally {
    accepted: usize,
    rejected: usize,
    /// Mutants that the assembler accepts and that have an error.
    false_errors: Vec<String>,
    /// Mutants that the assembler rejects and that have none.
    missed: Vec<String>,
}

impl Tally {
    fn of(module: &Module) -> Tally {
        let mut tally = Tally::default();
        for Mutant(line, mutant, accepted) in &module.mutants {
            let mut lines: Vec<&str> = module.text.split('\n').collect();
            let before = std::mem::replace(&mut lines[*line], mutant);
            let file = LintFile::parse(&lines.join("\n"));
            let diagnostics = Snapshot::new(file, Settings::default()).diagnostics();
            let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            let place = format!("{}:{}: {} -> {}", module.name, line + 1, before.trim(), mutant.trim());
            match (accepted, error) {
                (true, Some(error)) => tally.false_errors.push(format!("{place}: {}", error.message())),
                (false, None) => tally.missed.push(place),
                _ => {}
            }
            let count = if *accepted { &mut tally.accepted } else { &mut tally.rejected };
            *count += 1;
        }
        tally
    }

    fn add(&mut self, other: Tally) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.false_errors.extend(other.false_errors);
        self.missed.extend(other.missed);
    }
}

/// What a recording must have at least.
struct Expected {
    accepted: usize,
    rejected: usize,
    /// Of a thousand rejected mutants, how many are found.
    found: usize,
}

/// Compares a recording, and prints the figures.
fn replay(recording: &Path, expected: &Expected) {
    let recorded = gunzip(recording);
    let modules: Vec<Module> =
        recorded.lines().map(|line| serde_json::from_str(line).expect("a recorded module")).collect();
    let mut all = Tally::default();
    thread::scope(|scope| {
        let parts = modules.chunks(modules.len().div_ceil(2));
        let threads: Vec<_> =
            parts.map(|part| scope.spawn(|| part.iter().map(Tally::of).collect::<Vec<_>>())).collect();
        let tallies = threads.into_iter().flat_map(|thread| thread.join().expect("no panic"));
        tallies.for_each(|tally| all.add(tally));
    });
    let found = all.rejected - all.missed.len();
    println!(
        "{}: {} modules, {} mutants: {found} of {} rejected ones found, {} false errors in {} accepted ones",
        recording.display(),
        modules.len(),
        all.accepted + all.rejected,
        all.rejected,
        all.false_errors.len(),
        all.accepted
    );
    if std::env::var_os("PTX_ATOMICS_LIST").is_some() {
        println!("missed:\n{}\nfalse errors:\n{}", all.missed.join("\n"), all.false_errors.join("\n"));
    }
    assert!(all.false_errors.is_empty(), "{}", all.false_errors.join("\n"));
    assert!(all.accepted >= expected.accepted && all.rejected >= expected.rejected, "too few mutants");
    assert!(found * 1_000 >= all.rejected * expected.found, "{found} of {} found", all.rejected);
}

#[test]
fn a_mutant_is_an_error_to_both_or_to_none() {
    let given = std::env::var_os("PTX_ATOMICS_MUTANTS").map(PathBuf::from);
    let recorded = given.unwrap_or_else(|| evidence("mutants").join("recorded.jsonl.gz"));
    replay(&recorded, &Expected { accepted: 700, rejected: 7_000, found: 995 });
}

#[test]
fn a_mutant_of_a_directive_is_an_error_to_both_or_to_none() {
    let recorded = evidence("mutants").join("directives.jsonl.gz");
    replay(&recorded, &Expected { accepted: 100, rejected: 1_200, found: 995 });
}
