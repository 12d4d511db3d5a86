//! The tool of Compiler Explorer: it gets a source in a folder in which its compiler has left PTX.

use crate::scratch;
use std::fs;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "__device__ unsigned set(unsigned *flag) {\n  unsigned old; asm(\"atom.release.gpu.global.add.u32 %0, [%1], 1;\" : \"=r\"(old) : \"l\"(flag)); return old;\n}\n";
const MODULE: &str = ".version 8.0\n.target sm_90\n.visible .entry k() {\n.reg .b64 a; .reg .b32 r;\nred.global.or.u32 [a], r;\nret;\n}\n";

/// The exit code and what the tool prints, with the program under test in the path.
fn tool(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let bin = support::binary();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(support::root().join("editors/compiler-explorer/lint"));
    command.args(arguments).arg(folder.join("example.cu"));
    command.env("PATH", format!("{}:{path}", bin.parent().expect("a folder").display()));
    let output = command.output().expect("bash runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_tool_of_compiler_explorer_checks_the_source_and_its_ptx_and_explains() {
    let folder = scratch("compiler-explorer");
    for (name, text) in [("example.cu", SOURCE), ("example.ptx", MODULE), ("output.s", "\t.text\n")] {
        fs::write(folder.join(name), text).expect("written");
    }
    let (code, shown, errors) = tool(&folder, &[]);
    assert_eq!(code, Some(1), "{errors}");
    // A location at the beginning of a line is a link there.
    let source = format!("{}:2:22: warning[asm-missing-memory]: ", folder.join("example.cu").display());
    assert!(shown.lines().any(|line| line.starts_with(&source)), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("example.ptx:5:14: error[illegal-type]: ")), "{shown}");
    assert!(shown.contains("\nasm-missing-memory\nChecks for `asm` statements that order memory"), "{shown}");
    assert!(shown.contains("2 files checked"), "the output is no PTX: {shown}");
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn the_tool_of_compiler_explorer_takes_no_option_that_names_a_file() {
    let folder = scratch("compiler-explorer-options");
    fs::write(folder.join("example.cu"), SOURCE).expect("written");
    let (_, found, _) = tool(&folder, &["--disable", "asm-missing-memory,asm-missing-volatile"]);
    assert!(found.contains("1 file checked, no findings"), "{found}");
    for refused in [["--config", "a.toml"], ["--output", "sarif=a"], ["--preset=all", "--fix"]] {
        let (code, shown, errors) = tool(&folder, &refused);
        assert!(
            code == Some(2) && shown.is_empty() && errors.contains("unknown option"),
            "{refused:?}: {shown}{errors}"
        );
    }
    let (code, page, _) = tool(&folder, &["--explain", "red"]);
    assert!(code == Some(0) && page.starts_with("# red\n"), "{page}");
    fs::remove_dir_all(folder).expect("removed");
}
