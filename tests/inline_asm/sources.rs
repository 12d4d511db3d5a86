//! Real sources: the headers of the CUDA packages of `tests/install`, or the folders in `PTX_ATOMICS_SOURCES`, separated by `:`.
//!
//! A plain text search finds no statement that the scanner misses, and the only errors are those listed here or those that the
//! assembler reports too.

use diagnostics::{Cause, ModuleSources, TargetSource};
use diagnostics::{Diagnostic, Settings, Severity};
use hosts::Language;
use hosts::inline_asm::{AsmStatement, HostLanguage};
use ide::Text;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use syntax::SourceFile;

/// What a plain search takes for a statement, by a part of its file's path, and what it is.
const NO_STATEMENTS: &[(&str, &str)] = &[
    ("libcudacxx/codegen/generators/", "text of a generator, in raw literals"),
    ("cudnn_frontend/generated/", "kernels in raw literals, compiled when the program runs"),
    ("/src/target/", "text of tilescale's generator"),
    ("/src/backend/cuda/", "text of TVM's generator"),
    ("codegen_fp16fp32.cc", "text of FBGEMM's generator, for x86"),
];

/// Errors that the assembler alone does not confirm, by code, a part of the file's name and a part of the statement, and what there is to say of them.
const NAMED: &[(&str, &str, &str, &str)] = &[
    (
        "requires-target",
        "cuda_awbarrier_helpers.h",
        "mbarrier.",
        "CUDA 12: the guard lets sm_70 pass, and a macro keeps it from calling the function",
    ),
    (
        "requires-target",
        "marlin_cuda_kernel_zero.cu",
        "createpolicy.",
        "its \"n\" operand is a register in the module, which `cp.async` refuses; with a number ptxas says the same",
    ),
    (
        "operand-count",
        "common/cudaUtils.h",
        "mbarrier.arrive",
        "the guard lets sm_80 pass, which refuses a count without `.noComplete`; later targets take it",
    ),
    (
        "asm-constraint",
        "blackwell_helpers.py",
        "tcgen05.mma",
        "LLVM counts values and constraints, the assembler does not",
    ),
    ("syntax-error", "tma_language.py", ".extern", "the declaration and the instruction after it are both refused"),
    ("unknown-modifier", "tma_language.py", "cvta.shared.to", "the declaration before it is refused too"),
];

/// The targets that sources are linted for, `None` for none in particular.
const TARGETS: [Option<&str>; 5] = [None, Some("sm_75"), Some("sm_80"), Some("sm_90a"), Some("sm_100a")];

/// The folders, and whether they are the ones that every machine with the tests' tools has.
fn folders() -> (Vec<PathBuf>, bool) {
    if let Some(given) = std::env::var_os("PTX_ATOMICS_SOURCES") {
        return (std::env::split_paths(&given).collect(), false);
    }
    let environments = support::root().join("tests/.tools/venv/lib");
    let packages = entries(&environments).into_iter().flat_map(|python| entries(&python.join("site-packages/nvidia")));
    (packages.map(|package| package.join("include")).filter(|folder| folder.is_dir()).collect(), true)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = found.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The language of a file with inline assembly.
fn host_of(path: &Path) -> Option<HostLanguage> {
    match Language::of_path(&path.to_string_lossy())? {
        Language::CUDA => Some(HostLanguage::Cpp),
        Language::PYTHON => Some(HostLanguage::Python),
        _ => None,
    }
}

/// Every text below a folder, in a language with inline assembly, that holds the word.
fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for path in entries(folder) {
        if path.is_dir() && !path.is_symlink() {
            sources(&path, found);
        } else if host_of(&path).is_some()
            && let Ok(bytes) = fs::read(&path)
        {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if ["asm", "Asm", "inline_ptx"].iter().any(|word| text.contains(word)) {
                found.push((path, text));
            }
        }
    }
}

/// Where a plain search sees a call in Python: the name of a function, not after `def`, and a parenthesis.
fn searched_calls(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for name in ["inline_asm_elementwise(", "llvm.inline_asm(", "cute.arch.inline_ptx(", "ir.InlineAsm("] {
        let places = text.match_indices(name).map(|(at, _)| at);
        found.extend(
            places.filter(|at| !text[..*at].ends_with("def ")).map(|at| at + name.rfind('.').map_or(0, |dot| dot + 1)),
        );
    }
    found
}

