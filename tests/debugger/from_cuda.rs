//! The page that leads from CUDA C++ to a debugged kernel: its commands and its launch configuration.

use crate::client::Session;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// Runs a command of the page; what it prints.
fn printed(command: &str, folder: &std::path::Path) -> String {
    let tools = support::root().join("tests/.tools/bin");
    let programs = support::binary().parent().expect("a folder").to_owned();
    let path = format!("{}:{}:{}", programs.display(), tools.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh").args(["-c", command]).current_dir(folder).env("PATH", path).output();
    let output = output.expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    String::from_utf8_lossy(&output.stdout).into_owned() + &errors
}

#[test]
fn a_kernel_is_compiled_run_and_debugged_in_three_commands() {
    let page = fs::read_to_string(support::root().join("tests/debugger/from_cuda.md")).expect("the page");
    let blocks = support::page_blocks(&page);
    let of = |kind: &str| blocks.iter().filter(|(known, _)| *known == kind).map(|(_, text)| *text).collect::<Vec<_>>();
    let folder = std::env::temp_dir().join(format!("ptx-atomics-from-cuda-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("count.cu"), of("cpp")[0]).expect("a source");
    let commands = of("sh");
    assert_eq!(printed(commands[0], &folder), "", "nvcc is installed by tests/install");
    assert_eq!(printed(commands[1], &folder), of("text")[0]);

    let launch: Value = serde_json::from_str(of("json")[0]).expect("JSON");
    let configuration = &launch["configurations"][0];
    let program =
        configuration["program"].as_str().expect("a path").replace("${workspaceFolder}", &folder.to_string_lossy());
    let mut session = Session::launch(program.as_ref(), configuration.clone());
    session.request("setExceptionBreakpoints", json!({ "filters": ["data-race"] }));
    session.request("configurationDone", json!({}));
    let stop = session.event("stopped");
    let thread = stop["threadId"].as_u64().expect("a thread");
    assert_eq!((&stop["description"], session.line(thread)), (&json!("data-race"), 3));
    let frames = session.request("stackTrace", json!({ "threadId": thread }))["stackFrames"].take();
    assert_eq!(frames[0]["source"]["name"], "count.cu");
    for line in [3, 2] {
        session.resume("stepBack", thread);
        assert_eq!((session.line(thread), session.value("param_0[0]", thread)), (line, "0".to_owned()));
    }
    fs::remove_dir_all(folder).expect("removed");
}
