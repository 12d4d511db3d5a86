//! Extreme input: deep nesting, long lines, large files, circular links, files that change while they are read.

use crate::{Run, run_in, scratch};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The ending of a file in each language.
const ENDINGS: [&str; 4] = ["ptx", "cu", "sass", "litmus"];

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Lints a file with a text, which must end in findings or none.
fn lint(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> Run {
    fs::write(folder.join(name), text).unwrap();
    let run = run_in(folder, &["lint", "--format", "jsonl", "--preset", "all", name], b"");
    fs::remove_file(folder.join(name)).unwrap();
    calm(&run);
    assert!([0, 1].contains(&run.code), "{name}: {} {}", run.code, run.stderr);
    run
}

fn calm(run: &Run) {
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("overflow"), "{}", run.stderr);
}

#[test]
fn thousands_of_every_bracket() {
    // Deep enough for any stack; deeper with --full.
    let depth = if support::full() { 100_000 } else { 25_000 };
    let folder = scratch("nested");
    let function = format!("{HEAD}.visible .entry k() {{\n .reg .b64 a; .reg .b32 r;\n");
    let open = [
        "{",
        "(",
        "[",
        "<",
        "\"",
        "/*",
        "@",
        "@!%p ",
        "a: ",
        "-",
        "1+",
        "a ? b : ",
        "#if 1\n",
        "R\"(",
        "asm(\"{\" ",
        "~",
        "/\\ ",
    ];
    for ending in ENDINGS {
        let heads = match ending {
            "ptx" => vec![String::new(), function.clone(), format!("{function} atom.global.add.u32 r, [a], ")],
            "cu" => vec!["void f() {\n".to_owned(), "void f() { asm volatile(\"".to_owned(), "#if ".to_owned()],
            "sass" => vec![String::new(), "RED.E.ADD [".to_owned()],
            _ => vec![String::new(), "PTX a\n{ }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (".to_owned()],
        };
        for head in &heads {
            for bracket in open {
                lint(
                    &folder,
                    &format!("deep.{ending}"),
                    head.clone() + &bracket.repeat(if bracket.len() == 1 { depth } else { depth / 5 }),
                );
            }
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_line_of_two_hundred_megabytes() {
    const LENGTH: usize = 200 << 20;
    let folder = scratch("line");
    let line = |head: &str, part: &str, tail: &str| {
        let mut text = String::with_capacity(LENGTH + 100);
        text += head;
        while text.len() < LENGTH {
            text += part;
        }
        text + tail
    };
    let head = ".version 8.0 .target sm_90 .visible .entry k() { .reg .b64 a; .reg .b32 r; ";
    let found = lint(&folder, "line.ptx", line(head, "add.s32 r, r, 1; ", "red.global.or.u32 [a], r; ret; }"));
    let finding: serde_json::Value = serde_json::from_str(found.stdout.trim()).expect("one finding");
    assert_eq!((finding["line"].as_u64(), finding["code"].as_str()), (Some(1), Some("illegal-type")));
    assert!(finding["column"].as_u64() > Some(LENGTH as u64));

    let statement = "asm volatile(\"red.global.or.u32 [%0], 1;\" :: \"l\"(p)); }";
    let found = lint(&folder, "line.cu", line("void f(int *p) { ", "p[0] += 1; ", statement));
    assert!(found.stdout.contains("illegal-type"), "{}", found.stdout);
    if support::full() {
        lint(&folder, "line.sass", line("", "IADD3 R0, R0, R1, RZ ; ", "RED.E.ADD.F128 [R0], R1;"));
        lint(&folder, "line.litmus", line("PTX a { } P0@cta 0,gpu 0 ; ", "ld.weak r0, x ; ", "exists (P0:r0=0)"));
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_error_at_the_end_of_a_long_line_is_shown_without_all_of_it() {
    let folder = scratch("shown");
    let body = "add.s32 r, r, 1; ".repeat(60_000) + &"red.global.or.u32 [a], r; ".repeat(50);
    fs::write(folder.join("a.ptx"), format!("{HEAD}.visible .entry k() {{ .reg .b64 a; .reg .b32 r; {body} ret; }}"))
        .unwrap();
    let run = run_in(&folder, &["lint", "a.ptx"], b"");
    fs::remove_dir_all(folder).unwrap();
    calm(&run);
    assert_eq!(run.stdout.matches("error[illegal-type]").count(), 50);
    assert!(run.stdout.len() < 200_000, "{} bytes for fifty findings", run.stdout.len());
}

#[test]
fn files_over_256_mib_are_refused_in_every_language_and_by_every_command() {
    let folder = scratch("giants");
    for ending in ENDINGS {
        let name = format!("giant.{ending}");
        fs::File::create(folder.join(&name)).unwrap().set_len((256 << 20) + 1).unwrap();
        let mut commands = vec![
            vec!["lint", &name],
            vec!["fmt", "--check", &name],
            vec!["lint", "--fix", &name],
            vec!["diff", &name, &name],
        ];
        if ending == "litmus" {
            commands.push(vec!["litmus", &name]);
        }
        for arguments in commands {
            let run = run_in(&folder, &arguments, b"");
            calm(&run);
            assert_eq!(run.code, 2, "{arguments:?}");
            assert!(run.stderr.contains(&name) && run.stderr.contains("256 MiB"), "{arguments:?}: {}", run.stderr);
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

/// The data flow of a long function is built beside the walk over it, if there is a thread for it.
#[test]
fn a_long_function_has_the_same_findings_on_one_core_and_on_two() {
    let folder = scratch("long-function");
    let filler = "add.u32 r, r, 1;\n".repeat((1 << 20) / 16);
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 earlier[64];\n.visible .entry k() {{\n.reg .b32 r; .reg .b64 a;\n\
         mov.u64 a, earlier;\n{filler}atom.global.add.u32 r, [a], 1;\nbra missing;\nret;\n}}\n"
    );
    fs::write(folder.join("k.ptx"), text).expect("written");
    let lint = |jobs: &str| run_in(&folder, &["lint", "--format", "jsonl", "--jobs", jobs, "k.ptx"], b"").stdout;
    let one = lint("1");
    let codes = [r#""address-space""#, r#""unknown-name""#];
    assert!(codes.iter().all(|code| one.contains(code)) && one.lines().count() == codes.len(), "{one}");
    assert_eq!(one, lint("2"));
}

#[test]
fn ten_million_instructions() {
    // A tenth of them where time counts.
    let count = if support::full() { 10_000_000 } else { 1_000_000 };
    let mut text = format!("{HEAD}.visible .entry k() {{\n.reg .b64 a; .reg .b32 r;\n");
    for _ in 0..count / 10 {
        text += "mov.b32 r,r;\nmov.b32 r,r;\nmov.b32 r,r;\nmov.b32 r,r;\nmov.b32 r,r;\nmov.b32 r,r;\nmov.b32 r,r;\nmov.b32 r,r;\nmov.b32 r,r;\n";
        text += "red.add.u32 [a],r;\n";
    }
    text += "red.global.or.u32 [a], r;\nret; }\n";
    let folder = scratch("millions");
    let run = run_in_default(&folder, &text);
    fs::remove_dir_all(folder).unwrap();
    assert_eq!(run.stdout.lines().count(), 1, "{}", &run.stdout[..run.stdout.len().min(2000)]);
    assert!(run.stdout.contains(&format!("\"line\":{}", count + 6)), "{}", run.stdout);
}

/// Lints a text with the rules that everybody has.
fn run_in_default(folder: &Path, text: &str) -> Run {
    fs::write(folder.join("a.ptx"), text).unwrap();
    let run = run_in(folder, &["lint", "--format", "jsonl", "a.ptx"], b"");
    calm(&run);
    assert_eq!(run.code, 1, "{}", run.stderr);
    run
}

#[test]
fn all_of_many_errors_are_printed() {
    // All of them with --full: a fifth has more than any buffer holds.
    let errors = if support::full() { 100_000 } else { 20_000 };
    let folder = scratch("errors");
    let wrong = [
        (" red.global.or.u32 [a], r;\n", "illegal-type"),
        (" add.s32 r r, 1;\n", "syntax"),
        (" red.global.add.u32 [b], r;\n", "undeclared"),
    ];
    for (line, _) in wrong {
        let mut text = format!("{HEAD}.visible .entry k() {{\n .reg .b64 a; .reg .b32 r;\n");
        for _ in 0..errors {
            let _ = text.write_str(line);
        }
        let run = run_in_default(&folder, &(text + " ret; }\n"));
        assert_eq!(run.stdout.lines().count(), errors, "{line}");
    }
    let statement = "asm volatile(\"red.global.or.u32 [%0], 1;\" :: \"l\"(p));\n";
    let found = lint(&folder, "a.cu", format!("void f(int *p) {{\n{}}}\n", statement.repeat(errors / 10)));
    assert!(found.stdout.matches("\"illegal-type\"").count() >= errors / 10);
    let found = lint(&folder, "a.sass", "RED.E.ADD.F128 [R0], R1;\n".repeat(errors));
    assert!(found.stdout.lines().count() >= errors, "{}", found.stdout.lines().count());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn links_in_circles_are_not_followed_and_named_ones_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = scratch("circles");
    fs::create_dir(folder.join("inner")).unwrap();
    symlink("..", folder.join("inner/up")).unwrap();
    symlink("second.ptx", folder.join("first.ptx")).unwrap();
    symlink("first.ptx", folder.join("second.ptx")).unwrap();
    symlink("nowhere", folder.join("dangling.ptx")).unwrap();
    fs::write(folder.join("inner/a.ptx"), format!("{HEAD}.entry k() {{ .reg .b64 a; red.global.or.u32 [a], 1; }}"))
        .unwrap();
    let run = run_in(&folder, &["lint", "--format", "jsonl", "."], b"");
    calm(&run);
    assert_eq!((run.code, run.stdout.lines().count()), (1, 1), "{} {}", run.stdout, run.stderr);
    // Asked for by name, through as many links as there are.
    let run = run_in(&folder, &["lint", "--format", "jsonl", "inner/up/inner/up/inner"], b"");
    assert_eq!((run.code, run.stdout.lines().count()), (1, 1), "{} {}", run.stdout, run.stderr);
    for name in ["first.ptx", "dangling.ptx"] {
        let run = run_in(&folder, &["lint", name], b"");
        calm(&run);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(&format!("cannot read {name}")), "{}", run.stderr);
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn pipes_and_devices_in_folders_are_not_read() {
    let folder = scratch("pipes");
    let pipe = |name: &str| {
        let made = std::process::Command::new("mkfifo").arg(folder.join(name)).status().unwrap();
        assert!(made.success());
    };
    pipe("found.ptx");
    fs::write(folder.join("a.ptx"), format!("{HEAD}.entry k() {{ ret; }}\n")).unwrap();
    let run = run_in(&folder, &["lint", "."], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    for name in ["compile_commands.json", "ptx-atomics.toml"] {
        pipe(name);
        let run = run_in(&folder, &["lint", "a.ptx"], b"");
        calm(&run);
        let expected = if name.ends_with("toml") { 2 } else { 0 };
        assert_eq!(run.code, expected, "{}", run.stderr);
        fs::remove_file(folder.join(name)).unwrap();
    }
    // A build that names a device as a source: a header is looked for in it.
    let build = r#"[{"directory": "/", "file": "/dev/zero", "command": "nvcc -arch=sm_90 /dev/zero"}]"#;
    fs::write(folder.join("compile_commands.json"), build).unwrap();
    fs::write(folder.join("a.cuh"), "").unwrap();
    let run = run_in(&folder, &["lint", "a.cuh"], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = run_in(&folder, &["lint", "/dev/zero"], b"");
    assert!(run.code == 2 && run.stderr.contains("256 MiB"), "{}", run.stderr);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn files_that_change_during_a_run_are_never_partly_fixed() {
    let folder = scratch("changing");
    let path = folder.join("a.ptx");
    let body = " red.global.or.u32 [a], r;\n".repeat(400);
    let texts = [
        format!("{HEAD}.entry k() {{\n .reg .b64 a; .reg .b32 r;\n{body} ret; }}\n"),
        String::new(),
        format!("{HEAD}.entry k() {{ ret; }}\n"),
    ];
    fs::write(&path, &texts[0]).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for text in &texts {
                    fs::write(&path, text).unwrap();
                    std::thread::yield_now();
                }
                fs::remove_file(&path).unwrap();
            }
        });
        for round in 0..60 {
            let arguments: &[&str] = if round % 2 == 0 { &["lint", "a.ptx"] } else { &["lint", "--fix", "a.ptx"] };
            let run = run_in(&folder, arguments, b"");
            calm(&run);
            assert!(run.code <= 1 || run.stderr.contains("a.ptx"), "{} {}", run.code, run.stderr);
        }
        done.store(true, Ordering::Relaxed);
    });
    let left: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).filter(|name| name != "a.ptx").collect();
    assert!(left.is_empty(), "nothing is left behind: {left:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn unknown_names_are_compared_with_so_many_declared_ones_at_most() {
    let folder = scratch("names");
    let lint = |declared: usize| {
        let declarations: String = (0..declared).map(|number| format!(".reg .b32 far{number}from;\n")).collect();
        let code = ".reg .b64 a;\n.reg .b32 counter;\nred.global.or.b32 [a], countr;\nret;\n";
        lint(&folder, "a.ptx", format!("{HEAD}.visible .entry k() {{\n{declarations}{code}}}\n")).stdout
    };
    let (few, many) = (lint(900), lint(1100));
    assert!(few.contains("did you mean `counter`?"), "{few}");
    assert!(many.contains("unknown-name") && !many.contains("did you mean"), "{many}");
}

/// Loops that wait for flags, thousands of instructions of them in one function: rules that compare each with each other one would not end.
#[test]
fn a_function_with_a_thousand_polling_loops() {
    let folder = scratch("polls");
    let head = format!(
        "{HEAD}.entry k(.param .u64 p) {{\n.reg .b64 %d<3>;\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\nld.param.u64 %d1, [p];\n"
    );
    let poll = |number: usize| {
        let at = 16 * number;
        format!(
            "L{number}: ld.relaxed.gpu.global.u32 %r3, [%d1+{at}];\nsetp.ne.u32 %p1, %r3, 1;\n@%p1 bra L{number};\n\
             ld.global.u32 %r4, [%d1+{}];\nst.global.u32 [%d1+{}], %r4;\nst.relaxed.gpu.global.u32 [%d1+{at}], 0;\n",
            at + 4,
            at + 8
        )
    };
    let ticket = |number: usize| {
        let at = 8 * number;
        format!(
            "atom.global.add.u32 %r2, [%d1+{at}], 1;\nT{number}: ld.relaxed.gpu.global.u32 %r3, [%d1+{next}];\n\
             setp.ne.u32 %p1, %r2, %r3;\n@%p1 bra T{number};\nst.release.gpu.global.u32 [%d1+{next}], %r2;\n",
            next = at + 4
        )
    };
    let polls: String = (0..1_000).map(poll).collect();
    let tickets: String = (0..1_000).map(ticket).collect();
    for text in [polls, tickets] {
        lint(&folder, "polls.ptx", format!("{head}{text}ret;\n}}\n"));
    }
    fs::remove_dir_all(folder).unwrap();
}
