//! The diffs of the walk-throughs in CONTRIBUTING.md apply to the repository.

use crate::git;
use std::fs;

/// The diffs of CONTRIBUTING.md, in order.
fn diffs(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let text = fs::read_to_string(support::root().join("CONTRIBUTING.md")).expect("a document");
    let blocks = text.split("```diff\n").skip(1).map(|rest| rest.split("\n```\n").next().unwrap_or_default());
    let write = |(number, block): (usize, &str)| {
        // A page within a diff has fences of its own, after a sign.
        let path = folder.join(format!("{number}.diff"));
        fs::write(&path, format!("{block}\n")).expect("written");
        path
    };
    blocks.enumerate().map(write).collect()
}

/// With `--full` also that what they make compiles, together, and that the page of the new rule is true.
#[test]
fn the_walkthroughs_apply_to_the_repository() {
    let folder = crate::scratch("walkthroughs");
    let diffs = diffs(&folder);
    assert_eq!(diffs.len(), 4, "a form, an operation, a rule, an editor");
    for diff in &diffs {
        git(&support::root(), &["apply", "--check", &diff.to_string_lossy()]);
    }
    if support::full() {
        let copy = folder.join("copy");
        git(&support::root(), &["clone", "--quiet", "--shared", ".", &copy.to_string_lossy()]);
        for diff in &diffs {
            git(&copy, &["apply", &diff.to_string_lossy()]);
        }
        let mut cargo = std::process::Command::new("cargo");
        cargo.args(["test", "--quiet", "--release", "-p", "ptx-atomics-tests", "--test", "pages", "every_page"]);
        let target = folder.join("target");
        assert!(cargo.env("CARGO_TARGET_DIR", target).current_dir(&copy).status().expect("cargo runs").success());
    }
    let _ = fs::remove_dir_all(folder);
}
