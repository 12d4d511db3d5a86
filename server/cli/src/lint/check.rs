//! Reads, fixes and checks one file.

use super::cache::ResultCache;
use super::changed_lines::ChangedLines;
use super::fix;
use crate::baseline::Baseline;
use crate::fingerprint::{FingerprintedDiagnostic, fingerprinted};
use crate::write;
use diagnostics::{Applicability, Diagnostic, Settings};
use hosts::Language;
use hosts::cpp::MacroSet;
use ide::LintText;
use lints::{Check, Checker, Coverage};
use project::ConfigCache;
use project::read;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syntax::Rope;

/// Options for checking a file.
pub struct LintJob {
    /// Settings of the command line, which override settings files.
    pub overrides: Settings,
    pub projects: ConfigCache,
    pub baseline: Option<Baseline>,
    /// The lines that are reported, if not all are.
    pub changes: Option<ChangedLines>,
    /// Results of earlier runs; not with fixes.
    pub cache: Option<ResultCache>,
    pub fix: Option<FixMode>,
    /// The files that inputs are treated as, for their language, settings and diagnostics: standard input, and what was extracted from
    /// binary files.
    pub names: HashMap<PathBuf, PathBuf>,
    pub memory: MemoryUse,
}

/// What happens to the memory of a file after its check.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum MemoryUse {
    /// It is freed for the next file.
    #[default]
    Freed,
    /// The system frees it: the process ends after this file, and freeing a tree node by node takes a twentieth of a check.
    LeftToSystem,
}

impl LintJob {
    /// The path that an input is treated as.
    pub fn named<'a>(&'a self, path: &'a Path) -> &'a Path {
        self.names.get(path).map_or(path, PathBuf::as_path)
    }
}

/// Options of `--fix`.
pub struct FixMode {
    /// Only show a diff.
    pub dry_run: bool,
    /// The applicability up to which fixes are applied.
    pub wanted: Applicability,
    /// Symbolic links found in folders. They may lead anywhere, so their targets are not written.
    pub links: BTreeSet<PathBuf>,
}

/// A checked file.
pub struct CheckedFile {
    pub name: String,
    /// The text; empty if there are no diagnostics.
    pub text: Rope,
    pub diagnostics: Vec<FingerprintedDiagnostic>,
    pub coverage: Coverage,
    /// Number of fixed diagnostics.
    pub fixed: usize,
    /// A diff, in a dry run.
    pub diff: String,
    /// The fixed text of standard input.
    pub output: Option<Vec<u8>>,
}

/// The result for a file, and errors about it or its settings.
pub struct FileOutcome {
    pub checked: Option<CheckedFile>,
    pub errors: Vec<String>,
}

/// Reads and checks a file.
pub fn check(job: &LintJob, path: &Path) -> FileOutcome {
    let (settings, mut errors) = settings(job, path);
    let checked = read::bytes(path).and_then(|bytes| check_bytes(job, path, bytes, settings, &mut errors));
    let checked = checked.map_err(|reason| errors.push(reason)).ok();
    FileOutcome { checked, errors }
}

/// The settings of a file, and the errors of its settings file, which is ignored if there are any.
pub fn settings(job: &LintJob, path: &Path) -> (Settings, Vec<String>) {
    let (settings, mut errors) = job.projects.settings(&job.overrides, job.named(path));
    errors.iter_mut().for_each(|error| error.push_str("; all settings of this file were ignored"));
    (settings, errors)
}

