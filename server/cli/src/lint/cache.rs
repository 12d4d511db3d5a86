//! `--cache`: remembers the files without findings.
//!
//! A key is the digest of everything that a result depends on: the program, the language, the settings, the macros of files that include it, and the text. An entry that
//! cannot be read, or does not belong to its key, is ignored. Findings are not kept, so a file with some is checked every time.

use crate::write::write_file;
use diagnostics::Settings;
use hosts::Language;
use hosts::cpp::MacroSet;
use lints::Coverage;
use project::read;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with the results of earlier runs.
pub struct ResultCache {
    folder: PathBuf,
    /// The digest of this program: another version may report something else.
    program: String,
}

/// A file without findings.
#[derive(Serialize, Deserialize)]
struct CacheEntry {
    /// Statements, checked statements, checked and unchecked instructions.
    coverage: [usize; 4],
    /// A digest of the key and the numbers.
    digest: String,
}

/// What identifies a result.
pub struct CacheKey(String);

impl ResultCache {
    /// Opens or makes the folder; the error is a message for the user.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let failed = |error| format!("cannot use the cache {}: {}", folder.display(), read::reason(&error));
        fs::create_dir_all(folder).map_err(failed)?;
        // Git need not know of it, and backups need not have it.
        for (name, text) in [(".gitignore", "*\n"), ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")] {
            if !folder.join(name).exists() {
                write_file(&folder.join(name), text.as_bytes()).map_err(failed)?;
            }
        }
        let program = std::env::current_exe().and_then(fs::read).map_err(failed)?;
        Ok(ResultCache { folder: folder.to_owned(), program: digest(&[&program]) })
    }

    /// The key of a text.
    pub fn key(&self, language: Language, settings: &Settings, macros: &[MacroSet], text: &str) -> CacheKey {
        let language = format!("{language:?}");
        let settings = format!("{settings:?}");
        let macros = format!("{macros:?}");
        let parts = [&self.program, &language, &settings, &macros, text];
        CacheKey(digest(&parts.map(str::as_bytes)))
    }

    /// What was checked in a text, if it is known to have no findings.
    pub fn get(&self, key: &CacheKey) -> Option<Coverage> {
        let entry: CacheEntry = serde_json::from_slice(&fs::read(self.path(key)).ok()?).ok()?;
        let [statements, checked_statements, checked, unchecked] = entry.coverage;
        let is_whole = entry.digest == entry_digest(key, entry.coverage);
        is_whole.then_some(Coverage { statements, checked_statements, checked, unchecked })
    }

    /// Remembers a text without findings. A cache that cannot be written only makes the next run slower.
    pub fn put(&self, key: &CacheKey, coverage: Coverage) {
        let Coverage { statements, checked_statements, checked, unchecked } = coverage;
        let coverage = [statements, checked_statements, checked, unchecked];
        let entry = CacheEntry { coverage, digest: entry_digest(key, coverage) };
        let path = self.path(key);
        if let (Some(folder), Ok(text)) = (path.parent(), serde_json::to_vec(&entry)) {
            let _ = fs::create_dir_all(folder).and_then(|()| write_file(&path, &text));
        }
    }

    fn path(&self, CacheKey(key): &CacheKey) -> PathBuf {
        let (head, rest) = key.split_at(2);
        self.folder.join(head).join(rest)
    }
}

fn entry_digest(CacheKey(key): &CacheKey, coverage: [usize; 4]) -> String {
    digest(&[key.as_bytes(), format!("{coverage:?}").as_bytes()])
}

/// SHA-256 of parts with their lengths, in hexadecimal.
fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
