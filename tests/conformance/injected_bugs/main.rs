//! Rules find what they are for: bugs are injected into compiler-made modules, and at least nine of ten of each kind are found, at their lines.
//!
//! The modules are in tests/.tools/corpus (`tests/corpus/generate.py`) and tests/fixtures/loops. Seeds are fixed.

mod bugs;
mod module;

use bugs::{BUGS, Site};
use diagnostics::registry::rule;
use diagnostics::{Diagnostic, Preset, Settings, Severity, Snapshot};
use lints::Check;
use module::Module;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use support::{Rng, pick};
use syntax::LintFile;

fn diagnostics(text: &str, preset: Preset) -> Vec<(usize, Diagnostic)> {
    let settings = Settings { preset: Some(preset), ..Settings::default() };
    let snapshot = Snapshot::new(LintFile::parse(text), settings);
    let place = |diagnostic: Diagnostic| (snapshot.file.position(diagnostic.range.start).line + 1, diagnostic);
    snapshot.diagnostics().into_iter().map(place).collect()
}

fn modules() -> Vec<Module> {
    let folder = support::root().join("tests/.tools/corpus");
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}: run tests/corpus/generate.py", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|e| e == "ptx") && fs::metadata(path).is_ok_and(|about| about.len() < 60_000)
    });
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Module::read(name, &String::from_utf8_lossy(&fs::read(path).expect("readable")))
    };
    paths.iter().map(read).filter(|module| !module.atomics.is_empty() && module.target > 0).collect()
}

#[test]
fn nine_of_ten_injected_bugs_of_each_rule_are_found() {
    let modules = modules();
    assert!(modules.len() >= 50, "{} modules with atomics", modules.len());
    let wanted = if support::full() { 200 } else { 40 };
    let mut report = String::new();
    let mut failures = Vec::new();
    for &(code, inject) in BUGS {
        let preset = rule(code).expect("registered").preset;
        let mut rng = Rng::with_seed(code.len() as u64 * 1000 + 7);
        let (mut injected, mut found, mut missed, mut places) = (0, 0, Vec::new(), BTreeSet::new());
        for _ in 0..20_000 {
            let module = pick(&mut rng, &modules);
            let atomic = pick(&mut rng, &module.atomics);
            if injected == wanted {
                break;
            }
            let Some(bug) = Site::new(module, atomic).and_then(|site| inject(&site, &mut rng)) else { continue };
            let diagnostics = diagnostics(&bug.text, preset);
            // An error means that the change was another bug than intended.
            if diagnostics.iter().any(|(_, diagnostic)| diagnostic.severity == Severity::Error) {
                continue;
            }
            injected += 1;
            places.insert(&module.name);
            if diagnostics.iter().any(|(line, diagnostic)| diagnostic.code() == code && *line == bug.line) {
                found += 1
            } else {
                missed.push(format!("{}: {}", module.name, bug.text.lines().nth(bug.line - 1).unwrap_or_default()))
            }
        }
        report += &format!("{code}: {found} of {injected} in {} modules\n", places.len());
        if injected < 20 || found * 10 < injected * 9 {
            missed.truncate(5);
            failures.push(format!("{code}: {found} of {injected} found; missed {missed:#?}"));
        }
    }
    println!("{report}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The diagnostics of a code by the kernel that they are in, in the modules of tests/fixtures/loops.
fn by_kernel(code: &str) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for target in ["sm_60", "sm_90"] {
        let path = support::root().join(format!("tests/fixtures/loops/{target}.ptx"));
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut kernel = String::new();
        let diagnostics = diagnostics(&text, Preset::All);
        for (at, line) in text.lines().enumerate() {
            if let Some((_, name)) = line.split_once(".entry _Z") {
                kernel = name.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
                counts.insert((kernel.clone(), target.to_owned()), 0);
            }
            let found =
                diagnostics.iter().filter(|(place, diagnostic)| *place == at + 1 && diagnostic.code() == code).count();
            if found > 0 {
                *counts.get_mut(&(kernel.clone(), target.to_owned())).expect("in a kernel") += found;
            }
        }
    }
    counts
}

#[test]
fn loops_that_compute_what_one_atomic_does_are_found_and_others_are_not() {
    for ((kernel, target), found) in by_kernel("handmade-atomic") {
        assert_eq!(found, usize::from(kernel.starts_with("hand_")), "{kernel} for {target}");
    }
}

#[test]
fn locks_that_order_nothing_are_found_and_others_are_not() {
    let counts = by_kernel("unordered-lock");
    assert!(counts.len() >= 40, "{counts:?}");
    for ((kernel, target), found) in counts {
        let expected = if kernel.starts_with("bad_") { 2 } else { 0 };
        assert_eq!(found, expected, "{kernel} for {target}: where it is taken and where it is given back");
    }
}
