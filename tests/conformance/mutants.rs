//! One-token mutants of compiler-made modules: what the assembler rejects is an error here, and nothing else.
//!
//! `tests/evidence/mutants/record.py` recorded them. `PTX_ATOMICS_LIST=1` prints each disagreement, and
//! `PTX_ATOMICS_MUTANTS` names another recording.

use diagnostics::{Settings, Severity, Snapshot};
use lints::Check;
use std::path::PathBuf;
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

#[test]
fn a_mutant_is_an_error_to_both_or_to_none() {
    let given = std::env::var_os("PTX_ATOMICS_MUTANTS").map(PathBuf::from);
    let recorded = gunzip(&given.unwrap_or_else(|| evidence("mutants").join("recorded.jsonl.gz")));
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
        "{} modules, {} mutants: {found} of {} rejected ones found, {} false errors in {} accepted ones",
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
    assert!(all.accepted > 700 && all.rejected > 7_000, "too few mutants");
    assert!(found * 1_000 >= all.rejected * 995, "{found} of {} found", all.rejected);
}
