//! The command line, as a user sees it: diagnostics, ranges, formats, exit codes.

mod alignments;
mod argument_messages;
mod batch;
mod beside;
mod binaries;
mod changed_tensor_maps;
mod changes;
mod check;
mod check_output;
mod ci;
mod compiler_explorer;
mod cores;
mod cta_names;
mod cta_pairs;
mod data_races;
mod deadlocks;
mod dependent_launches;
mod diff;
mod distribution;
mod documents;
mod ended_ctas;
mod ending_loops;
mod escaping;
mod evaluation;
mod explain;
mod explored_executions;
mod explored_launches;
mod explored_mbarriers;
mod faults;
mod fence_orders;
mod file_writes;
mod first_mistakes;
mod fixes;
mod fixtures;
mod formatting;
mod growth;
mod hostile_files;
mod hostile_kernels;
mod hostile_repositories;
mod hostile_sizes;
mod images;
mod included_files;
mod kernel_mistakes;
mod kernels;
mod lanes_that_meet;
mod large_launches;
mod large_texts;
mod like_threads;
mod limits;
mod lint;
mod liveness;
mod load_buffering;
mod missing_orders;
mod outputs;
mod python;
mod rare_executions;
mod recorded_verdicts;
mod repairs;
mod robustness;
mod sass;
mod scattered_reads;
mod schemas;
mod security;
mod settings;
mod several_mistakes;
mod skipped_barriers;
mod small_launches;
mod sources;
mod streams;
mod summary;
mod suppression;
mod tensor_map_repairs;
mod tensor_memory;
mod tensors;
mod undecided;
mod unordered_buffers;
mod updates;
mod vendored;
mod verdicts;
mod waits;
mod walkthroughs;
mod warp_accesses;
mod warp_exchanges;
mod warpgroup_pipelines;
mod warpgroup_products;
mod what_can_go_wrong;

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
