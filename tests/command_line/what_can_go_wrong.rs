//! The page that leads from a racy kernel to a proved one: its modules, changes and commands, in order.

use crate::{git, run_in, scratch};
use std::fs;
use std::path::Path;

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
    for (kind, text) in support::page_blocks(&page) {
        match kind {
            "ptx" => fs::write(folder.join(modules.next().expect("the page names it")), text).expect("written"),
            "diff" => {
                fs::write(folder.join("change.diff"), text).expect("written");
                git(&folder, &["apply", "change.diff"]);
            }
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
