//! One file: read, mended if that is wanted, checked.
//!
//! Must not know how anything is printed.

use super::mend::{self, Mended};
use crate::baseline::Baseline;
use crate::fingerprint::{Found, fingerprinted};
use crate::write;
use analysis::{Checker, Coverage, Finding, Language, Rope, Settings, Source, Text};
use project::Projects;
use project::read::{self, STDIN};
use std::path::Path;

/// What is wanted of every file.
pub struct Job {
    /// What the command line says; the files beside the sources say the rest.
    pub overrides: Settings,
    pub projects: Projects,
    pub baseline: Option<Baseline>,
    pub fix: Option<Fix>,
}

/// How files are mended.
#[derive(Clone, Copy)]
pub struct Fix {
    /// Only say how they would be.
    pub dry_run: bool,
    /// Also what may change the meaning.
    pub unsafe_too: bool,
}

/// A checked file.
pub struct Checked {
    pub name: String,
    /// The text, as far as anything was found in it.
    pub text: Rope,
    pub findings: Vec<Found>,
    pub coverage: Coverage,
    /// How many findings were mended, or would be.
    pub mended: usize,
    /// How the text would change.
    pub diff: String,
}

/// How it went: a file that cannot be read, or whose settings cannot, is complained about.
pub struct Outcome {
    pub checked: Option<Checked>,
    pub complaints: Vec<String>,
}

/// Reads and checks a file.
pub fn check(job: &Job, path: &Path) -> Outcome {
    let (settings, complaint) = job.projects.settings(&job.overrides, path);
    let mut complaints = Vec::from_iter(complaint);
    let checked = read::bytes(path).and_then(|bytes| check_bytes(job, path, bytes, settings));
    let checked = checked.map_err(|reason| complaints.push(reason)).ok();
    Outcome { checked, complaints }
}

fn check_bytes(job: &Job, path: &Path, bytes: Vec<u8>, settings: Settings) -> Result<Checked, String> {
    let is_stdin = path.as_os_str() == STDIN;
    let name = if is_stdin { "<stdin>".to_owned() } else { path.display().to_string() };
    // What is written back is compared with what was read; else the bytes become the text, and are not kept beside it.
    let original = if job.fix.is_some() { bytes.clone() } else { Vec::new() };
    let mut text = read::decode(bytes);
    let language = Language::detect(&path.to_string_lossy(), &text)
        .map_err(|other| format!("{name} is not checked: {other} is not supported"))?;
    let (mut mended, mut diff) = (0, String::new());
    if let Some(fix) = job.fix {
        if is_stdin && !fix.dry_run {
            return Err("--fix cannot write standard input back: name a file, or add --dry-run".to_owned());
        }
        let open = |text: &str| open(job, path, language, &settings, text);
        if let Some(new) = mend::mend(&text, open, fix.unsafe_too) {
            // Decoding turned what is no UTF-8 into something else, and writing it back would lose it.
            if std::str::from_utf8(&original).is_err() {
                return Err(format!("{name} is not UTF-8 throughout, so it is not mended"));
            }
            let Mended { text: new, count } = new;
            mended = count;
            if fix.dry_run {
                diff = mend::diff(&name, &text, &new);
            } else {
                let mark = if original.starts_with(b"\xef\xbb\xbf") { "\u{feff}" } else { "" };
                write::replace(path, &original, &format!("{mark}{new}"))
                    .map_err(|error| format!("cannot write {name}: {}", read::reason(&error)))?;
                text = new;
            }
        }
    }
    let kept = Text::skim(language, &text);
    drop(text);
    let source = kept.under(settings);
    let (findings, coverage) = found(job, path, &*source);
    let text = if findings.is_empty() { Rope::new() } else { source.rope().clone() };
    Ok(Checked { name, text, findings, coverage, mended, diff })
}

fn found(job: &Job, path: &Path, source: &dyn Source) -> (Vec<Found>, Coverage) {
    let mut checker = Checker::default();
    let open = source.check(&mut checker, &|| false).unwrap_or_default();
    let mut findings = fingerprinted(source, open, source.suppressed());
    if let Some(baseline) = &job.baseline {
        baseline.accept(path, &mut findings);
    }
    (findings, checker.coverage())
}

/// The findings that nobody accepts: what a baseline accepts is not mended either.
fn open(job: &Job, path: &Path, language: Language, settings: &Settings, text: &str) -> Vec<Finding> {
    let source = Text::skim(language, text).under(settings.clone());
    let findings = found(job, path, &*source).0.into_iter();
    findings.filter(|found| found.accepted.is_none()).map(|found| found.finding).collect()
}
