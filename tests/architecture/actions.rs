//! What an action of the machine does stands in one folder: files that take actions apart execute them, make them, translate them for the memory model, or
//! answer a question about each of them.

use crate::{sources, without_tests};

/// The files and folders that may: the machine, the lowering of branches to labels, the translations for the memory model, for symbolic threads and for terms, and the answers.
const MAY: [&str; 6] = [
    "machine/src/threads/execute.rs",
    "program/src/effects/",
    "kernel/src/lower/function.rs",
    "kernel/src/modelled/instructions.rs",
    "symbolic/src/step.rs",
    "symbolic/src/any_size/execute.rs",
];

/// Whether a line takes an action apart, other than to make one.
fn takes_apart(line: &str) -> bool {
    let Some((before, behind)) = line.split_once("MachineAction::") else { return false };
    let before = before.trim();
    let is_let = ["let", "let Some(", "let (", "let &"].iter().any(|start| before.ends_with(start));
    let is_pattern = is_let || before.contains("matches!(") || before.starts_with('|');
    is_pattern || behind.contains("=>") || before.is_empty() && behind.trim_end().ends_with('|')
}

#[test]
fn what_an_action_does_stands_in_one_folder() {
    let mut found = Vec::new();
    for (path, text) in sources("server", ".rs") {
        let path = path.to_string_lossy().into_owned();
        if MAY.iter().any(|may| path.contains(may)) || path.contains("/tests") {
            continue;
        }
        for (number, line) in without_tests(&text) {
            if takes_apart(line) {
                found.push(format!("{path}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "ask `program/src/effects` instead:\n{}", found.join("\n"));
}

#[test]
fn a_line_that_takes_an_action_apart_is_found() {
    for line in [
        "        MachineAction::Load(load) => load.order,",
        "            | MachineAction::Store(_)",
        "    let MachineAction::Call(call) = action else { return };",
        "    matches!(action, MachineAction::Exit)",
    ] {
        assert!(takes_apart(line), "{line}");
    }
    for line in
        ["        self.emit(MachineAction::Return);", "        MachineAction::Fence(fence)", "use a::MachineAction;"]
    {
        assert!(!takes_apart(line), "{line}");
    }
}
