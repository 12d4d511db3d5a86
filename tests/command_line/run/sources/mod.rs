//! `run` and `check` of CUDA C++: which compiler starts, and the names of the source.

mod at_source;
mod launches;
mod python;

use crate::Run;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A source with two kernels.
const SOURCE: &str = "\
namespace ns {
template <class T> __global__ void scale(T* data, T factor) { data[threadIdx.x] *= factor; }
template __global__ void scale<int>(int*, int);
template __global__ void scale<float>(float*, float);
}
__global__ void count(unsigned* out, int n) { if (threadIdx.x < n) atomicAdd(out, 1u); }
";

/// What a compiler makes of it: with the mangled names.
const PTX: &str = "\
.version 8.6
.target sm_75
.address_size 64
.visible .entry _Z5countPji(.param .u64 _Z5countPji_param_0, .param .u32 _Z5countPji_param_1)
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	.reg .b64 %out;
	ld.param.u64 %out, [_Z5countPji_param_0];
	ld.param.u32 %r1, [_Z5countPji_param_1];
	mov.u32 %r2, %tid.x;
	setp.ge.s32 %p, %r2, %r1;
	@%p bra END;
	red.relaxed.gpu.global.add.u32 [%out], 1;
END:
	ret;
}
.visible .entry _ZN2ns5scaleIiEEvPT_S1_(.param .u64 _ZN2ns5scaleIiEEvPT_S1__param_0, .param .u32 _ZN2ns5scaleIiEEvPT_S1__param_1)
{
	ret;
}
.visible .entry _ZN2ns5scaleIfEEvPT_S1_(.param .u64 _ZN2ns5scaleIfEEvPT_S1__param_0, .param .f32 _ZN2ns5scaleIfEEvPT_S1__param_1)
{
	ret;
}
";

/// A program that notes its options, and writes what a compiler would write.
fn compiler(place: &Path, folder: &Path) -> PathBuf {
    fs::create_dir_all(place).expect("a folder");
    let (module, log) = (folder.join("stored.ptx"), folder.join("started"));
    fs::write(&module, PTX).expect("written");
    let text = format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncp {} \"$4\"\n", log.display(), module.display());
    let program = place.join("nvcc");
    fs::write(&program, text).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    program
}

/// A folder with the source.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ptx-atomics-sources-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("k.cu"), SOURCE).expect("written");
    folder
}

/// A folder with a source, and a compiler that copies `stored.ptx` there.
pub(super) fn folder_with(name: &str, source: &str) -> (PathBuf, String) {
    let folder = folder(name);
    fs::write(folder.join("k.cu"), source).expect("written");
    let nvcc = compiler(&folder.join("bin"), &folder);
    (folder, nvcc.to_str().expect("UTF-8").to_owned())
}

