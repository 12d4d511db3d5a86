//! The guarantees of SECURITY.md: which files are read and written, and that no program is started and no connection opened.

use crate::{Run, run_in, scratch};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .b64 a; .reg .b32 r;\n  red.global.or.u32 [a], r;\nret; }\n";
const CUDA: &str = "void f(int *p) { asm volatile(\"red.global.or.u32 [%0], 1;\" :: \"l\"(p)); }\n";
const LITMUS: &str = "PTX a\n{ }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0=0)\n";
/// A session from the beginning to the end, with a look for files of the folder that are not open.
const SESSION: [&str; 6] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"rootUri":"file://FOLDER/work"}}"#,
    r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
    r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file://FOLDER/work/a.ptx","languageId":"ptx","version":1,"text":"red.add"}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"workspace/diagnostic","params":{"previousResultIds":[]}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#,
    r#"{"jsonrpc":"2.0","method":"exit"}"#,
];

/// Commands that promise to write nothing but to standard output.
const QUIET: [&[&str]; 9] = [
    &["lint", "."],
    &["lint", "--format", "sarif", "--statistics", "."],
    &["lint", "--fix", "--unsafe-fixes", "--dry-run", "."],
    &["fmt", "--check", "."],
    &["litmus", "a.litmus"],
    &["eval", "atom.global.add.u32", "--mem", "1", "--b", "2", "--explain"],
    &["explain", "illegal-type"],
    &["diff", "a.ptx", "a.ptx"],
    &["lsp"],
];

/// A folder with work in it, beside one that is none of our business.
fn place(name: &str) -> PathBuf {
    let folder = scratch(name);
    fs::create_dir_all(folder.join("work/inner")).unwrap();
    fs::create_dir_all(folder.join("private")).unwrap();
    fs::write(folder.join("work/a.ptx"), PTX).unwrap();
    fs::write(folder.join("work/inner/a.cu"), CUDA).unwrap();
    fs::write(folder.join("work/a.litmus"), LITMUS).unwrap();
    fs::write(folder.join("work/notes.txt"), "not ours").unwrap();
    fs::write(folder.join("work/ptx-atomics.toml"), "preset = \"strict\"\n").unwrap();
    fs::write(folder.join("private/key.ptx"), PTX).unwrap();
    folder
}

fn session(folder: &Path) -> Vec<u8> {
    let bodies = SESSION.map(|body| body.replace("FOLDER", &folder.display().to_string()));
    bodies.map(|body| format!("Content-Length: {}\r\n\r\n{body}", body.len())).concat().into_bytes()
}

/// Every file below a folder: its text, and when it was written.
fn state(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(state(&path))
        } else {
            _ = found.insert(path.clone(), (fs::read(&path).unwrap(), path.metadata().unwrap().modified().unwrap()))
        }
    }
    found
}

fn run(folder: &Path, arguments: &[&str]) -> Run {
    let run = run_in(&folder.join("work"), arguments, &session(folder));
    assert!(run.code <= 1, "{arguments:?}: {}", run.stderr);
    run
}

