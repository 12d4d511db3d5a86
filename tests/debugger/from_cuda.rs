//! The page that leads from CUDA C++ and Triton to a debugged kernel: its commands and its launch configuration.

use crate::client::Session;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a command of the page; what it prints.
fn printed(command: &str, folder: &Path) -> String {
    let tools = support::root().join("tests/.tools");
    let programs = support::binary().parent().expect("a folder").to_owned();
    let own = std::env::var("PATH").unwrap_or_default();
    let path =
        format!("{}:{}:{}:{own}", programs.display(), tools.join("bin").display(), tools.join("venv/bin").display());
    let output = Command::new("sh").args(["-c", command]).current_dir(folder).env("PATH", path).output();
    let output = output.expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    String::from_utf8_lossy(&output.stdout).into_owned() + &errors
}

/// A folder of its own, and the blocks of the page by their kind.
fn page(name: &str) -> (PathBuf, impl Fn(&str, usize) -> String + use<>) {
    let folder = std::env::temp_dir().join(format!("ptx-atomics-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let page = fs::read_to_string(support::root().join("docs/tutorials/from-cuda.md")).expect("the page");
    let block = move |kind: &str, number: usize| {
        let blocks = support::page_blocks(&page);
        let found = blocks.iter().filter(|(known, _)| *known == kind).nth(number);
        found.expect("a block").1.to_owned()
    };
    (folder, block)
}

/// A session at its first stop, with its thread.
fn stopped(folder: &Path, configuration: &Value) -> (Session, u64, Value) {
    let program = configuration["program"].as_str().expect("a path");
    let program = program.replace("${workspaceFolder}", &folder.to_string_lossy());
    let mut session = Session::launch(program.as_ref(), configuration.clone());
    session.request("setExceptionBreakpoints", json!({ "filters": ["data-race"] }));
    session.request("configurationDone", json!({}));
    let stop = session.event("stopped");
    let thread = stop["threadId"].as_u64().expect("a thread");
    (session, thread, stop)
}

/// The file of the first frame of a thread.
fn file(session: &mut Session, thread: u64) -> Value {
    session.request("stackTrace", json!({ "threadId": thread }))["stackFrames"][0]["source"]["name"].take()
}

/// A part of the page about a compiler in Python, which may not be installed.
struct PythonRecipe {
    package: &'static str,
    module: &'static str,
    /// The number of its blocks among those of the page: sources, commands and outputs.
    blocks: [usize; 3],
}

/// Compiles, runs and debugs the kernel of a part of the page.
fn follow(recipe: &PythonRecipe) {
    let PythonRecipe { package, module, blocks: [source, command, output] } = *recipe;
    let (folder, block) = page(&format!("from-{package}"));
    if printed(&format!("python -c 'import {package}'"), &folder).is_empty() {
        fs::write(folder.join(format!("{module}.py")), block("python", source)).expect("a source");
        printed(&block("sh", command), &folder);
        let shown = printed(&block("sh", command + 1), &folder);
        assert!(shown.starts_with(&block("text", output)), "{shown}");
        let program = folder.join(format!("{module}.ptx"));
        let args = ["param_0=f32[4]", "param_1=f32[4]", "param_2=u32=4"];
        let configuration = json!({ "program": program, "args": args, "lines": "source", "stopOnEntry": true });
        let (mut session, thread, _) = stopped(&folder, &configuration);
        assert_eq!(file(&mut session, thread), format!("{module}.py"));
        let first = session.line(thread);
        session.resume("next", thread);
        assert!(session.line(thread) > first);
    } else {
        support::skipped(&format!("the recipe of {package}, which is not installed: tests/install --full"));
    }
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_kernel_of_triton_is_compiled_run_and_debugged_where_triton_is_installed() {
    follow(&PythonRecipe { package: "triton", module: "add", blocks: [0, 2, 1] });
}

#[test]
fn a_kernel_of_cute_dsl_is_compiled_run_and_debugged_where_it_is_installed() {
    follow(&PythonRecipe { package: "cutlass", module: "cute_add", blocks: [1, 4, 2] });
}

#[test]
fn a_kernel_is_compiled_run_and_debugged_in_three_commands() {
    let (folder, block) = page("from-cuda");
    fs::write(folder.join("count.cu"), block("cpp", 0)).expect("a source");
    assert_eq!(printed(&block("sh", 0), &folder), "", "nvcc is installed by tests/install");
    assert_eq!(printed(&block("sh", 1), &folder), block("text", 0));
    let launch: Value = serde_json::from_str(&block("json", 0)).expect("JSON");
    let (mut session, thread, stop) = stopped(&folder, &launch["configurations"][0]);
    assert_eq!((&stop["description"], session.line(thread)), (&json!("data-race"), 3));
    assert_eq!(file(&mut session, thread), "count.cu");
    for line in [3, 2] {
        session.resume("stepBack", thread);
        assert_eq!((session.line(thread), session.value("param_0[0]", thread)), (line, "0".to_owned()));
    }
    fs::remove_dir_all(folder).expect("removed");
}
