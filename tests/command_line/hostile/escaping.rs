//! Hostile names, settings, sources and arguments in every command and format: all of them are shown, none acts on a terminal or a build log.

use crate::{Run, run_in, scratch};
use std::fs;
use std::path::{Path, PathBuf};

/// A terminal's sequences in 7 and 8 bits, a line that is written over, text that runs backwards, line separators, commands of build machines.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\rOK\u{202e}\u{2066}\u{200f}\u{2028}\u{7f}##[error]x";
/// The same after the start of a line.
const LINES: &str = "\n::error::pwned\n  ::set-output name=a::b\n";

/// Whether a character acts; line feeds and tabs are text.
fn acts(c: char) -> bool {
    let direction = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'].contains(&c);
    let turned = ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c);
    c.is_control() && c != '\n' && c != '\t' || direction || turned
}

/// What a run printed, without the colours it may show.
fn check(run: &Run, arguments: &[&str]) {
    let coloured = arguments.contains(&"always");
    for (stream, text) in [("output", &run.stdout), ("error", &run.stderr)] {
        let mut text = text.replace("\r\n", "\n");
        if coloured {
            text = text.split("\u{1b}[").fold(String::new(), |all, part| match part.split_once('m') {
                Some((digits, rest)) if digits.chars().all(|c| c.is_ascii_digit() || c == ';') => all + rest,
                _ => all + part,
            });
        }
        if let Some(at) = text.find(acts) {
            panic!("{arguments:?}: standard {stream} has a control: {:?}", &text[..(at + 4).min(text.len())]);
        }
        for line in text.lines() {
            let ours =
                ["::error file=", "::warning file=", "::notice file="].iter().any(|start| line.starts_with(start));
            assert!(
                ours && arguments.contains(&"github") || !line.trim_start().starts_with("::"),
                "{arguments:?}: {line}"
            );
            assert!(!line.contains("##["), "{arguments:?}: {line}");
        }
    }
    assert!(!run.stderr.contains("panicked"), "{arguments:?}: {}", run.stderr);
}

/// Files in each language with something wrong in them, so that they are quoted. Lines that begin with `::` stand beside what `--fix` changes.
fn sources(folder: &Path) -> Vec<String> {
    let ptx = format!(
        ".version 8.0\n.target sm_90\n.visible .entry k() {{ .reg .b64 a; .reg .b32 r;\n/*{LINES}*/ red.global.or.u32 [a], r; // {HOSTILE}\n\
         /* {HOSTILE} */ red.global.or.u32 [a], \"{HOSTILE}\"; {HOSTILE}; atom.{HOSTILE}.x [b{HOSTILE}];\n\
         // ptx-atomics: allow(x{HOSTILE})\n//= [a]={HOSTILE}\n//! forbid {HOSTILE}\nret; }}\n"
    );
    let cuda = format!(
        "// {HOSTILE}\n#define A \"red{HOSTILE}\"\nvoid f(int *p) {{\n/*{LINES}*/ asm volatile(\"red.global.or.u32 [%0], 1; {HOSTILE}\" :: \"l{HOSTILE}\"(p)); asm(A \"x;\"); }}\n"
    );
    let sass = format!("/*0000*/ RED.E.OR.U32{HOSTILE} [R0], R5 ;\n/*0010*/ ATOMG.{HOSTILE} R0, [R1], {HOSTILE};\n");
    let litmus =
        format!("PTX ::error::{HOSTILE}\n{{ }}\n P0@cta 0,gpu 0 ;\n ld.weak r0, x{HOSTILE} ;\nexists (P0:r0=0)\n");
    let good = "PTX ::error::x\u{1b}[2J\n{ }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0=0)\n".to_owned();
    let name = format!("a{HOSTILE}\n::error::pwned").replace('/', "");
    let files = [("ptx", ptx), ("cu", cuda), ("sass", sass), ("litmus", litmus), ("good.litmus", good)];
    files
        .into_iter()
        .map(|(ending, text)| {
            let name = format!("{name}.{ending}");
            fs::write(folder.join(&name), text).expect("written");
            name
        })
        .collect()
}

