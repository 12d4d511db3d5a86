//! Baselines: files that list known diagnostics, so that only new ones are reported.

use crate::fingerprint::{FingerprintedDiagnostic, SuppressedBy};
use crate::write::write_file;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Version of the file format.
const VERSION: u32 = 1;

/// One diagnostic. `path` and `fingerprint` identify it; `code` and `message` are for readers.
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
    /// The name in the format.
    #[serde(rename = "findings")]
    diagnostics: Vec<BaselineEntry>,
}

/// The diagnostics of a baseline, by path and fingerprint.
pub struct Baseline {
    folder: PathBuf,
    accepted: BTreeMap<String, BTreeSet<String>>,
}

impl Baseline {
    /// Reads a baseline; the error is a message for the user.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let text = project::read::text(path)?;
        let file: File = serde_json::from_str(&text).map_err(|error| format!("invalid baseline {name}: {error}"))?;
        if file.version != VERSION {
            return Err(format!(
                "unsupported version {} of baseline {name}, expected {VERSION}; write it again with --write-baseline",
                file.version
            ));
        }
        let mut accepted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in file.diagnostics {
            accepted.entry(entry.path).or_default().insert(entry.fingerprint);
        }
        Ok(Baseline { folder: folder(path), accepted })
    }

    /// Suppresses the diagnostics of a source that the baseline lists.
    pub fn accept(&self, source: &Path, diagnostics: &mut [FingerprintedDiagnostic]) {
        let Some(accepted) = self.accepted.get(&relative(&self.folder, source)) else { return };
        for found in diagnostics.iter_mut().filter(|found| found.accepted.is_none()) {
            if accepted.contains(&found.fingerprint) {
                found.accepted = Some(SuppressedBy::Baseline);
            }
        }
    }
}

/// Collects the diagnostics for a new baseline.
pub struct BaselineWriter {
    path: PathBuf,
    folder: PathBuf,
    diagnostics: Vec<BaselineEntry>,
}

impl BaselineWriter {
    /// A baseline to be written at `path`.
    pub fn new(path: &Path) -> Self {
        BaselineWriter { path: path.to_owned(), folder: folder(path), diagnostics: Vec::new() }
    }

    /// Adds the diagnostics of a source that no comment suppresses.
    pub fn add(&mut self, source: &Path, diagnostics: &[FingerprintedDiagnostic]) {
        let path = relative(&self.folder, source);
        let open = diagnostics.iter().filter(|found| !matches!(found.accepted, Some(SuppressedBy::Comment(_))));
        self.diagnostics.extend(open.map(|found| BaselineEntry {
            path: path.clone(),
            code: found.diagnostic.code().to_owned(),
            message: found.diagnostic.message().into_owned(),
            fingerprint: found.fingerprint.clone(),
        }));
    }

    /// Writes the file, sorted so that its diffs are small. Returns the number of diagnostics; the error is a message for the user.
    pub fn write(mut self) -> Result<usize, String> {
        self.diagnostics.sort();
        let count = self.diagnostics.len();
        let file = File { version: VERSION, diagnostics: self.diagnostics };
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

/// The path of a source relative to a folder, so that a baseline does not depend on the working directory.
fn relative(folder: &Path, source: &Path) -> String {
    let path = source.canonicalize().unwrap_or_else(|_| source.to_owned());
    path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/")
}
