//! One file: read, mended if that is wanted, checked.
//!
//! Must not know how anything is printed.

use super::fix;
use crate::baseline::Baseline;
use crate::fingerprint::{FingerprintedDiagnostic, fingerprinted};
use crate::write;
use diagnostics::{Applicability, Diagnostic, Settings};
use hosts::Language;
use ide::LintText;
use lints::{Check, Checker, Coverage};
use project::ConfigCache;
use project::read;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syntax::Rope;

/// What is wanted of every file.
pub struct LintJob {
    /// What the command line says; the files beside the sources say the rest.
    pub overrides: Settings,
    pub projects: ConfigCache,
    pub baseline: Option<Baseline>,
    pub fix: Option<FixMode>,
}

/// How files are mended.
pub struct FixMode {
    /// Only say how they would be.
    pub dry_run: bool,
    /// What may be applied: also what may change the meaning, or not.
    pub wanted: Applicability,
    /// Links that nobody named: what they lead to may lie anywhere, and is not written.
    pub links: BTreeSet<PathBuf>,
}

/// A checked file.
pub struct CheckedFile {
    pub name: String,
    /// The text, as far as anything was found in it.
    pub text: Rope,
    pub findings: Vec<FingerprintedDiagnostic>,
    pub coverage: Coverage,
    /// How many findings were mended, or would be.
    pub mended: usize,
    /// How the text would change.
    pub diff: String,
    /// What was read from standard input, mended.
    pub output: Option<Vec<u8>>,
}

/// How it went: a file that cannot be read, or whose settings cannot, is reported about.
pub struct FileOutcome {
    pub checked: Option<CheckedFile>,
    pub errors: Vec<String>,
}

/// Reads and checks a file.
pub fn check(job: &LintJob, path: &Path) -> FileOutcome {
    let (settings, error) = job.projects.settings(&job.overrides, path);
    let mut errors = Vec::from_iter(error);
    let checked = read::bytes(path).and_then(|bytes| check_bytes(job, path, bytes, settings, &mut errors));
    let checked = checked.map_err(|reason| errors.push(reason)).ok();
    FileOutcome { checked, errors }
}

fn check_bytes(
    job: &LintJob,
    path: &Path,
    bytes: Vec<u8>,
    settings: Settings,
    errors: &mut Vec<String>,
) -> Result<CheckedFile, String> {
    let is_stdin = read::is_stdin(path);
    let name = if is_stdin { "<stdin>".to_owned() } else { path.display().to_string() };
    // What is written back is compared with what was read; else the bytes become the text, and are not kept beside it.
    let original = if job.fix.is_some() { bytes.clone() } else { Vec::new() };
    let (language, mut text) = read::in_language(path, read::decode(bytes))
        .map_err(|other| format!("{name} is not checked: {other} is not supported"))?;
    let (mut mended, mut diff) = (0, String::new());
    if let Some(fix) = &job.fix {
        let open = |text: &str| open(job, path, language, &settings, text);
        if let Some(new) = fix::fix_text(&text, open, fix.wanted) {
            if fix.dry_run {
                mended = new.count;
                diff = fix::diff(&name, &text, &new.text);
            } else {
                match write_back(fix, path, &name, &original, &marked(&original, language, &new.text)) {
                    Ok(()) => (mended, text) = (new.count, new.text),
                    Err(reason) => errors.push(reason),
                }
            }
        }
    }
    let output = job.fix.as_ref().filter(|fix| is_stdin && !fix.dry_run);
    let output = output.map(|_| if mended > 0 { marked(&original, language, &text).into_bytes() } else { original });
    let kept = LintText::parse(language, &text);
    drop(text);
    let source = kept.under(settings);
    let (findings, coverage) = found(job, path, &*source);
    let text = if findings.is_empty() { Rope::new() } else { source.rope().clone() };
    Ok(CheckedFile { name, text, findings, coverage, mended, diff, output })
}

/// Puts a mended text where it came from; the error is a sentence for people. Standard input goes on as output, once it was checked.
fn write_back(fix: &FixMode, path: &Path, name: &str, original: &[u8], new: &str) -> Result<(), String> {
    // Decoding turned what is no UTF-8 into something else, and writing it back would lose it.
    if std::str::from_utf8(original).is_err() {
        return Err(format!("{name} is not UTF-8 throughout, so it is not mended"));
    }
    if fix.links.contains(path) {
        return Err(format!(
            "{name} is a link found in a folder, so it is not mended: name it to write where it leads"
        ));
    }
    if read::is_stdin(path) {
        return Ok(());
    }
    let written = write::replace(path, original, new);
    written.map_err(|error| format!("cannot write {name}: {}", read::reason(&error)))
}

/// A text with the byte order mark that the original has, where it was passed over.
fn marked(original: &[u8], language: Language, text: &str) -> String {
    let passed_over = language != Language::Ptx && original.starts_with(b"\xef\xbb\xbf");
    let mark = if passed_over { "\u{feff}" } else { "" };
    format!("{mark}{text}")
}

fn found(job: &LintJob, path: &Path, source: &dyn Check) -> (Vec<FingerprintedDiagnostic>, Coverage) {
    let mut checker = Checker::default();
    let open = source.check(&mut checker, &|| false).unwrap_or_default();
    let mut findings = fingerprinted(source, open, source.suppressed());
    if let Some(baseline) = &job.baseline {
        baseline.accept(path, &mut findings);
    }
    (findings, checker.coverage())
}

/// The findings that nobody accepts: what a baseline accepts is not mended either.
fn open(job: &LintJob, path: &Path, language: Language, settings: &Settings, text: &str) -> Vec<Diagnostic> {
    let source = LintText::parse(language, text).under(settings.clone());
    let findings = found(job, path, &*source).0.into_iter();
    findings.filter(|found| found.accepted.is_none()).map(|found| found.finding).collect()
}
