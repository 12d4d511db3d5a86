//! `run` and `check` of files of Python: the modules of Triton's cache, or those of an execution that the command line asks for.

use crate::scratch;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a compiler makes of a kernel `NAME` of a file.
const PTX: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry NAME(.param .u64 NAME_param_0)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	.loc 1 2 0
	ld.param.u64 %rd1, [NAME_param_0];
	mov.u32 %r1, %tid.x;
	.loc 1 3 4
	st.global.u32 [%rd1], %r1;
	ret;
}
	.file	1 \"FILE\"
";

/// A file of Python whose execution is noted, and compiles a kernel as Triton does.
const SOURCE: &str = "\
import os, pathlib
def store(p):
    p[0] = thread
pathlib.Path(\"executed\").write_text(\"\")
folder = pathlib.Path(os.environ[\"TRITON_CACHE_DIR\"]) / \"x\"
folder.mkdir(parents=True)
(folder / \"store.ptx\").write_text(pathlib.Path(\"store.txt\").read_text())
";

/// A folder with the file, and what is compiled when it is executed.
fn folder(name: &str) -> PathBuf {
    let folder = scratch(&format!("python-sources-{name}")).canonicalize().expect("a path");
    fs::write(folder.join("k.py"), SOURCE).expect("written");
    fs::write(folder.join("store.txt"), module(&folder, "store")).expect("written");
    folder
}

fn module(folder: &Path, kernel: &str) -> String {
    PTX.replace("NAME", kernel).replace("FILE", folder.join("k.py").to_str().expect("UTF-8"))
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(support::binary())
        .args(arguments)
        .current_dir(folder)
        .env("TRITON_CACHE_DIR", folder.join("cache"))
        .env_remove("VIRTUAL_ENV")
        .output()
        .expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("it ends"), text(output.stdout), text(output.stderr))
}

const CHECK: [&str; 6] = ["check", "k.py", "--block", "2", "--arg", "0=u32[1]"];

#[test]
fn no_python_is_executed_unless_the_command_line_asks_for_it() {
    let folder = folder("asked");
    let (code, _, errors) = run(&folder, &CHECK);
    assert!(code == 2 && errors.contains("k.py: no module of it in ") && errors.contains("--execute"), "{errors}");
    assert!(!folder.join("executed").exists());
    let (code, shown, errors) = run(&folder, &[&CHECK[..], &["--execute"]].concat());
    assert!(folder.join("executed").exists(), "{errors}");
    assert!(code == 1 && shown.contains("\n --> k.py:3:5\n") && shown.contains("p[0] = thread"), "{shown}{errors}");
    fs::write(folder.join("k.py"), "raise RuntimeError(\"no GPU\")").expect("written");
    let (code, _, errors) = run(&folder, &[&CHECK[..], &["--execute"]].concat());
    assert!(code == 2 && errors.contains("RuntimeError: no GPU\nptx-atomics: cannot execute k.py: "), "{errors}");
}

#[test]
fn modules_of_the_cache_are_those_that_name_the_file() {
    let folder = folder("cache");
    let cache = folder.join("cache").join("x");
    fs::create_dir_all(&cache).expect("a folder");
    fs::write(cache.join("other.ptx"), module(&folder.join("other"), "other")).expect("written");
    assert_eq!(run(&folder, &CHECK).0, 2);
    fs::write(cache.join("store.ptx"), module(&folder, "store")).expect("written");
    let (code, shown, errors) = run(&folder, &CHECK);
    assert!(code == 1 && shown.contains("\n --> k.py:3:5\n"), "{shown}{errors}");
    assert_eq!(errors, "");
    let old = fs::File::options().write(true).open(cache.join("store.ptx")).expect("a file");
    old.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    let (_, _, errors) = run(&folder, &CHECK);
    assert_eq!(errors, "ptx-atomics: warning: k.py has changed since its kernels were compiled: lines may be others\n");
    let without_lines = module(&folder, "store").replace("\t.loc", "//");
    fs::write(cache.join("store.ptx"), without_lines).expect("written");
    let (_, shown, errors) = run(&folder, &CHECK);
    assert!(
        errors.contains("the module of k.py has no line information") && shown.contains("k.py.ptx:"),
        "{shown}{errors}"
    );
    fs::write(cache.join("store.ptx"), module(&folder, "store")).expect("written");
    fs::write(cache.join("load.ptx"), module(&folder, "load")).expect("written");
    let (code, _, errors) = run(&folder, &CHECK);
    assert!(code == 2 && errors.contains("several kernels; choose one with --kernel: load, store"), "{errors}");
    assert_eq!(run(&folder, &[&CHECK[..], &["--kernel", "store"]].concat()).0, 1);
    let (_, _, errors) = run(&folder, &[&CHECK[..], &["--kernel", "add"]].concat());
    assert!(errors.contains("no kernel `add`; compiled were "), "{errors}");
    assert!(!folder.join("executed").exists());
}