/// Runs the binary with a `PATH` of its own.
pub(super) fn run_with_path(folder: &Path, path: &str, arguments: &[&str]) -> Run {
    let output = Command::new(support::binary())
        .args(arguments)
        .current_dir(folder)
        .env_remove("CUDA_HOME")
        .env_remove("CUDA_PATH")
        .env_remove("VIRTUAL_ENV")
        .env("PATH", path)
        .output()
        .expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { code: output.status.code().expect("it ends"), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The commands of compilers that were started.
fn started(folder: &Path) -> String {
    fs::read_to_string(folder.join("started")).unwrap_or_default()
}

const COUNT: [&str; 10] =
    ["run", "k.cu", "--kernel", "count", "--block", "4", "--arg", "out=u32[1]", "--arg", "n=s32=3"];

#[test]
fn kernels_and_parameters_have_their_names_of_the_source() {
    let folder = folder("names");
    let nvcc = compiler(&folder.join("bin"), &folder);
    let nvcc = nvcc.to_str().expect("UTF-8");
    let run = |arguments: &[&str]| run_with_path(&folder, "/bin", &[arguments, &["--nvcc", nvcc]].concat());
    let counted = run(&COUNT);
    assert_eq!((counted.code, counted.stdout.lines().next()), (0, Some("out: u32[1] = 3")), "{}", counted.stderr);
    let checked = run(&[&["check"], &COUNT[1..]].concat());
    assert!(checked.stdout.starts_with("proved"), "{}{}", checked.stdout, checked.stderr);
    let launch = ["--arg", "data=u32[1]", "--arg", "factor=u32=2"];
    for (kernel, message) in [
        ("ns::scale<int>", ""),
        ("scale<int>", ""),
        ("scale<long>", "no kernel `scale<long>`; choose one with --kernel: count, ns::scale<int>, ns::scale<float>"),
        ("scale", "`scale` means several kernels; choose one with --kernel: ns::scale<int>, ns::scale<float>"),
        ("ns::scale", "`ns::scale` means several kernels"),
        ("copy", "no kernel `copy`; choose one with --kernel: count"),
    ] {
        let found = run(&[&["run", "k.cu", "--kernel", kernel], &launch[..]].concat());
        assert!(
            found.stderr.contains(message) && (found.code == 0) == message.is_empty(),
            "{kernel}: {}",
            found.stderr
        );
    }
    let typed = run(&[&COUNT[..6], &["--arg", "out=[1]", "--arg", "n=3"]].concat());
    assert_eq!(typed.stdout, counted.stdout, "{}", typed.stderr);
    let missing = run(&COUNT[..6]);
    assert!(missing.stderr.ends_with("add --arg 'out=[8]' --arg n=8\n"), "{}", missing.stderr);
    assert!(
        missing.stderr.contains("no arguments for the parameters `out` (8 bytes), `n` (4 bytes)"),
        "{}",
        missing.stderr
    );
}

/// What the command line leaves out is taken from the launch in the source, if that is certain.
#[test]
fn the_launch_is_that_of_the_source() {
    let host = "int main() {\n  int n = 3;\n  unsigned* p;\n  cudaMalloc(&p, sizeof(unsigned));\n  count<<<8, 4>>>(p, n);\n}\n";
    let (folder, nvcc) = folder_with("launch", &format!("{SOURCE}{host}"));
    let run = |command: &str, more: &[&str]| {
        let arguments = [&[command, "k.cu", "--kernel", "count", "--nvcc", &nvcc], more].concat();
        run_with_path(&folder, "/bin", &arguments)
    };
    let whole = run("run", &[]);
    let expected = "\nlaunch: count<<<8, 4>>> by line 11, out=[1], n=3\n";
    assert!(whole.stdout.starts_with("out: u32[1] = 24\n"), "{}{}", whole.stdout, whole.stderr);
    assert!(whole.stdout.ends_with(expected), "{}", whole.stdout);
    let few = run("check", &["--arg", "n=2", "--expect", "out=4"]);
    assert!(few.stdout.starts_with("proved") && few.stdout.contains("(8 threads"), "{}{}", few.stdout, few.stderr);
    assert!(few.stdout.ends_with("\nlaunch: count<<<2, 4>>> by line 11, of a grid of 8, out=[1]\n"), "{}", few.stdout);
    // Two launches of other sizes are no certain one.
    let two = host.replace("count<<<8, 4>>>(p, n);", "count<<<8, 4>>>(p, n); count<<<8, 5>>>(p, n);");
    fs::write(folder.join("k.cu"), format!("{SOURCE}{two}")).expect("written");
    assert!(run("run", &[]).stderr.contains("no arguments for the parameters `out`"));
}

/// A problem of a module with line information names the lines of the source, which is not read.
#[test]
fn a_problem_names_its_lines_of_the_source() {
    let folder = folder("lines");
    let red = "\tred.relaxed.gpu.global.add.u32 [%out], 1;";
    let race = "\t.loc 1 12 3\n\tld.global.u32 %r1, [%out];\n\t.loc 1 14 5\n\tst.global.u32 [%out], %r1;";
    fs::write(folder.join("k.ptx"), PTX.replace(red, race) + ".file 1 \"/src/k.cu\"\n").expect("written");
    let arguments = ["run", "k.ptx", "--kernel", "count", "--block", "2", "--arg", "0=u32[1]", "--arg", "1=s32=3"];
    let shown = run_with_path(&folder, "/bin", &arguments).stdout;
    assert!(shown.contains("\n  --> /src/k.cu:14, and /src/k.cu:12\n"), "{shown}");
    let found = run_with_path(&folder, "/bin", &[&arguments[..], &["--format", "json"]].concat()).stdout;
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let source = serde_json::json!([{ "path": "/src/k.cu", "line": 14 }, { "path": "/src/k.cu", "line": 12 }]);
    assert!(found["problems"].as_array().expect("a list").iter().any(|one| one["source"] == source), "{found}");
}

#[test]
fn the_compiler_is_the_one_that_the_user_names() {
    let folder = folder("compilers");
    let (one, other) = (folder.join("one"), folder.join("other"));
    let named = compiler(&one, &folder);
    compiler(&other, &folder);
    let path = format!("{}:/bin", other.display());
    let arguments = [&COUNT[..], &["--verbose", "--", "-arch=sm_90", "-DN=1"]].concat();
    let found = run_with_path(&folder, &path, &arguments);
    let source = folder.join("k.cu").canonicalize().expect("a path");
    assert_eq!(found.code, 0, "{}", found.stderr);
    assert!(started(&folder).starts_with(&format!("{} -ptx -lineinfo -o ", other.join("nvcc").display())));
    assert!(started(&folder).ends_with(&format!(" -arch=sm_90 -DN=1 {}\n", source.display())));
    assert!(found.stderr.contains("/other/nvcc -ptx -lineinfo -o FILE.ptx -arch=sm_90 -DN=1 k.cu"), "{}", found.stderr);
    let of_option = [&COUNT[..], &["--nvcc", named.to_str().expect("UTF-8")]].concat();
    assert_eq!(run_with_path(&folder, &path, &of_option).code, 0);
    assert!(started(&folder).contains(&format!("{} -ptx", named.display())));
    let failed = run_with_path(&folder, &path, &[&COUNT[..], &["--nvcc", "/bin/false"]].concat());
    assert_eq!((failed.code, &*failed.stderr), (2, "ptx-atomics: cannot compile k.cu: `/bin/false` failed\n"));
    fs::write(folder.join("k.ptx"), PTX).expect("written");
    let found = run_with_path(&folder, &path, &["run", "k.ptx", "--", "-arch=sm_90"]);
    assert!(
        found.stderr.contains("k.ptx is not compiled: options after `--` are those of a compiler"),
        "{}",
        found.stderr
    );
}

#[test]
fn no_file_of_the_folder_names_a_compiler_or_what_it_starts() {
    let folder = folder("untrusted");
    compiler(&folder, &folder);
    let command = "./nvcc -ccbin ./nvcc @more -Xcompiler -fplugin=./evil.so -DE=$(evil) -DN=1 -I include -std=c++20 -arch=sm_90 k.cu";
    let commands = serde_json::json!([{ "directory": folder.canonicalize().expect("a path"), "file": "k.cu", "command": command }]);
    fs::write(folder.join("compile_commands.json"), commands.to_string()).expect("written");
    // Relative folders are those of whoever wrote this one.
    let found = run_with_path(&folder, ".::bin:/bin", &COUNT);
    assert_eq!((found.code, &*started(&folder)), (2, ""), "{}", found.stderr);
    assert!(
        found.stderr.contains("cannot compile k.cu: no nvcc in `CUDA_HOME`, `CUDA_PATH`, `PATH`"),
        "{}",
        found.stderr
    );
    assert!(found.stderr.contains("pip install nvidia-cuda-nvcc"), "{}", found.stderr);
    let trusted = folder.join("trusted");
    compiler(&trusted, &folder);
    assert_eq!(run_with_path(&folder, &format!("{}:/bin", trusted.display()), &COUNT).code, 0);
    let include = folder.canonicalize().expect("a path").join("include");
    let taken = format!("module.ptx -DN=1 -I{} -std=c++20 -arch=sm_90 ", include.display());
    assert!(started(&folder).contains(&taken), "{}", started(&folder));
    for word in ["ccbin", "@more", "plugin", "evil"] {
        assert!(!started(&folder).contains(word), "{}", started(&folder));
    }
    // What the command line says is said once.
    let arguments = [&COUNT[..], &["--", "-arch=sm_80", "-std=c++17"]].concat();
    assert_eq!(run_with_path(&folder, &format!("{}:/bin", trusted.display()), &arguments).code, 0);
    let last = started(&folder).lines().last().expect("a command").to_owned();
    assert!(last.contains(" -arch=sm_80 -std=c++17 ") && !last.contains("sm_90") && !last.contains("c++20"), "{last}");
}

#[test]
fn lint_and_the_server_compile_nothing() {
    let folder = folder("nothing");
    let place = folder.join("bin");
    compiler(&place, &folder);
    let path = format!("{}:/bin", place.display());
    fs::write(folder.join("k.cu"), format!("//! check count block 4 out=u32[1] n=u32=3\n{SOURCE}")).expect("written");
    assert_eq!(run_with_path(&folder, &path, &["lint", "k.cu"]).code, 0);
    let launch = serde_json::json!({ "seq": 1, "type": "request", "command": "launch", "arguments": { "program": folder.join("k.cu"), "kernel": "count" } });
    let session = format!("Content-Length: {}\r\n\r\n{launch}", launch.to_string().len());
    for (command, input) in [("lsp", ""), ("dap", &*session)] {
        let mut child = Command::new(support::binary())
            .arg(command)
            .env("PATH", &path)
            .current_dir(&folder)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("it starts");
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("piped"), input.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(input.is_empty() || said.contains("expected PTX, found C++"), "{said}");
    }
    assert_eq!(started(&folder), "");
}
