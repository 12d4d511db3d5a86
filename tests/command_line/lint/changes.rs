//! `lint --diff` and `lint --cache`: what changed, and what was checked before.

use crate::{Run, git, run_in, scratch};
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = ".version 8.0\n.target sm_90\n.visible .entry k() {\n.reg .b64 a; .reg .b32 r;\n";
const WRONG: &str = "red.global.or.u32 [a], r;\n";
const RIGHT: &str = "red.global.or.b32 [a], r;\n";

/// A repository with findings in `old.ptx`, `moved.ptx` and `a b/ü.ptx`, and a branch `main` at its first commit.
fn repository(name: &str) -> PathBuf {
    let folder = scratch(name);
    git(&folder, &["init", "-q", "-b", "main"]);
    fs::create_dir(folder.join("a b")).expect("made");
    let module = format!("{HEAD}{WRONG}{RIGHT}{RIGHT}{RIGHT}ret;\n}}\n");
    for file in ["old.ptx", "moved.ptx", "a b/ü.ptx"] {
        fs::write(folder.join(file), &module).expect("written");
    }
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    git(&folder, &["checkout", "-q", "-b", "work"]);
    folder
}

fn places(run: &Run) -> Vec<String> {
    let finding = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
    let place = |found: serde_json::Value| format!("{}:{}", found["path"].as_str().expect("a path"), found["line"]);
    run.stdout.lines().map(finding).map(place).collect()
}

#[test]
fn only_changed_lines_are_reported_and_the_summary_says_so() {
    let folder = repository("diff");
    let lint = |options: &[&str]| run_in(&folder, &[&["lint", "--diff", "main"], options].concat(), b"");
    let clean = lint(&[]);
    assert_eq!(clean.code, 0, "{}{}", clean.stdout, clean.stderr);
    assert!(clean.stdout.contains("3 files unchanged since the base"), "{}", clean.stdout);

    let file = folder.join("a b/ü.ptx");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replace("ret;", &format!("{WRONG}ret;"))).expect("written");
    git(&folder, &["mv", "moved.ptx", "new name.ptx"]);
    fs::write(folder.join("untracked.ptx"), &text).expect("written");
    let changed = lint(&["--format", "jsonl"]);
    assert_eq!(places(&changed), ["./a b/ü.ptx:9", "./untracked.ptx:5"], "{}", changed.stderr);
    assert_eq!(changed.code, 1);
    let summary = lint(&[]).stdout;
    assert!(summary.contains("3 files checked: 2 errors (2 on unchanged lines)"), "{summary}");

    git(&folder, &["commit", "-q", "-a", "-m", "second"]);
    assert_eq!(places(&lint(&["--format", "jsonl"])), ["./a b/ü.ptx:9", "./untracked.ptx:5"], "committed or not");
    let inner = run_in(&folder.join("a b"), &["lint", "--format", "jsonl", "--diff", "main"], b"");
    assert_eq!(places(&inner), ["./ü.ptx:9"]);
    let sarif: serde_json::Value = serde_json::from_str(&lint(&["--format", "sarif"]).stdout).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let open = results
        .iter()
        .filter(|result| result["suppressions"].is_null() || result["suppressions"] == serde_json::json!([]));
    assert_eq!((results.len(), open.count()), (4, 2), "{results:?}");
}

#[test]
fn a_changed_target_reports_what_it_breaks() {
    let folder = repository("diff-target");
    let file = folder.join("old.ptx");
    let text = fs::read_to_string(&file).expect("read").replace(WRONG, "red.global.add.noftz.f16x2 [a], r;\n");
    fs::write(&file, &text).expect("written");
    git(&folder, &["commit", "-q", "-a", "-m", "right"]);
    git(&folder, &["branch", "-f", "main"]);
    fs::write(&file, text.replace("sm_90", "sm_50")).expect("written");
    let broken = run_in(&folder, &["lint", "--format", "jsonl", "--diff", "main", "old.ptx"], b"");
    assert_eq!(places(&broken), ["old.ptx:5"], "the diagnostic refers to the changed line: {}", broken.stdout);
}

