//! Faults of the system and hostile workspaces: kill -9, full disks, files that vanish, and what compilation databases, includes and notebooks
//! lead to. Nothing is half written, nothing outside is shown, and messages say what happened.

use crate::{Run, run_in, scratch};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// The mistakes of a text of over 100 KB, which takes a while to write.
const MANY: usize = 4_000;

/// Those of a text of which there are many.
const FEW: usize = 300;

/// A module with mistakes that `--fix` and `fmt` change.
fn wrong(mistakes: usize) -> String {
    let wrong = "      red.global.or.u32 [a], r;\n".repeat(mistakes);
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b64 a;\n.reg .b32 r;\n{wrong}ret;\n}}\n"
    )
}

fn calm(run: &Run) {
    assert!(!run.stderr.contains("panicked") && run.code <= 2, "{}: {}", run.code, run.stderr);
}

/// Starts the binary, and kills it after a while.
fn killed(folder: &Path, arguments: &[&str], after: Duration) {
    let mut child = Command::new(support::binary())
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    sleep(after);
    let _ = child.kill();
    child.wait().expect("it ends");
}

/// The names of what is in a folder that is not hidden.
fn shown_names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

#[test]
fn whoever_is_killed_leaves_the_old_file_or_the_new_one() {
    let folder = scratch("fault-killed");
    let old = wrong(MANY);
    for command in [&["lint", "--fix", "a.ptx"][..], &["fmt", "a.ptx"]] {
        fs::write(folder.join("a.ptx"), &old).unwrap();
        calm(&run_in(&folder, command, b""));
        let new = fs::read_to_string(folder.join("a.ptx")).unwrap();
        assert_ne!(new, old);
        for round in 0..24 {
            fs::write(folder.join("a.ptx"), &old).unwrap();
            killed(&folder, command, Duration::from_millis(8 * round));
            let left = fs::read_to_string(folder.join("a.ptx")).unwrap();
            assert!(left == old || left == new, "{command:?}: half of it was written");
            assert_eq!(shown_names(&folder), ["a.ptx"], "what is left over is hidden");
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_cache_of_killed_runs_changes_no_result() {
    let folder = scratch("fault-cache");
    fs::create_dir(folder.join("work")).unwrap();
    for number in 0..60 {
        let text = if number % 7 == 0 { wrong(FEW) } else { wrong(FEW).replace(".u32", ".b32") };
        fs::write(folder.join(format!("work/{number}.ptx")), text).unwrap();
    }
    let expected = run_in(&folder, &["lint", "--format", "jsonl", "work"], b"");
    for round in 0..12 {
        killed(&folder, &["lint", "--cache", "cache", "work"], Duration::from_millis(25 * round));
    }
    // Entries that a disk lost the end of.
    let mut entries = Vec::new();
    for part in fs::read_dir(folder.join("cache")).unwrap().map(|entry| entry.unwrap().path()) {
        if part.is_dir() {
            entries.extend(fs::read_dir(part).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    for entry in entries.iter().step_by(2) {
        let bytes = fs::read(entry).unwrap();
        fs::write(entry, &bytes[..bytes.len() / 2]).unwrap();
    }
    for _ in 0..2 {
        let run = run_in(&folder, &["lint", "--format", "jsonl", "--cache", "cache", "work"], b"");
        assert_eq!((run.code, run.stdout), (expected.code, expected.stdout.clone()), "{}", run.stderr);
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Runs the program with one core and 512 MB of addresses.
#[cfg(target_os = "linux")]
fn on_a_small_machine(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let script = format!("ulimit -v 524288; exec taskset -c 0 \"$0\" {arguments}");
    let mut program = Command::new("sh");
    program.args(["-c", &script]).arg(support::binary()).current_dir(folder).stdin(Stdio::null());
    let output = program.output().expect("sh runs");
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8"))
}

#[cfg(target_os = "linux")]
#[test]
fn one_core_and_512_megabytes_are_enough() {
    let folder = scratch("fault-small");
    let kernel = "(.param .u64 p) {\n.reg .b64 %a;\n.reg .b32 %r;\nld.param.u64 %a, [p];\ncvta.to.global.u64 %a, %a;\n\
        atom.relaxed.gpu.global.add.u32 %r, [%a], 1;\nret;\n}\n";
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let many: String = (0..20_000).map(|number| format!(".visible .entry k{number}{kernel}")).collect();
    fs::write(folder.join("many.ptx"), format!("{head}{many}")).unwrap();
    fs::write(folder.join("one.ptx"), format!("{head}.visible .entry k{kernel}")).unwrap();
    let waits = kernel.replace("atom.", "griddepcontrol.wait;\natom.");
    fs::write(folder.join("waits.ptx"), format!("{}.visible .entry k{waits}", head.replace("80", "90"))).unwrap();
    for arguments in [
        "lint --quiet many.ptx",
        "fmt --check many.ptx",
        "run one.ptx --kernel k --grid 64 --block 1024 --arg p=u32[16777216]",
        "run waits.ptx --kernel k --grid 64 --block 1024 --arg p=u32[16777216] --earlier p=writes",
        "check one.ptx --kernel k --grid 2 --block 2 --arg p=u32[1]",
    ] {
        let (code, said) = on_a_small_machine(&folder, arguments);
        assert!(code == Some(0) || arguments.starts_with("fmt") && code == Some(1), "{arguments}: {code:?} {said}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// A run that may write no file of more than some KB, as on a disk that is full.
fn on_a_full_disk(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let script = format!("trap '' XFSZ; ulimit -f 16; exec \"$0\" {arguments}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(support::binary())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .expect("sh runs");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn a_full_disk_leaves_what_was_there_with_a_message() {
    let folder = scratch("fault-full");
    let old = wrong(MANY);
    fs::write(folder.join("a.ptx"), &old).unwrap();
    for (arguments, file) in [
        ("lint --fix a.ptx", "a.ptx"),
        ("fmt a.ptx", "a.ptx"),
        ("lint --output sarif=report a.ptx", "report"),
        ("lint --write-baseline report a.ptx", "report"),
    ] {
        fs::write(folder.join("report"), "before").unwrap();
        let (code, said) = on_a_full_disk(&folder, arguments);
        assert_eq!(code, Some(2), "{arguments}: {said}");
        assert!(said.contains(&format!("cannot write {file}")), "{arguments}: {said}");
        assert_eq!(fs::read_to_string(folder.join("a.ptx")).unwrap(), old, "{arguments}");
        assert_eq!(fs::read_to_string(folder.join("report")).unwrap(), "before", "{arguments}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "{arguments}: nothing is left over");
    }
    if let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") {
        for arguments in [&["lint", "a.ptx"][..], &["--help"], &["lint", "--help"], &["-h"], &["--version"], &["-V"]] {
            let full = full.try_clone().unwrap();
            let mut command = Command::new(support::binary());
            let output = command.args(arguments).current_dir(&folder).stdout(full).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            let code = output.status.code();
            assert!(code == Some(2) && said.contains("cannot write"), "{arguments:?}: {code:?} {said}");
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn files_that_vanish_during_a_run_are_no_crash() {
    let folder = scratch("fault-vanished");
    let small = wrong(1).lines().filter(|line| !line.starts_with(' ')).collect::<Vec<_>>().join("\n");
    for arguments in [&["lint", "work"][..], &["lint", "--fix", "work"], &["fmt", "work"]] {
        fs::create_dir_all(folder.join("work/inner")).unwrap();
        for number in 0..400 {
            fs::write(folder.join(format!("work/inner/{number}.ptx")), &small).unwrap();
        }
        let run = std::thread::scope(|scope| {
            scope.spawn(|| {
                sleep(Duration::from_millis(10));
                let _ = fs::remove_dir_all(folder.join("work/inner"));
            });
            run_in(&folder, arguments, b"")
        });
        calm(&run);
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_a_workspace_names_outside_of_itself_is_not_shown() {
    let folder = scratch("fault-outside");
    fs::create_dir_all(folder.join("work")).unwrap();
    fs::create_dir_all(folder.join("private")).unwrap();
    fs::write(folder.join("private/key.txt"), "SECRET-of-a-key\n").unwrap();
    fs::write(folder.join("private/key.h"), "#define ORDER \".SECRET\"\n#error SECRET\n").unwrap();
    let outside = folder.join("private/key.txt").display().to_string();
    let commands = serde_json::json!([
        {"directory": "../private", "file": "key.txt", "command": "nvcc -arch=sm_90 -include key.h key.txt"},
        {"directory": ".", "file": "a.cu", "arguments": ["nvcc", "-I../private", "-include", outside, "-arch=sm_90", "a.cu"]},
        {"directory": "/", "file": "/etc/passwd", "command": "cc /etc/passwd @/etc/passwd"},
    ]);
    fs::write(folder.join("work/compile_commands.json"), commands.to_string()).unwrap();
    let include = format!("#include \"../private/key.h\"\n#include \"{outside}\"\n#include \"/etc/passwd\"\n");
    let statement = "void f(int *p) { asm volatile(\"red\" ORDER \".gpu.global.or.u32 [%0], 1;\" :: \"l\"(p)); }\n";
    fs::write(folder.join("work/a.cu"), format!("{include}{statement}")).unwrap();
    fs::write(folder.join("work/b.cuh"), format!("{include}{statement}")).unwrap();
    fs::write(
        folder.join("work/a.ptx"),
        format!(".version 8.0\n.target sm_90\n.file 1 \"{outside}\"\n.entry k() {{\n.loc 1 1 1\nred.x;\nret; }}\n"),
    )
    .unwrap();
    for format in ["text", "jsonl", "sarif", "github", "gitlab", "junit"] {
        let run = run_in(&folder.join("work"), &["lint", "--format", format, "."], b"");
        calm(&run);
        for said in [&run.stdout, &run.stderr] {
            assert!(!said.contains("SECRET") && !said.contains("root:"), "{format}: {said}");
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_compilation_database_that_cannot_be_used_is_named() {
    let folder = scratch("fault-database");
    let path = folder.join("compile_commands.json");
    fs::write(folder.join("a.ptx"), wrong(0)).unwrap();
    fs::write(folder.join("b.ptx"), wrong(0)).unwrap();
    let deep = "[".repeat(200_000);
    for (text, reason) in [
        ("[{\"file\": SECRET}]", Some("invalid JSON at 1:11")),
        ("\"SECRET\"", Some("expected a list of commands")),
        ("", Some("invalid JSON at 1:0")),
        (&deep, Some("invalid JSON at 1:128")),
        ("[{\"other\": 1}, 5]", None),
    ] {
        fs::write(&path, text).unwrap();
        let run = run_in(&folder, &["lint", "."], b"");
        let expected = reason.map(|reason| format!("ptx-atomics: ignored {}: {reason}\n", path.display()));
        assert_eq!((run.code, run.stderr), (0, expected.unwrap_or_default()));
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let run = run_in(&folder, &["lint", "."], b"");
    assert!(run.code == 0 && run.stderr.ends_with("compile_commands.json: not a regular file\n"), "{}", run.stderr);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_a_syntax_error_keeps_from_being_formatted_is_said() {
    let folder = scratch("fault-syntax");
    let good = ".visible .entry good()\n{\nret;\n}\n";
    let text = format!(".version 8.0\n.target sm_90\n.visible .entry bad()\n{{\n  ) what ( ;\nret;\n}}\n{good}");
    fs::write(folder.join("a.ptx"), &text).unwrap();
    let message = "ptx-atomics: cannot format all of a.ptx: syntax error at 5:3: expected an instruction, found `)`\n";
    let check = run_in(&folder, &["fmt", "--check", "a.ptx"], b"");
    assert_eq!((check.code, &*check.stdout, &*check.stderr), (2, "a.ptx\n", message));
    let run = run_in(&folder, &["fmt", "a.ptx"], b"");
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (2, "", message));
    let formatted = text.replace("{\nret;", "{\n\tret;");
    assert_eq!(fs::read_to_string(folder.join("a.ptx")).unwrap(), formatted, "the other function is formatted");
    let piped = run_in(&folder, &["fmt", "-"], text.as_bytes());
    assert_eq!((piped.code, piped.stdout, piped.stderr), (2, formatted, message.replace("a.ptx", "<stdin>")));
    let marked = "\u{feff}.version 8.0\n.target sm_90\n";
    assert_eq!(run_in(&folder, &["fmt", "-"], marked.as_bytes()).code, 0, "behind a byte order mark all is formatted");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn notebooks_that_grow_when_read_are_no_crash() {
    let folder = scratch("fault-notebooks");
    let cell = |source: &str| format!("{{\"cell_type\":\"code\",\"source\":{source}}}");
    let notebook = |cells: &str| format!("{{\"nbformat\":4,\"metadata\":{{}},\"cells\":[{cells}]}}");
    let many = notebook(&vec![cell("\"x\""); 100_000].join(","));
    let escapes = notebook(&cell(&format!("\"{}\"", "\\u00e9\\n".repeat(300_000))));
    let lines = notebook(&cell(&format!("[{}]", vec!["\"\\n\""; 500_000].join(","))));
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let all =
        [many, escapes, lines, notebook(&deep), notebook(&cell(&deep)), "{\"cells\":".repeat(100_000), String::new()];
    for text in all {
        fs::write(folder.join("a.ipynb"), text).unwrap();
        calm(&run_in(&folder, &["lint", "a.ipynb"], b""));
    }
    fs::remove_dir_all(folder).unwrap();
}
