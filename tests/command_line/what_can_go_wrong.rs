//! The page that leads from a racy kernel to a proved one: its modules, changes and commands, in order.

use crate::{run_in, scratch};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A block of the page: its kind and its text.
type Block<'p> = (&'p str, &'p str);

fn blocks(page: &str) -> Vec<Block<'_>> {
    let parts = page.split("```").skip(1).step_by(2);
    parts.map(|part| part.split_once('\n').expect("a kind and a text")).collect()
}

fn apply(folder: &Path, change: &str) {
    let diff = folder.join("change.diff");
    fs::write(&diff, change).expect("written");
    let output = Command::new("git").args(["apply", "change.diff"]).current_dir(folder).output().expect("git runs");
    assert!(output.status.success(), "{change}{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs the command of a block and compares what it prints with what the page shows.
fn run(folder: &Path, console: &str) {
    let (command, shown) = console.split_once('\n').expect("a command and what it prints");
    let arguments: Vec<&str> = command.strip_prefix("$ ptx-atomics ").expect("a command of ours").split(' ').collect();
    let run = run_in(folder, &arguments, b"");
    assert_eq!(run.stdout, shown, "{command}\n{}", run.stderr);
    assert_eq!(run.code, i32::from(!shown.contains("proved:")), "{command}");
}

#[test]
fn the_page_leads_from_a_race_to_a_proof() {
    let page = support::root().join("tests/command_line/what_can_go_wrong.md");
    let page = fs::read_to_string(page).expect("the page");
    let folder = scratch("what-can-go-wrong");
    let mut modules = ["histogram.ptx", "total.ptx"].into_iter();
    let mut verdicts = Vec::new();
    for (kind, text) in blocks(&page) {
        match kind {
            "ptx" => fs::write(folder.join(modules.next().expect("the page names it")), text).expect("written"),
            "diff" => apply(&folder, text),
            "console" => {
                run(&folder, text);
                verdicts.push(text.contains("proved:"));
            }
            other => panic!("a block of {other}"),
        }
    }
    assert_eq!(verdicts, [false, false, true, false, true, true]);
    fs::remove_dir_all(folder).expect("removed");
}