#[test]
fn what_does_not_promise_to_write_writes_nothing() {
    let folder = place("quiet");
    let before = state(&folder);
    for arguments in QUIET {
        run(&folder, arguments);
        assert_eq!(state(&folder), before, "{arguments:?}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_promises_to_write_writes_that_and_nothing_else() {
    let changed = |arguments: &[&str]| {
        let folder = place("writing");
        let before = state(&folder);
        run(&folder, arguments);
        let after = state(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert!(before.keys().all(|path| after.contains_key(path)), "{arguments:?} takes nothing away");
        let changed = after.iter().filter(|(path, now)| before.get(*path) != Some(now));
        changed.map(|(path, _)| path.strip_prefix(&folder).unwrap().display().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(changed(&["lint", "--fix", "a.ptx"]), ["work/a.ptx"]);
    assert_eq!(changed(&["lint", "--fix", "."]), ["work/a.ptx", "work/inner/a.cu"]);
    assert_eq!(changed(&["lint", "--output", "sarif=report", "."]), ["work/report"]);
    assert_eq!(changed(&["lint", "--write-baseline", "accepted", "."]), ["work/accepted"]);
    assert_eq!(changed(&["fmt", "a.ptx"]), ["work/a.ptx"]);
}

#[cfg(unix)]
#[test]
fn links_out_of_a_folder_are_not_read() {
    use std::os::unix::fs::symlink;
    let folder = place("links");
    let work = folder.join("work");
    fs::write(folder.join("private/SECRET.toml"), "SECRET = 1\n").unwrap();
    fs::write(folder.join("private/key.ptx"), PTX.replace("k()", "SECRET()").replace("red", "SECRET")).unwrap();
    symlink("../private/key.ptx", work.join("b.ptx")).unwrap();
    symlink("../../private", work.join("inner/folder")).unwrap();
    symlink("a.ptx", work.join("c.ptx")).unwrap();
    for format in ["text", "jsonl", "sarif", "github"] {
        let run = run(&folder, &["lint", "--format", format, "."]);
        assert!(!run.stdout.contains("SECRET") && !run.stderr.contains("SECRET"), "{format}: {}", run.stdout);
        assert!(run.stdout.contains("c.ptx"), "a link inside of the folder is read: {}", run.stdout);
    }
    let run = run_in(&work, &["lint", "."], b"");
    assert!(run.stdout.contains("1 link out of the folder"), "{}", run.stdout);
    // What is named is read: the link itself, or where it leads to.
    for arguments in [&["lint", "b.ptx"][..], &["lint", ".", "./b.ptx"], &["lint", ".", "../private"]] {
        let run = run_in(&work, arguments, b"");
        assert!(run.stdout.contains("SECRET.global") && !run.stdout.contains("link out"), "{}", run.stdout);
    }
    fs::remove_file(work.join("ptx-atomics.toml")).unwrap();
    symlink("../private/SECRET.toml", work.join("ptx-atomics.toml")).unwrap();
    let linted = run_in(&work, &["lint", "a.ptx"], b"");
    let message = "ptx-atomics.toml: symbolic link out of the folder and its repository";
    assert!(linted.code == 2 && linted.stderr.contains(message), "{}", linted.stderr);
    assert!(!linted.stderr.contains("SECRET") && linted.stdout.contains("illegal-type"), "{}", linted.stdout);
    fs::create_dir(folder.join(".git")).unwrap();
    let linted = run_in(&work, &["lint", "a.ptx"], b"");
    assert!(linted.stderr.contains("unknown key `SECRET`"), "in the repository: {}", linted.stderr);
    fs::remove_dir_all(folder).unwrap();
}

/// A call of the system that a run made, and succeeded with.
struct Called {
    name: String,
    line: String,
    path: Option<PathBuf>,
}

/// The system calls; `None` where tracing is not permitted.
fn watched(folder: &Path, arguments: &[&str]) -> Option<Vec<Called>> {
    let log = folder.join("log");
    let mut child = Command::new("strace")
        .args(["-f", "-qq", "-s", "4096", "-e", "trace=%file,%network,execve", "-o"])
        .arg(&log)
        .arg(support::binary())
        .args(arguments)
        .current_dir(folder.join("work"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let _ = std::io::Write::write_all(&mut child.stdin.take().expect("piped"), &session(folder));
    child.wait().expect("it ends");
    let text = fs::read_to_string(&log).ok()?;
    fs::remove_file(&log).ok()?;
    let call = |line: &str| {
        let line = line.split_once(' ').map_or(line, |(_, call)| call.trim_start());
        let (name, rest) = line.split_once('(')?;
        let path = rest.split('"').nth(1).map(|path| folder.join("work").join(path));
        let failed = line.rsplit(" = ").next().is_some_and(|result| result.starts_with('-'));
        (!failed).then(|| Called { name: name.to_owned(), line: line.to_owned(), path })
    };
    let calls: Vec<_> = text.lines().filter_map(call).collect();
    calls.iter().any(|call| call.name == "execve").then_some(calls)
}

#[test]
fn the_system_is_asked_for_nothing_else() {
    let folder = place("watched");
    let mut seen = 0;
    for arguments in QUIET {
        let Some(calls) = watched(&folder, arguments) else {
            eprintln!("strace is not here, or may not watch: what the system is asked for was not looked at");
            break;
        };
        assert_eq!(calls.iter().filter(|call| call.name == "execve").count(), 1, "{arguments:?} starts nothing");
        for call in &calls {
            assert!(
                !["socket", "connect", "bind", "sendto"].contains(&call.name.as_str()),
                "{arguments:?}: {}",
                call.line
            );
            let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| call.line.contains(flag));
            let changes =
                ["unlink", "rename", "mkdir", "chmod", "link", "truncate"].iter().any(|name| call.name.contains(name));
            let only_looks = call.name.starts_with("readlink");
            assert!(!writes && (only_looks || !changes), "{arguments:?}: {}", call.line);
            let Some(path) = call.path.as_ref().filter(|_| call.name.starts_with("open")) else { continue };
            let plain = path.components().fold(PathBuf::new(), |path, part| match part {
                std::path::Component::ParentDir => path.parent().unwrap_or(&path).to_owned(),
                std::path::Component::CurDir => path,
                part => path.join(part),
            });
            seen += usize::from(plain.starts_with(folder.join("work")));
            let system = [
                "/lib",
                "/usr",
                "/etc/ld.so.cache",
                "/proc/self",
                "/sys/fs/cgroup",
                "/sys/devices/system",
                "/sys/kernel/mm",
                "/proc/stat",
                "/proc/sys/vm",
                "/dev/null",
            ];
            let ours = plain.starts_with(folder.join("work")) || system.iter().any(|place| plain.starts_with(place));
            // How git's ignore files are to be read, git itself says in one of these.
            let ignoring =
                [".gitconfig", "gitconfig", "git/config", "git/ignore", ".gitignore", ".ignore", "info/exclude"];
            let is_configuration =
                ignoring.iter().chain(&["ptx-atomics.toml", "compile_commands.json"]).any(|name| plain.ends_with(name));
            assert!(ours || is_configuration, "{arguments:?} reads {}: {}", plain.display(), call.line);
            assert!(!plain.ends_with("notes.txt"), "{arguments:?} reads what is in no language of ours");
        }
    }
    fs::remove_dir_all(folder).unwrap();
    eprintln!("{seen} files of the work were seen being read");
}

/// A server that a workspace names would run as soon as it is opened.
#[test]
fn a_server_of_the_workspace_needs_trust() {
    let manifest = fs::read_to_string(support::root().join("editors/vscode/package.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    let restricted = &manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"];
    for setting in ["ptxAtomics.server.path", "ptxAtomics.server.arguments"] {
        assert!(restricted.as_array().is_some_and(|list| list.iter().any(|one| one == setting)), "{restricted}");
    }
}

#[test]
fn each_guarantee_names_a_test() {
    let tests = support::root().join("tests");
    let text = fs::read_to_string(support::root().join("SECURITY.md")).unwrap();
    let guarantees = text.split("Not guaranteed").next().unwrap_or_default();
    let mut named = 0;
    for guarantee in guarantees.split("\n- ").skip(1) {
        let parts: Vec<&str> = guarantee.split('`').skip(1).step_by(2).collect();
        let mut of_guarantee = 0;
        let mut file = String::new();
        for part in parts {
            if part.ends_with(".rs") {
                file = fs::read_to_string(tests.join(part)).unwrap_or_else(|error| panic!("{part}: {error}"));
            } else if !file.is_empty() && part.contains('_') && !part.contains('/') {
                assert!(file.contains(&format!("fn {part}(")), "no test `{part}`");
                of_guarantee += 1;
            }
        }
        assert!(of_guarantee > 0, "no test beside: {guarantee}");
        named += of_guarantee;
    }
    assert!(named > 30, "{named} tests");
}
