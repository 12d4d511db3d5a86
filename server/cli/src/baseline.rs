//! A baseline: today's findings, accepted, so that only new ones count.

use crate::fingerprint::{FingerprintedDiagnostic, SuppressedBy};
use crate::write::write_file;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The version of the file's form.
const VERSION: u32 = 1;

/// One accepted finding. Code and message are for those who read the file; path and fingerprint count.
#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct BaselineEntry {
    path: String,
    code: String,
    message: String,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    findings: Vec<BaselineEntry>,
}

/// What is accepted, by path and fingerprint.
pub struct Baseline {
    folder: PathBuf,
    accepted: BTreeMap<String, BTreeSet<String>>,
}

impl Baseline {
    /// Reads a baseline; the error is a sentence for people.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let text = project::read::text(path)?;
        let file: File = serde_json::from_str(&text).map_err(|error| format!("{name} is no baseline: {error}"))?;
        if file.version != VERSION {
            return Err(format!("{name} is a baseline of version {}, not {VERSION}: write it anew", file.version));
        }
        let mut accepted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in file.findings {
            accepted.entry(entry.path).or_default().insert(entry.fingerprint);
        }
        Ok(Baseline { folder: folder(path), accepted })
    }

    /// Accepts what it knows among the findings of a source.
    pub fn accept(&self, source: &Path, findings: &mut [FingerprintedDiagnostic]) {
        let Some(accepted) = self.accepted.get(&relative(&self.folder, source)) else { return };
        for found in findings.iter_mut().filter(|found| found.accepted.is_none()) {
            if accepted.contains(&found.fingerprint) {
                found.accepted = Some(SuppressedBy::Baseline);
            }
        }
    }
}

/// Collects what a new baseline accepts.
pub struct BaselineWriter {
    path: PathBuf,
    folder: PathBuf,
    findings: Vec<BaselineEntry>,
}

impl BaselineWriter {
    /// A baseline that will lie there.
    pub fn new(path: &Path) -> Self {
        BaselineWriter { path: path.to_owned(), folder: folder(path), findings: Vec::new() }
    }

    /// Takes up what is found in a source and not accepted by its comments.
    pub fn add(&mut self, source: &Path, findings: &[FingerprintedDiagnostic]) {
        let path = relative(&self.folder, source);
        let open = findings.iter().filter(|found| !matches!(found.accepted, Some(SuppressedBy::Comment(_))));
        self.findings.extend(open.map(|found| BaselineEntry {
            path: path.clone(),
            code: found.finding.code().to_owned(),
            message: found.finding.message().into_owned(),
            fingerprint: found.fingerprint.clone(),
        }));
    }

    /// Writes it, ordered so that its changes read well; says how many findings it accepts. The error is a sentence for people.
    pub fn write(mut self) -> Result<usize, String> {
        self.findings.sort();
        let count = self.findings.len();
        let file = File { version: VERSION, findings: self.findings };
        let text = serde_json::to_string_pretty(&file).map_err(|error| error.to_string())? + "\n";
        let name = self.path.display();
        write_file(&self.path, text.as_bytes())
            .map_err(|e| format!("cannot write {name}: {}", project::read::reason(&e)))?;
        Ok(count)
    }
}

fn folder(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(&path);
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The path of a source from a folder, so that a baseline is the same wherever the linter runs.
fn relative(folder: &Path, source: &Path) -> String {
    let path = source.canonicalize().unwrap_or_else(|_| source.to_owned());
    path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/")
}