/// Where a plain search sees a statement: the word, what may follow it, and a parenthesis.
fn searched(text: &str) -> Vec<usize> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for (at, _) in text.match_indices("asm") {
        let start = if text[..at].ends_with("__") { at - 2 } else { at };
        let end = if text[at + 3..].starts_with("__") { at + 5 } else { at + 3 };
        let alone = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_none_or(|byte| !is_word(*byte));
        if !alone(start.checked_sub(1)) || !alone(Some(end)) {
            continue;
        }
        if text[..start].trim_end().ends_with("#define") {
            continue;
        }
        let mut rest = text[end..].trim_start();
        while let Some(behind) = ["__volatile__", "__volatile", "volatile", "goto", "inline", "\\"]
            .iter()
            .find_map(|word| rest.strip_prefix(word))
        {
            rest = behind.trim_start();
        }
        if rest.starts_with('(') {
            found.push(start);
        }
    }
    found
}

/// Whether an offset is inside a comment.
fn in_comment(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |line| line + 1);
    let open = text[..at].rfind("/*");
    text[line..at].contains("//") || open.is_some_and(|open| !text[open..at].contains("*/"))
}

fn line_of(text: &str, at: usize) -> (usize, &str) {
    let start = text[..at].rfind('\n').map_or(0, |line| line + 1);
    (text[..start].matches('\n').count() + 1, text[start..].lines().next().unwrap_or_default().trim())
}

#[test]
fn every_statement_of_real_sources_is_found_and_no_error_is_a_false_alarm() {
    let (folders, usual) = folders();
    // What is named is asked for targets too: that takes long.
    let targets = if usual { &TARGETS[..1] } else { &TARGETS[..] };
    let mut all = Vec::new();
    folders.iter().for_each(|folder| sources(folder, &mut all));
    let (mut statements, mut errors, mut wrong) = (0, 0, String::new());
    for (path, text) in &all {
        let host = host_of(path).expect("a host");
        let found = host.scan(text).statements;
        statements += found.len();
        let starts: HashSet<usize> = found.iter().map(|statement| statement.keyword.start).collect();
        let name = path.to_string_lossy();
        let searched = if host == HostLanguage::Cpp { searched(text) } else { searched_calls(text) };
        for at in searched {
            let known = starts.contains(&at);
            let (line, code) = line_of(text, at);
            if !known
                && (host == HostLanguage::Cpp && !in_comment(text, at)
                    || host == HostLanguage::Python && host.is_code(text, at))
                && !NO_STATEMENTS.iter().any(|(part, _)| name.contains(part))
            {
                wrong += &format!("\n{}:{line}: not recognized: {code}", path.display());
            }
        }
        let every = errors_of(host, text, targets);
        let mut known = HashSet::new();
        for (target, finding) in every.iter().filter(|(_, f)| known.insert((f.range.clone(), f.code()))) {
            errors += 1;
            let here = &finding.range;
            let within =
                |statement: &&AsmStatement| statement.range.contains(&here.start) || statement.is_written_at(here);
            let statement = found.iter().find(within);
            let whole = statement.map_or("", |statement| &text[statement.range.clone()]);
            let named = |(code, file, part, _): &(&str, &str, &str, &str)| {
                *code == finding.code() && name.ends_with(file) && whole.contains(part)
            };
            if !NAMED.iter().any(named)
                && let Err(reason) = confirmed(text, statement, *target, &every, finding)
            {
                let (line, code) = line_of(text, finding.range.start);
                let target = target.unwrap_or("any target");
                let what = format!("{target}: {} [{}]: {reason}: {code}", finding.message(), finding.code());
                wrong += &format!("\n{}:{line}: {what}", path.display());
            }
        }
    }
    println!("{} files, {statements} statements, {errors} errors", all.len());
    assert!(wrong.is_empty(), "{wrong}");
    assert!(!usual || statements > 4000, "{statements} statements in {folders:?}");
}

