//! `lint` of files with machine code.

use crate::{Run, scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const KERNEL: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 a;\n\
                      ld.param.u64 a, [p];\ncvta.to.global.u64 a, a;\nred.global.add.u32 [a], 1;\nret;\n}\n";

/// Runs `lint` with the programs of a folder.
fn lint(folder: &Path, programs: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(support::binary());
    command.arg("lint").args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("PATH", programs).env_remove("CUDA_HOME").env_remove("CUDA_PATH");
    let output = command.output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: output.status.code().expect("ended"), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A folder with `k.cubin`.
fn cubin(name: &str) -> Option<(PathBuf, PathBuf)> {
    let tools = support::ptxas()?.parent()?.to_owned();
    let folder = scratch(name);
    fs::write(folder.join("k.ptx"), KERNEL).expect("writes");
    let mut ptxas = Command::new(tools.join("ptxas"));
    let made = ptxas.args(["-arch=sm_90", "k.ptx", "-o", "k.cubin"]).current_dir(&folder).status().expect("runs");
    assert!(made.success() && tools.join("cuobjdump").exists());
    Some((folder, tools))
}

#[test]
fn the_code_in_a_binary_is_checked_where_cuobjdump_is_installed() {
    let Some((folder, tools)) = cubin("binaries") else { return };
    let run = lint(&folder, &tools, &["k.cubin"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("1 file checked, no findings\n1 instruction checked"), "{}", run.stdout);
    let run = lint(&folder, &tools, &["--show-settings", "k.cubin"]);
    assert!(run.stdout.contains("k.cubin:k.sm_90.sass"), "{}", run.stdout);
    // A binary file in a folder is not opened with another program.
    let run = lint(&folder, &tools, &["."]);
    assert!(run.stdout.contains("skipped: 1 file in other languages"), "{}", run.stdout);

    let run = lint(&folder, &folder, &["k.cubin"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, "0 files checked, no findings\n"));
    assert!(
        run.stderr.contains("cannot check k.cubin: binary file; to check its PTX and SASS, install `cuobjdump`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_binary_without_code_for_devices_is_named() {
    let Some((folder, tools)) = cubin("binaries-without-code") else { return };
    fs::write(folder.join("broken.o"), b"\x7fELF and no more").expect("writes");
    fs::copy(support::binary(), folder.join("own")).expect("copies");
    for (name, reason) in [("own", "no PTX or SASS in this file"), ("broken.o", "")] {
        let run = lint(&folder, &tools, &[name, "k.ptx"]);
        assert!(run.code == 2 && run.stderr.contains(&format!("cannot check {name}: {reason}")), "{}", run.stderr);
        assert!(run.stdout.starts_with("1 file checked"), "the other file is checked: {}", run.stdout);
    }
}
