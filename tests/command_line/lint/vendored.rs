//! Copies of others' code in folders, and statements that are not read.

use crate::{run_in, scratch};
use std::fs;
use std::path::Path;

const WRONG: &str =
    "__device__ void f(int* p) { asm volatile(\"red.global.or.u32 [%0], 1;\" :: \"l\"(p) : \"memory\"); }\n";

fn write(folder: &Path, file: &str, text: &str) {
    fs::create_dir_all(folder.join(file).parent().expect("a folder")).expect("made");
    fs::write(folder.join(file), text).expect("written");
}

/// The paths with findings, in order.
fn paths(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let run = run_in(folder, &[&["lint", "--format", "jsonl"], arguments].concat(), b"");
    let path = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("an object");
        value["path"].as_str().expect("a path").to_owned()
    };
    run.stdout.lines().map(path).collect()
}

#[test]
fn copies_of_others_are_counted_and_left_out_unless_they_are_named() {
    let folder = scratch("vendored");
    for file in ["a.cu", "third_party/b.cu", "src/vendor/c.cu", "lib/copy/d.cu", "lib/own/e.cu", "sub/f.cu", "old/g.cu"]
    {
        write(&folder, file, WRONG);
    }
    write(&folder, ".gitattributes", "lib/** linguist-vendored\nlib/own/** -linguist-vendored\n*.cu text\n");
    write(&folder, "sub/.git", "gitdir: ../.git/modules/sub\n");
    write(&folder, ".gitmodules", "[submodule \"old\"]\n\tpath = old\n\turl = https://example.org/old\n");
    assert_eq!(paths(&folder, &["."]), ["./a.cu", "./lib/own/e.cu"]);
    let summary = run_in(&folder, &["lint", "."], b"").stdout;
    assert!(summary.contains("5 vendored files (--include-vendored checks them)"), "{summary}");
    let all = paths(&folder, &["--include-vendored", "."]);
    assert_eq!(all.len(), 7, "{all:?}");
    assert_eq!(paths(&folder, &["third_party/b.cu", "sub"]), ["sub/f.cu", "third_party/b.cu"]);
    assert_eq!(
        paths(&folder, &["lib", "old", "src/vendor"]),
        ["lib/copy/d.cu", "lib/own/e.cu", "old/g.cu", "src/vendor/c.cu"]
    );
}

#[test]
fn statements_whose_text_is_unknown_are_counted_by_file_and_reason() {
    let folder = scratch("unread");
    write(
        &folder,
        "a.cu",
        "#include \"b.h\"\n__device__ void f() { asm volatile(WAIT_ALL); asm volatile(\"exit;\"); }\n",
    );
    write(
        &folder,
        "c.py",
        "def kernel(n):\n    return ('extern \"C\" __global__ void k() { asm volatile(\"' + \"trap;\" + '\"); }').replace('k', n)\n\
         source = \"__device__ void {name}() {{ asm volatile(\\\"exit;\\\"); }}\"\ntext = source.replace('{name}', 'f')\n",
    );
    let summary = run_in(&folder, &["lint", "."], b"").stdout;
    assert!(summary.contains("1 asm statement in 1 of 2 files"), "{summary}");
    assert!(
        summary.contains("not read: 1 asm statement with text from a macro of another file: ./a.cu (1)"),
        "{summary}"
    );
    assert!(summary.contains("asm statements with computed text: ./c.py (2)"), "{summary}");
}

#[test]
fn a_toolkit_limits_the_version_of_asm_statements() {
    let folder = scratch("toolkit-asm");
    let newer = "__device__ void f(float* p, float x) { asm volatile(\"red.global.add.noftz.f32 [%0], %1;\" :: \"l\"(p), \"f\"(x) : \"memory\"); }\n";
    write(&folder, "a.cu", newer);
    assert_eq!(paths(&folder, &["a.cu"]), [""; 0]);
    assert_eq!(paths(&folder, &["--toolkit", "12.9", "a.cu"]), ["a.cu"]);
}

#[test]
fn a_statement_that_a_build_may_leave_out_is_no_error_of_a_target() {
    let folder = scratch("other-branch");
    let text = "__device__ unsigned up(unsigned w) {\n#ifdef USE_GROUPS\n  return w;\n#else\n\
                asm volatile(\"shfl.up.b32 %0, %0, 1, 0;\" : \"+r\"(w));\n#endif\n  return w;\n}\n";
    write(&folder, "a.cuh", text);
    assert_eq!(paths(&folder, &["--target", "sm_80", "a.cuh"]), [""; 0]);
    write(&folder, "a.cuh", &text.replace("#ifdef USE_GROUPS", "#if 0"));
    assert_eq!(paths(&folder, &["--target", "sm_80", "a.cuh"]), ["a.cuh"]);
}