fn hostile_folder(name: &str) -> (PathBuf, Vec<String>) {
    let folder = scratch(name);
    let files = sources(&folder);
    (folder, files)
}

#[test]
fn lint_shows_hostile_files_in_every_format_and_nothing_acts() {
    let (folder, files) = hostile_folder("inject-lint");
    for format in ["text", "jsonl", "sarif", "github", "gitlab", "junit"] {
        for more in [
            &[][..],
            &["--statistics"],
            &["--fix", "--dry-run"],
            &["--fix", "--unsafe-fixes", "--dry-run"],
            &["--show-settings"],
        ] {
            for color in if format == "text" { &["never", "always"][..] } else { &["never"] } {
                let mut arguments = vec!["lint", "--preset", "all", "--format", format, "--color", color];
                arguments.extend(more);
                arguments.extend([".", &files[3]]);
                let run = run_in(&folder, &arguments, b"");
                // A diff is payload: `git apply` reads it byte for byte.
                if !more.contains(&"--dry-run") {
                    check(&run, &arguments);
                }
                assert_ne!(run.stdout, "", "{arguments:?}");
                let report = if more.is_empty() { format } else { "" };
                match report {
                    "jsonl" => run
                        .stdout
                        .lines()
                        .for_each(|line| drop(serde_json::from_str::<serde_json::Value>(line).expect("JSON"))),
                    "sarif" | "gitlab" => drop(serde_json::from_str::<serde_json::Value>(&run.stdout).expect("JSON")),
                    "junit" => drop(roxmltree::Document::parse(&run.stdout).expect("XML")),
                    _ => {}
                }
            }
        }
        let sink = format!("{format}=report");
        run_in(&folder, &["lint", "--output", &sink, "."], b"");
        let written = fs::read_to_string(folder.join("report")).expect("written");
        check(&Run { code: 0, stdout: written, stderr: String::new() }, &["--format", format]);
    }
    let paths = run_in(&folder, &["lint", "--format", "jsonl", &files[0]], b"").stdout;
    let first: serde_json::Value = serde_json::from_str(paths.lines().next().expect("a finding")).expect("JSON");
    assert_eq!(first["path"], files[0].as_str(), "programs get the name as it is");
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn markers_are_below_their_token() {
    let folder = scratch("inject-marks");
    let text = ".version 8.0\n.target sm_90\n.visible .entry k() { .reg .b64 a; .reg .b32 r;\n/* \u{1b}\u{9b}\u{202e} */ red.global.or.u32 [a], r; ret; }\n";
    fs::write(folder.join("a.ptx"), text).expect("written");
    let shown = run_in(&folder, &["lint", "a.ptx"], b"").stdout;
    let lines: Vec<Vec<char>> = shown.lines().map(|line| line.chars().collect()).collect();
    let caret = lines.iter().position(|line| line.contains(&'^')).expect("marked");
    let at = lines[caret].iter().position(|c| *c == '^').expect("marked");
    assert_eq!(lines[caret - 1][at..at + 4].iter().collect::<String>(), ".u32", "{shown}");
}

#[test]
fn hostile_settings_are_quoted_and_nothing_acts() {
    let quoted = format!("{HOSTILE}{LINES}").chars().map(|c| format!("\\U{:08x}", u32::from(c))).collect::<String>();
    for line in [
        format!("target = \"{quoted}\""),
        format!("targets = [\"{quoted}\"]"),
        format!("ptx-version = \"{quoted}\""),
        format!("toolkit = \"{quoted}\""),
        format!("preset = \"{quoted}\""),
        format!("enable = [\"{quoted}\"]"),
        format!("exclude = [\"a{{{quoted}\"]"),
        format!("\"{quoted}\" = 1"),
        format!("[rules]\n\"{quoted}\" = \"error\""),
        format!("[rules]\nillegal-type = \"{quoted}\""),
        format!("[[overrides]]\n\"{quoted}\" = 1"),
        format!("x = {HOSTILE}"),
    ] {
        let (folder, _) = hostile_folder("inject-settings");
        fs::write(folder.join("ptx-atomics.toml"), &line).expect("written");
        for arguments in [&["lint", "."][..], &["lint", "--format", "github", "."], &["fmt", "--check", "."]] {
            let run = run_in(&folder, arguments, b"");
            check(&run, arguments);
            assert!(arguments[0] == "fmt" || run.stderr.contains("cannot use"), "{line:?}: {}", run.stderr);
        }
        fs::remove_dir_all(folder).expect("removed");
    }
}

#[test]
fn other_commands_show_hostile_arguments_and_files_and_nothing_acts() {
    let (folder, files) = hostile_folder("inject-others");
    let (inner, word) = (format!("{HOSTILE}{LINES}x"), format!("x{HOSTILE}{LINES}"));
    let [option, output] = [format!("--{word}"), format!("text={word}/{word}")];
    let rule = format!("{word}=error");
    let mut runs: Vec<Vec<&str>> = vec![
        vec!["fmt", "--check", "."],
        vec!["fmt", &word],
        vec!["fmt", &option],
        vec!["explain", &word],
        vec!["explain", &inner],
        vec!["completions", &word],
        vec!["lsp", &option],
        vec!["lsp", "--target", &word],
        vec![&word],
        vec![&option],
        vec!["eval", &word, "--mem", "1", "--b", "2"],
        vec!["eval", "atom.global.add.u32", "--mem", &word, "--b", "2"],
        vec!["eval", "atom.global.add.u32", "--mem", "1", "--b", "2", "--target", &word],
        vec!["eval", "atom.global.add.u32", "--mem", "1", "--b", &word, "--explain"],
        vec!["eval", "RED.E.MIN.U32 [R0], R5", "--reg", &word, "--mem", "1", "--window", &word],
        vec!["eval", "atom.global.add.u32", "--pixel", &word],
        vec!["eval", "--batch"],
        vec!["lint", &word],
        vec!["lint", "--target", &word, "."],
        vec!["lint", "--toolkit", &word, "."],
        vec!["lint", "--preset", &word, "."],
        vec!["lint", "--enable", &word, "."],
        vec!["lint", "--rule", &rule, "."],
        vec!["lint", "--rule", &word, "."],
        vec!["lint", "--config", &word, "."],
        vec!["lint", "--baseline", &word, "."],
        vec!["lint", "--write-baseline", &output, "."],
        vec!["lint", "--output", &output, "."],
        vec!["lint", "--output", &word, "."],
        vec!["lint", "--jobs", &word, "."],
        vec!["lint", "--format", &word, "."],
        vec!["litmus", &word],
    ];
    for file in &files {
        for format in ["text", "jsonl", "dot", "svg"] {
            runs.push(vec!["litmus", "--all", "--format", format, file]);
        }
        runs.push(vec!["fmt", "--check", file]);
        runs.push(vec!["diff", file, &files[0]]);
        runs.push(vec!["diff", "--format", "json", file, &word]);
        runs.push(vec!["lint", "--baseline", file, "."]);
        runs.push(vec!["lint", "--config", file, "."]);
    }
    let batch = format!(
        "{word}\tglobal\t1\t2\t-\natom.global.add.u32\t{HOSTILE}\t1\t2\t-\natom.global.add.u32\tglobal\t1\t2\t{HOSTILE}\n::error::x\n"
    );
    for arguments in runs {
        check(&run_in(&folder, &arguments, batch.as_bytes()), &arguments);
    }
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_text_that_is_asked_for_comes_as_it_is() {
    let text = format!(".version 8.0\n.target sm_90\n// {}\n", HOSTILE.replace('\r', ""));
    assert_eq!(run_in(&support::root(), &["fmt", "-"], text.as_bytes()).stdout, text);
}
