//! The summary of `lint`: counts, files with errors first, equal diagnostics of several files once.

use crate::{run_in, scratch};
use std::fs;
use std::path::PathBuf;

const WARNS: &str = ".version 8.0\n.target sm_90\n.visible .entry k() { .reg .b64 a; red.global.add.u32 [a], 0x1ffffffff; mov.u64 a, a; ret; }\n";
const WRONG: &str =
    ".version 8.0\n.target sm_90\n.visible .entry k() { .reg .b64 a; .reg .b32 r; red.global.or.u32 [a], r; }\n";
const CUDA: &str = "void f(int *p) { asm volatile(\"red.global.or.u32 [%0], 1;\" :: \"l\"(p) : \"memory\");\nasm volatile(\"mov.u32 %r1, 1;\"); }\n";

fn project(name: &str) -> PathBuf {
    let folder = scratch(name);
    for folder_of_copies in ["c", "d", "e"] {
        fs::create_dir(folder.join(folder_of_copies)).expect("made");
        fs::write(folder.join(folder_of_copies).join("k.cuh"), CUDA).expect("written");
    }
    fs::write(folder.join("a.ptx"), WARNS).expect("written");
    fs::write(folder.join("z.ptx"), WRONG).expect("written");
    fs::write(folder.join("m.sass"), "        /*0000*/                   REDG.E.ADD.STRONG.GPU [R2.64], R5 ;\n        /*0010*/                   EXIT ;\n").expect("written");
    fs::write(folder.join("plain.ptx"), "<pretext/>\n").expect("written");
    fs::write(folder.join("notes.txt"), "nothing").expect("written");
    fs::write(folder.join("old.ptx"), WRONG).expect("written");
    fs::write(folder.join("ptx-atomics.toml"), "exclude = [\"old.ptx\"]\n").expect("written");
    folder
}

#[test]
fn the_summary_counts_what_was_looked_at_and_what_was_not() {
    let folder = project("summary");
    let run = run_in(&folder, &["lint"], b"");
    assert_eq!(run.stderr, "");
    // Of each kind one: an atomic of PTX, `red` in each of the copies, `REDG`, and each `mov`, and `ret`; `EXIT` has no rows.
    for part in [
        "6 asm statements in 3 of 10 files; 11 instructions checked; ",
        " not checked, see `ptx-atomics explain coverage`\n",
        "skipped: 2 files in other languages, 1 file with no PTX or SASS in the first 64 KiB, 1 file excluded by the settings\n",
    ] {
        assert!(run.stdout.contains(part), "{part} is missing in {}", run.stdout);
    }
    let quiet = run_in(&folder, &["lint", "--quiet"], b"").stdout;
    assert!(!quiet.contains("not checked,") && !quiet.contains("not read"), "{quiet}");
    let sarif = run_in(&folder, &["lint", "--format", "sarif"], b"").stdout;
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    let counts = &sarif["runs"][0]["properties"];
    assert_eq!((counts["asmStatements"].as_u64(), counts["filesExcluded"].as_u64()), (Some(6), Some(1)), "{counts}");
    assert_eq!(counts["asmStatementsChecked"].as_u64(), Some(6), "{counts}");
    assert_eq!(counts["instructionsChecked"].as_u64(), Some(11), "{counts}");
}

#[test]
fn opcodes_with_unknown_macros_count_as_not_checked() {
    let folder = scratch("unknown-macro");
    let statement = "void f(int *p) { asm volatile(\"red.global.\" OP \".u32 [%0], 1; mov.u32 %1, 1;\" :: \"l\"(p) : \"memory\"); }\n";
    fs::write(folder.join("a.cu"), statement).expect("written");
    let run = run_in(&folder, &["lint", "a.cu"], b"");
    let summary =
        "1 asm statement in 1 of 1 file; 1 instruction checked; 1 not checked, see `ptx-atomics explain coverage`\n";
    assert!(run.stdout.contains(summary), "{}", run.stdout);
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn files_with_errors_come_first_and_copies_are_folded() {
    let folder = project("order");
    let text = run_in(&folder, &["lint", "."], b"").stdout;
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing in {text}"));
    assert!(at("--> ./c/k.cuh:1") < at("--> ./z.ptx") && at("--> ./z.ptx") < at("--> ./a.ptx"), "{text}");
    assert!(!text.contains("--> ./d/k.cuh"), "{text}");
    at("and in 2 other files: ./d/k.cuh, ./e/k.cuh");
    at("checked: 4 errors, 1 warning");
    let lines = run_in(&folder, &["lint", "--format", "jsonl", "."], b"").stdout;
    assert_eq!(lines.matches("k.cuh").count(), 3, "programs get all of them: {lines}");
    let few = run_in(&folder, &["lint", "--max-findings", "1", "."], b"").stdout;
    assert!(few.contains("error[illegal-type]") && !few.contains("warning["), "{few}");
}
