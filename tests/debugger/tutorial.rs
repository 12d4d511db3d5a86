//! The tutorial: its modules, and the commands and answers of its sessions.

use crate::client::Session;
use serde_json::{Value, json};
use std::fs;

/// A session that has not begun to run.
fn launched(module: &str, configuration: &Value) -> Session {
    let path = std::env::temp_dir().join(format!("ptx-atomics-tutorial-{}.ptx", std::process::id()));
    fs::write(&path, module).expect("a module");
    let mut session = Session::launch(&path, configuration.clone());
    let filters = json!({ "filters": ["data-race", "out-of-bounds", "uninitialized-read"] });
    session.request("setExceptionBreakpoints", filters);
    fs::remove_file(path).expect("removed");
    session
}

/// What the debugger shows after a command in a thread.
fn execute(session: &mut Session, command: &str, thread: &mut u64) -> String {
    let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
    match word {
        "continue" => {
            session.request("configurationDone", json!({}));
            match session.next_end() {
                Some(stop) => {
                    *thread = stop["threadId"].as_u64().expect("a thread");
                    let code = stop["description"].as_str().unwrap_or_default();
                    let reason = stop["reason"].as_str().unwrap_or_default();
                    format!("{reason} {code}, line {}\n", session.line(*thread))
                }
                None => session.output("console"),
            }
        }
        "back" => {
            session.resume("stepBack", *thread);
            format!("line {}\n", session.line(*thread))
        }
        "thread" => {
            *thread = rest.parse().expect("a number");
            String::new()
        }
        "print" => session.value(rest, *thread) + "\n",
        other => panic!("unknown command {other}"),
    }
}

#[test]
fn the_lost_update_is_found() {
    let page = support::root().join("docs/tutorials/lost-update.md");
    let page = fs::read_to_string(page).expect("the page");
    let blocks = support::page_blocks(&page);
    let configuration = blocks.iter().find(|(kind, _)| *kind == "json").expect("a configuration").1;
    let configuration: Value = serde_json::from_str(configuration).expect("JSON");
    let (mut session, mut thread, mut commands) = (None, 1, 0);
    for (kind, text) in blocks {
        match kind {
            "ptx" => session = Some(launched(text, &configuration)),
            "text" => {
                let session = session.as_mut().expect("a module before");
                for step in text.split("> ").filter(|step| !step.is_empty()) {
                    let (command, shown) = step.split_once('\n').expect("a command");
                    assert_eq!(execute(session, command, &mut thread), shown, "{command}");
                    commands += 1;
                }
            }
            _ => {}
        }
    }
    assert!(commands >= 12, "{commands}");
}
