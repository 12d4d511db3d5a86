//! The command line, as a user sees it: diagnostics, ranges, formats, exit codes.

mod check;
mod hostile;
mod integration;
mod lint;
mod manual;
mod outputs;
mod run;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// How a run ended.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Runs the binary with arguments, in a folder, with something on standard input.
fn run_in(folder: &Path, arguments: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(support::binary())
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A program that does not read its input is no failure of the test.
    let _ = child.stdin.take().expect("piped").write_all(input);
    let output = child.wait_with_output().expect("it ends");
    let code = output.status.code().unwrap_or_else(|| panic!("killed: {}", output.status));
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { code, stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs the binary in the root of the repository.
fn run(arguments: &[&str]) -> Run {
    run_in(&support::root(), arguments, b"")
}

/// Lints a text on standard input and gives the jsonl.
fn lint_text(text: &[u8]) -> Run {
    run_in(&support::root(), &["lint", "--format", "jsonl", "-"], text)
}

/// Runs git in a folder, as somebody who has no settings of their own.
fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"];
    let done = Command::new("git").args(identity).args(arguments).current_dir(folder).output().expect("git runs");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A fresh folder for a test.
fn scratch(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("ptx-atomics-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}