fn check_bytes(
    job: &LintJob,
    path: &Path,
    bytes: Vec<u8>,
    settings: Settings,
    errors: &mut Vec<String>,
) -> Result<CheckedFile, String> {
    let is_stdin = read::is_stdin(path);
    let named = job.named(path);
    let name = if read::is_stdin(named) { "<stdin>".to_owned() } else { named.display().to_string() };
    // `--fix` compares the file with what was read; otherwise the bytes are not kept.
    let original = if job.fix.is_some() { bytes.clone() } else { Vec::new() };
    let (language, mut text) = read::in_language(named, read::decode(bytes))
        .map_err(|other| format!("cannot check {name}: {other} is not supported"))?;
    let macros: Arc<[MacroSet]> = project::including_macros(named, &text).into();
    let (mut fixed, mut diff) = (0, String::new());
    if let Some(fix) = &job.fix {
        let parse = |text: &str| LintText::parse(language, text).included_with(macros.clone());
        let open = |text: &str| open(job, path, parse(text).under(settings.clone()));
        if let Some(new) = fix::fix_text(&text, open, fix.wanted) {
            if fix.dry_run {
                fixed = new.count;
                diff = fix::diff(&name, &text, &new.text);
            } else {
                match write_back(fix, path, &name, &original, &marked(&original, language, &new.text)) {
                    Ok(()) => (fixed, text) = (new.count, new.text),
                    Err(reason) => errors.push(reason),
                }
            }
        }
    }
    let output = job.fix.as_ref().filter(|fix| is_stdin && !fix.dry_run);
    let output = output.map(|_| if fixed > 0 { marked(&original, language, &text).into_bytes() } else { original });
    let cached = job.cache.as_ref().map(|cache| (cache, cache.key(language, &settings, &macros, &text)));
    if let Some(coverage) = cached.as_ref().and_then(|(cache, key)| cache.get(key)) {
        return Ok(CheckedFile { name, text: Rope::new(), diagnostics: Vec::new(), coverage, fixed, diff, output });
    }
    let source = parse(job, language, text).included_with(macros.clone()).under(settings);
    let (mut diagnostics, coverage) = found(job, path, &*source);
    match cached {
        Some((cache, key)) if diagnostics.is_empty() => cache.put(&key, coverage),
        _ => {}
    }
    if let Some(changes) = &job.changes {
        changes.accept(path, source.rope(), &mut diagnostics);
    }
    let text = if diagnostics.is_empty() { Rope::new() } else { source.rope().clone() };
    if job.memory == MemoryUse::LeftToSystem {
        std::mem::forget(source);
    }
    Ok(CheckedFile { name, text, diagnostics, coverage, fixed, diff, output })
}

/// Parses a text. Of a single file, another core frees it.
fn parse(job: &LintJob, language: Language, text: String) -> LintText {
    if rayon::current_num_threads() == 1 || job.memory == MemoryUse::Freed {
        return LintText::parse_owned(language, text);
    }
    let parsed = LintText::parse(language, &text);
    rayon::spawn(move || drop(text));
    parsed
}

/// Writes a fixed text back; the error is a message for the user. Standard input is printed later.
fn write_back(fix: &FixMode, path: &Path, name: &str, original: &[u8], new: &str) -> Result<(), String> {
    // Lossy decoding changed invalid UTF-8, and writing it back would lose data.
    if std::str::from_utf8(original).is_err() {
        return Err(format!("cannot fix {name}: invalid UTF-8"));
    }
    if fix.links.contains(path) {
        return Err(format!("cannot fix {name}: symbolic link in a searched folder; name it to write to its target"));
    }
    if read::is_stdin(path) {
        return Ok(());
    }
    if path != Path::new(name) {
        return Err(format!("cannot fix {name}: extracted from a binary file"));
    }
    let written = write::replace(path, original, new);
    written.map_err(|error| format!("cannot write {name}: {}", read::reason(&error)))
}

/// Restores the byte order mark of the original, if decoding removed it.
fn marked(original: &[u8], language: Language, text: &str) -> String {
    let passed_over = language != Language::Ptx && original.starts_with(b"\xef\xbb\xbf");
    let mark = if passed_over { "\u{feff}" } else { "" };
    format!("{mark}{text}")
}

fn found(job: &LintJob, path: &Path, source: &dyn Check) -> (Vec<FingerprintedDiagnostic>, Coverage) {
    let mut checker = Checker::once();
    let open = source.check(&mut checker, &|| false).unwrap_or_default();
    let mut diagnostics = fingerprinted(source, open, source.suppressed());
    if let Some(baseline) = &job.baseline {
        baseline.accept(job.named(path), &mut diagnostics);
    }
    let coverage = checker.coverage();
    if job.memory == MemoryUse::LeftToSystem {
        std::mem::forget(checker);
    }
    (diagnostics, coverage)
}

/// The unsuppressed diagnostics of a text: suppressed ones are not fixed.
fn open(job: &LintJob, path: &Path, source: Arc<dyn Check>) -> Vec<Diagnostic> {
    let diagnostics = found(job, path, &*source).0.into_iter();
    diagnostics.filter(|found| found.accepted.is_none()).map(|found| found.diagnostic).collect()
}
