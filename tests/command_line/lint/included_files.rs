//! Files that others include, each time with other macros.

use crate::{run_in, scratch};
use std::fs;
use std::path::Path;

const OPERATION: &str = r#"#define MAKE(TYPE) \
    __device__ void add(TYPE* p, TYPE v) { \
        asm volatile("red" ORDER SCOPE ".global.add.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); \
    }
MAKE(unsigned)
__device__ int get(int* p) {
    int v;
    asm volatile("ld" ORDER SCOPE ".global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
"#;

fn write(folder: &Path, file: &str, text: &str) {
    fs::create_dir_all(folder.join(file).parent().expect("a folder")).expect("made");
    fs::write(folder.join(file), text).expect("written");
}

/// The columns and the codes of the findings in a file, and what the summary says of `asm` statements.
fn found(folder: &Path, file: &str) -> (Vec<(u64, u64, String)>, String) {
    let run = run_in(folder, &["lint", "--format", "jsonl", file], b"");
    let finding = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("an object");
        let number = |key: &str| value[key].as_u64().expect("a number");
        (number("line"), number("column"), value["code"].as_str().expect("a code").to_owned())
    };
    let summary = run_in(folder, &["lint", file], b"").stdout;
    let summary = summary.lines().filter(|line| line.contains("asm statement")).collect();
    (run.stdout.lines().map(finding).collect(), summary)
}

#[test]
fn each_place_where_a_file_is_included_gives_it_other_macros() {
    let folder = scratch("included");
    let both = "#define ORDER \".relaxed\"\n#include \"cuda/orders.inc\"\n#undef ORDER\n#define ORDER \".acquire\"\n#include \"cuda/orders.inc\"\n#undef ORDER\n";
    write(&folder, "cuda/all.hpp", both);
    write(&folder, "cuda/orders.inc", "#define SCOPE \".gpu\"\n#include \"op.inc_add\"\n#undef SCOPE\n");
    write(&folder, "cuda/op.inc_add", OPERATION);
    let (findings, summary) = found(&folder, "cuda/op.inc_add");
    assert_eq!(findings, [(3, 28, "illegal-modifier".to_owned())], "`red.acquire` is wrong, `ld.acquire` is not");
    assert_eq!(summary, "2 asm statements in 1 of 1 file; 2 instructions checked");
    write(&folder, "cuda/all.hpp", &both.replace("acquire", "release"));
    let (findings, _) = found(&folder, "cuda/op.inc_add");
    assert_eq!(findings, [(8, 23, "illegal-modifier".to_owned())], "now `ld.release` is");
}

#[test]
fn what_is_not_certain_stays_a_placeholder() {
    let folder = scratch("included-uncertain");
    write(&folder, "op.inc", OPERATION);
    let unknown = "2 asm statements in 1 of 1 file; 0 instructions checked; 2 not checked";
    for (why, includer) in [
        (
            "another folder's file of the same name",
            "#define ORDER \".acquire\"\n#define SCOPE \".gpu\"\n#include \"other/op.inc\"\n",
        ),
        (
            "a condition that is not known",
            "#if X\n#define ORDER \".acquire\"\n#endif\n#define SCOPE \".gpu\"\n#include \"op.inc\"\n",
        ),
        ("a value that is no literal", "#define ORDER order(acquire)\n#define SCOPE \".gpu\"\n#include \"op.inc\"\n"),
        ("a comment", "#define ORDER \".acquire\"\n#define SCOPE \".gpu\"\n/*\n#include \"op.inc\"\n*/\n"),
        ("an inclusion of itself", "#define ORDER \".acquire\"\n#include \"op.inc\"\n"),
    ] {
        write(&folder, "all.h", includer);
        let (findings, summary) = found(&folder, "op.inc");
        assert_eq!(findings, [], "{why}");
        assert!(summary.starts_with(unknown), "{why}: {summary}");
    }
}

#[test]
fn a_cached_result_depends_on_the_files_that_include_it() {
    let folder = scratch("included-cache");
    let includer = "#define ORDER \".relaxed\"\n#define SCOPE \".gpu\"\n#include \"op.inc\"\n";
    write(&folder, "all.h", includer);
    write(&folder, "op.inc", OPERATION);
    let lint = || run_in(&folder, &["lint", "--cache", "kept", "op.inc"], b"").code;
    assert_eq!(lint(), 0);
    write(&folder, "all.h", &includer.replace("relaxed", "acquire"));
    assert_eq!(lint(), 1);
}
