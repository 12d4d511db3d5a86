//! Single instructions as public code writes them, and mutants of them, for six pairs of PTX version and target: an error to both or to none.
//!
//! `tests/evidence/public_code/record.py` says how they are recorded. `PTX_ATOMICS_LIST=1` prints each disagreement, and
//! `PTX_ATOMICS_INSTRUCTIONS` names another recording.

use diagnostics::{Settings, Severity, Snapshot};
use hosts::inline_asm::{HostLanguage, HostText};
use lints::Check;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::{evidence, gunzip};
use syntax::SourceFile;

/// The instructions of one pair of version and target, on lines of their own.
#[derive(serde::Deserialize)]
struct Recorded {
    version: String,
    target: String,
    /// Declarations and the head of the function around the lines.
    before: String,
    /// Each line, and whether the assembler accepts it.
    lines: Vec<(String, bool)>,
}

/// Lines that are checked as one module.
const LINES: usize = 500;

#[test]
fn an_instruction_of_public_code_is_an_error_to_both_or_to_none() {
    let given = std::env::var_os("PTX_ATOMICS_INSTRUCTIONS").map(PathBuf::from);
    let recorded = gunzip(&given.unwrap_or_else(|| evidence("public_code").join("recorded.jsonl.gz")));
    let (mut asked, mut rejected) = (0, 0);
    let (mut missed, mut false_errors) = (Vec::new(), Vec::new());
    for pair in recorded.lines() {
        let pair: Recorded = serde_json::from_str(pair).expect("a recorded pair");
        for lines in pair.lines.chunks(LINES) {
            // What follows a syntax error may declare any name of the broken statement.
            let (broken, whole): (Vec<&(String, bool)>, Vec<_>) = lines.iter().partition(|line| is_broken(&pair, line));
            rejected += broken.len();
            asked += broken.len();
            false_errors.extend(broken.iter().filter(|line| line.1).map(|line| format!("syntax: {}", line.0)));
            for ((line, accepted), errors) in whole.iter().zip(errors(&pair, &whole)) {
                asked += 1;
                rejected += usize::from(!accepted);
                let place = format!("{} {}: {line}", pair.version, pair.target);
                match (accepted, errors.first()) {
                    (true, Some(error)) => false_errors.push(format!("{place}  {error}")),
                    (false, None) => missed.push(place),
                    _ => {}
                }
            }
        }
    }
    println!("{asked} instructions, {rejected} rejected, {} missed, {} false errors", missed.len(), false_errors.len());
    if std::env::var_os("PTX_ATOMICS_LIST").is_some() {
        println!("missed:\n{}\nfalse errors:\n{}", missed.join("\n"), false_errors.join("\n"));
    }
    assert!(asked > 10_000 && rejected > 4_000, "too few instructions: {asked}, {rejected} of them rejected");
    assert!(false_errors.is_empty(), "{}", false_errors.join("\n"));
    assert!(missed.len() * 4_000 <= asked, "{}", missed.join("\n"));
}

/// Whether a line has a syntax error.
fn is_broken(pair: &Recorded, line: &(String, bool)) -> bool {
    SourceFile::parse(&format!("{}{}\nret;\n}}\n", pair.before, line.0)).has_syntax_error()
}

/// The messages of the errors on each line.
fn errors(pair: &Recorded, lines: &[&(String, bool)]) -> Vec<Vec<String>> {
    let head = format!(".version {}\n.target {}\n.address_size 64\n{}", pair.version, pair.target, pair.before);
    let body: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    let file = SourceFile::parse(&format!("{head}{body}ret;\n}}\n"));
    let snapshot = Snapshot::new(file, Settings::default());
    let mut errors = vec![Vec::new(); lines.len()];
    for diagnostic in snapshot.diagnostics().iter().filter(|diagnostic| diagnostic.severity == Severity::Error) {
        let line = snapshot.file.position(diagnostic.range.start).line.checked_sub(head.lines().count());
        if let Some(errors) = line.and_then(|line| errors.get_mut(line)) {
            errors.push(diagnostic.message().to_string());
        }
    }
    errors
}

/// Writes the PTX of each `asm` statement below `PTX_ATOMICS_REPOSITORIES` as a JSON string on a line of `PTX_ATOMICS_OUTPUT`.
#[test]
#[ignore = "part of tests/evidence/public_code/record.py"]
fn list_statements() {
    let folder = std::env::var("PTX_ATOMICS_REPOSITORIES").expect("PTX_ATOMICS_REPOSITORIES, a folder of clones");
    let output = std::env::var("PTX_ATOMICS_OUTPUT").expect("PTX_ATOMICS_OUTPUT, a file to write");
    let (mut files, mut statements) = (Vec::new(), BTreeSet::new());
    collect(Path::new(&folder), &mut files);
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        if text.contains("asm") {
            let host = HostText::new(HostLanguage::Cpp, &text);
            let complete = host.within(0..text.len()).filter(|fragment| fragment.template.incomplete.is_empty());
            statements.extend(complete.map(|fragment| fragment.template.text));
        }
    }
    let lines: String = statements.iter().map(|text| format!("{}\n", serde_json::Value::from(text.as_str()))).collect();
    fs::write(output, lines).expect("the output can be written");
}

/// The files of C++ in a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    const EXTENSIONS: [&str; 10] = ["c", "cc", "cpp", "cu", "cuh", "h", "hpp", "impl", "inc", "inl"];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known)) {
            files.push(path);
        }
    }
}