/// The errors of a text, for each target.
fn errors_of(
    host: HostLanguage,
    text: &str,
    targets: &[Option<&'static str>],
) -> Vec<(Option<&'static str>, Diagnostic)> {
    let language = if host == HostLanguage::Cpp { Language::CUDA } else { Language::PYTHON };
    let parsed = Text::parse(language, text);
    let under = |target: Option<&'static str>| {
        let settings = Settings::new(target, None).expect("a target");
        let findings = parsed.clone().under(settings).diagnostics();
        findings.into_iter().filter(|finding| finding.severity == Severity::Error).map(move |finding| (target, finding))
    };
    targets.iter().copied().flat_map(under).collect()
}

/// Whether the assembler refuses the statement, and accepts it without the instructions at fault.
fn confirmed(
    text: &str,
    statement: Option<&AsmStatement>,
    target: Option<&str>,
    errors: &[(Option<&str>, Diagnostic)],
    finding: &Diagnostic,
) -> Result<(), String> {
    let (Some(statement), Some(ptxas)) = (statement, support::ptxas()) else { return Err("no assembler".to_owned()) };
    let guarded = match &*finding.cause {
        Cause::Requires {
            requires,
            sources: ModuleSources { target: TargetSource::AtLeast | TargetSource::AtMost, .. },
            ..
        } => requires.have.target,
        _ => None,
    };
    let every = ["sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_107a", "sm_120a"].map(str::to_owned).to_vec();
    let targets = match guarded.map(|target| target.name()).or(target) {
        Some(target) => vec![target.to_owned()],
        None => every.clone(),
    };
    for choice in statement.choices() {
        let template = statement.template(text, &choice);
        let Some(inner) = template.region.to_inner(finding.range.start) else { continue };
        let same = errors.iter().filter(|(under, _)| *under == target).filter_map(|(_, other)| {
            let place = template.region.to_inner(other.range.start)?;
            Some(instruction(&template.text, place, template.body.start))
        });
        let at_fault: BTreeSet<_> = same.chain([instruction(&template.text, inner, template.body.start)]).collect();
        let mut without = template.text.clone();
        at_fault.iter().rev().for_each(|&(start, end)| without.replace_range(start..end.min(without.len()), ""));
        let accepts = |module: &str, target: &str| accepted(&ptxas, module, target);
        if targets.iter().any(|target| accepts(&template.text, target)) {
            return Err(format!("ptxas accepts it on one of {targets:?}"));
        }
        // A statement for another target may contain unchecked instructions, too; all must be legal on such a target.
        let later = finding.code() == "requires-target" && every.iter().any(|target| accepts(&template.text, target));
        return if later || targets.iter().any(|target| accepts(&without, target)) {
            Ok(())
        } else {
            Err("ptxas refuses what is around it too".to_owned())
        };
    }
    Err("it has no place in the text".to_owned())
}

/// The instruction around an offset.
fn instruction(text: &str, at: usize, body: usize) -> (usize, usize) {
    let mut found = (body.max(text[..at].rfind(';').map_or(body, |end| end + 1)), text.len());
    syntax::instructions(&SourceFile::parse(text), 0..text.len(), |instruction| {
        let start = instruction.opcode_token().range.start;
        if start <= at {
            found.0 = start;
        }
    });
    // Its guard goes with it.
    let before = text[..found.0].trim_end();
    let guard = before.rfind(|c: char| c.is_whitespace() || c == ';').map_or(0, |blank| blank + 1);
    if before[guard..].starts_with('@') {
        found.0 = guard;
    }
    found.1 = text[at..].find(';').map_or(text.len(), |end| at + end + 1).max(found.0);
    found
}

fn accepted(ptxas: &Path, module: &str, target: &str) -> bool {
    let file = std::env::temp_dir().join(format!("ptx-atomics-sources-{}.ptx", std::process::id()));
    let is_whole = module.contains(".version");
    let module = if is_whole { module.to_owned() } else { format!(".version 9.5\n.target {target}\n{module}") };
    fs::write(&file, module).expect("can be written");
    let answer = Command::new(ptxas).args(["-arch", target, "-o", "/dev/null"]).arg(&file).output();
    let _ = fs::remove_file(&file);
    answer.expect("the assembler runs").status.success()
}
