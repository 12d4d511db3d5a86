//! The page that leads from a racy kernel to a proved one: its modules, changes and commands, in order, and the pictures that they draw.
//!
//! With `PTX_ATOMICS_UPDATE=1` what the commands print and draw is written instead.

use crate::{git, run_in, scratch};
use std::fs;
use std::path::{Path, PathBuf};

fn beside_the_page(name: &str) -> PathBuf {
    support::root().join("docs/tutorials").join(name)
}

/// Runs the command of a block. Returns what it prints, whether the kernel is proved, and the name of the picture that it draws.
fn run<'c>(folder: &Path, command: &'c str) -> (String, bool, Option<&'c str>) {
    let command = command.strip_prefix("$ ptx-atomics ").expect("a command of ours");
    // What is between two quotes is one argument.
    let parts = command.split('\'').enumerate();
    let words = |(at, part): (usize, &'c str)| match at % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    };
    let arguments: Vec<&str> = parts.flat_map(words).collect();
    let run = run_in(folder, &arguments, b"");
    let is_proved = run.stdout.contains("proved:");
    assert_eq!(run.code, i32::from(!is_proved), "{command}\n{}", run.stderr);
    let picture = arguments.iter().skip_while(|one| **one != "--picture").nth(1).copied();
    (run.stdout, is_proved, picture)
}

#[test]
fn the_page_leads_from_a_race_to_a_proof() {
    let path = beside_the_page("what-can-go-wrong.md");
    let page = fs::read_to_string(&path).expect("the page");
    let folder = scratch("what-can-go-wrong");
    let mut modules = ["histogram.ptx", "total.ptx", "flag.ptx"].into_iter();
    let (mut verdicts, mut updated, mut pictures) = (Vec::new(), page.clone(), 0);
    for (kind, text) in support::page_blocks(&page) {
        match kind {
            "ptx" => fs::write(folder.join(modules.next().expect("the page names it")), text).expect("written"),
            "diff" => {
                fs::write(folder.join("change.diff"), text).expect("written");
                git(&folder, &["apply", "change.diff"]);
            }
            "console" => {
                let (command, shown) = text.split_once('\n').expect("a command and what it prints");
                let (printed, is_proved, picture) = run(&folder, command);
                updated = updated.replace(&format!("{command}\n{shown}"), &format!("{command}\n{printed}"));
                verdicts.push(is_proved);
                if let Some(name) = picture {
                    let drawn = fs::read_to_string(folder.join(name)).expect("a picture");
                    support::check_or_update(&beside_the_page(&format!("pictures/{name}")), &drawn);
                    assert!(page.contains(&format!("](pictures/{name})")), "{name} is shown");
                    pictures += 1;
                }
            }
            other => panic!("a block of {other}"),
        }
    }
    support::check_or_update(&path, &updated);
    assert_eq!((verdicts, pictures), (vec![false, false, true, false, true, true, true, false, true], 6));
    fs::remove_dir_all(folder).expect("removed");
}