#[test]
fn what_git_does_not_know_is_an_error() {
    let folder = repository("diff-errors");
    for (base, reason) in [("nowhere", "unknown commit `nowhere`; fetch it first"), ("--exec=x", "unknown commit")] {
        let failed = run_in(&folder, &["lint", &format!("--diff={base}")], b"");
        assert_eq!(failed.code, 2);
        assert!(failed.stderr.contains(reason), "{}", failed.stderr);
    }
    let stdin = run_in(&folder, &["lint", "--diff", "main", "-"], b"");
    assert!(stdin.code == 2 && stdin.stderr.contains("standard input"), "{}", stdin.stderr);
    git(&folder, &["checkout", "-q", "--orphan", "other"]);
    git(&folder, &["commit", "-q", "-m", "unrelated"]);
    let unrelated = run_in(&folder, &["lint", "--diff", "main"], b"");
    assert!(unrelated.stderr.contains("no merge base of `main` and HEAD"), "{}", unrelated.stderr);
}

/// The entries of a cache.
fn entries(cache: &Path) -> Vec<PathBuf> {
    let folders =
        fs::read_dir(cache).expect("a cache").map(|entry| entry.expect("an entry").path()).filter(|p| p.is_dir());
    let mut found: Vec<_> =
        folders.flat_map(|f| fs::read_dir(f).expect("a folder").map(|entry| entry.expect("an entry").path())).collect();
    found.sort();
    found
}

#[test]
fn the_cache_changes_no_result() {
    let folder = scratch("cache");
    let right = format!("{HEAD}{RIGHT}ret;\n}}\n");
    fs::write(folder.join("a.ptx"), &right).expect("written");
    fs::write(folder.join("b.ptx"), right.replace("or.b32", "or.u32")).expect("written");
    fs::write(folder.join("c.ptx"), right.replace("ret;", "ret; // ptx-atomics: allow(illegal-type): why"))
        .expect("written");
    let fresh = |options: &[&str]| run_in(&folder, &[&["lint"], options].concat(), b"").stdout;
    let cached = |options: &[&str]| fresh(&[&["--cache", "cache"], options].concat());
    let cache = folder.join("cache");
    for options in [&[][..], &["--preset", "all"], &["--target", "sm_50"], &["--rule", "illegal-type=off"]] {
        let expected = fresh(options);
        assert_eq!((cached(options), cached(options)), (expected.clone(), expected), "{options:?}");
    }
    let known = entries(&cache);
    assert!(known.len() >= 3, "one entry for each text without findings and settings: {known:?}");

    // An entry that was cut off, of another key, or with other numbers is ignored.
    let expected = fresh(&[]);
    let whole = fs::read_to_string(&known[0]).expect("read");
    let bad = ["".to_owned(), whole[..whole.len() / 2].to_owned(), whole.replace('1', "2"), "\u{0}\u{1}".to_owned()];
    for text in bad {
        known.iter().for_each(|entry| fs::write(entry, &text).expect("written"));
        assert_eq!(cached(&[]), expected, "{text:?}");
    }
    let other = fs::read(&entries(&cache)[0]).expect("read");
    known.iter().for_each(|entry| fs::write(entry, &other).expect("written"));
    assert_eq!(cached(&[]), expected);

    // A changed text is checked.
    fs::write(folder.join("a.ptx"), right.replace("or.b32", "or.f32")).expect("written");
    assert_eq!(cached(&[]), fresh(&[]));
    assert!(fresh(&[]).contains("2 errors"), "{}", fresh(&[]));
    let unusable = run_in(&folder, &["lint", "--cache", "a.ptx"], b"");
    assert!(unusable.code == 2 && unusable.stderr.contains("cannot use the cache a.ptx"), "{}", unusable.stderr);
}
