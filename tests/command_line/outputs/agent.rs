//! `--format agent`: a program applies the edits with `git apply`, without reading anything else.

use crate::{run_in, scratch};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What `git apply` takes from standard input, in a folder that belongs to no repository.
fn applied(folder: &Path, patch: &str) -> bool {
    let mut git = Command::new("git")
        .args(["apply", "-"])
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder.parent().expect("a parent"))
        .stdin(Stdio::piped())
        .spawn()
        .expect("git runs");
    git.stdin.take().expect("a pipe").write_all(patch.as_bytes()).expect("can be written");
    git.wait().expect("git ends").success()
}

const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

#[test]
fn the_edits_of_findings_are_applied_as_they_are_printed() {
    let folder = scratch("agent-edits");
    let module = format!(
        "{HEAD}.global .u32 x;\n.entry k()\n{{\n\t.reg .u32 %r<3>;\n\tatom.add.global.u32 %r1, [x], 1;\n\tmov.u32 %r2, %r1;\n\tred.global.ad.u32 [x], %r2;\n\tret;\n}}\n"
    );
    fs::write(folder.join("a.ptx"), module).expect("can be written");
    fs::write(folder.join("no_end.ptx"), format!("{HEAD}.func f()\n{{\n\tmoov.u32 %r1, 0; ret; }}")).expect("written");
    let first = run_in(&folder, &["lint", "--format", "agent", "."], b"");
    assert_eq!(first.code, 1, "{}", first.stderr);
    assert!(first.stdout.starts_with("a.ptx:"), "{}", first.stdout);
    assert!(applied(&folder, &first.stdout), "{}", first.stdout);
    let second = run_in(&folder, &["lint", "--format", "agent", "a.ptx"], b"");
    assert!(second.stdout.starts_with("0 findings in 1 file\n"), "{}", second.stdout);
}

#[test]
fn an_output_is_short_and_says_what_it_leaves_out() {
    let folder = scratch("agent-size");
    let wrong = "\tred.global.or.u32 [x], 1;\n\tst.globl.u32 [x], 1;\n".repeat(300);
    let warned = "\tatom.global.add.u32 _, [x], 1;\n";
    fs::write(folder.join("a.ptx"), format!("{HEAD}.global .u32 x;\n.entry k()\n{{\n{warned}{wrong}\tret;\n}}\n"))
        .expect("can be written");
    let run = run_in(&folder, &["lint", "--format", "agent", "a.ptx"], b"");
    assert!(run.stdout.len() <= 8 << 10, "{} bytes", run.stdout.len());
    let last = run.stdout.lines().find(|line| line.contains("left out: ")).expect("what is left out");
    assert!(last.contains(" errors: apply these edits and ask again"), "{last}");
}
