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
