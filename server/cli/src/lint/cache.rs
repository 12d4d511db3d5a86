//! `--cache`: remembers the files without findings.
//!
//! A key is the digest of everything that a result depends on: the program, the language, the settings, the macros of files that include it, and the text. An entry that
//! cannot be read, or does not belong to its key, is ignored. Findings are not kept, so a file with some is checked every time.
//!
//! Whoever fills a cache decides what is not checked: a folder with files of a repository is refused, and what is no regular file is neither read nor written.

use super::git::Git;
use crate::write::write_regular;
use diagnostics::Settings;
use hosts::Language;
use hosts::cpp::MacroSet;
use hosts::inline_asm::UnreadStatements;
use lints::Coverage;
use project::read;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::{fs, io};

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
    /// Statements that were not read, by reason.
    unread: Vec<usize>,
    /// A digest of the key and the numbers.
    digest: String,
}

/// What identifies a result.
pub struct CacheKey(String);

impl ResultCache {
    /// Opens or makes the folder; the error is a message for the user. A folder in which git tracks a file is refused.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let named = folder.display();
        let failed = |error| format!("cannot use the cache {named}: {}", read::reason(&error));
        fs::create_dir_all(folder).map_err(failed)?;
        let tracked = tracked_file(folder).map_err(|reason| {
            format!("cannot use the cache {named}: {reason}; use --user-cache for one of your own")
        })?;
        if let Some(file) = tracked {
            return Err(format!(
                "cannot use the cache {named}: git tracks {file}, so the repository decides what is not checked; use --user-cache"
            ));
        }
        // Git need not know of it, and backups need not have it.
        for (name, text) in [(".gitignore", "*\n"), ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")] {
            if folder.join(name).symlink_metadata().is_err() {
                write_regular(&folder.join(name), text.as_bytes()).map_err(failed)?;
            }
        }
        let program = std::env::current_exe().and_then(fs::read).map_err(failed)?;
        Ok(ResultCache { folder: folder.to_owned(), program: digest(&[&program]) })
    }

    /// The folder for a user's own cache; the error is a message for the user.
    pub fn user_folder() -> Result<PathBuf, String> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = |inner: &str| std::env::home_dir().map(|home| home.join(inner));
        let folder = match std::env::consts::OS {
            "windows" => variable("LOCALAPPDATA"),
            "macos" => home("Library/Caches"),
            // A relative path has no meaning there.
            _ => variable("XDG_CACHE_HOME").filter(|folder| folder.is_absolute()).or_else(|| home(".cache")),
        };
        let folder = folder.ok_or("cannot use --user-cache: no home folder; name a folder with --cache")?;
        Ok(folder.join("ptx-atomics"))
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
        let entry: CacheEntry = serde_json::from_slice(&read_entry(&self.path(key)).ok()?).ok()?;
        let [statements, checked_statements, checked, unchecked] = entry.coverage;
        let is_whole = entry.digest == entry_digest(key, entry.coverage, &entry.unread);
        let unread = UnreadStatements(entry.unread.try_into().ok()?);
        is_whole.then_some(Coverage { statements, checked_statements, checked, unchecked, unread })
    }

    /// Remembers a text without findings. A cache that cannot be written only makes the next run slower.
    pub fn put(&self, key: &CacheKey, coverage: Coverage) {
        let Coverage { statements, checked_statements, checked, unchecked, unread } = coverage;
        let (coverage, unread) = ([statements, checked_statements, checked, unchecked], unread.0.to_vec());
        let entry = CacheEntry { coverage, digest: entry_digest(key, coverage, &unread), unread };
        let path = self.path(key);
        let Some(folder) = path.parent().filter(|folder| !folder.is_symlink()) else { return };
        if let Ok(text) = serde_json::to_vec(&entry) {
            let _ = fs::create_dir_all(folder).and_then(|()| write_regular(&path, &text));
        }
    }

    fn path(&self, CacheKey(key): &CacheKey) -> PathBuf {
        let (head, rest) = key.split_at(2);
        self.folder.join(head).join(rest)
    }
}

/// The maximum size of an entry in bytes.
const MAX_ENTRY: u64 = 4096;

/// The bytes of an entry. It has to be a small regular file in a folder of the cache: a pipe would block, and a device has no end.
fn read_entry(path: &Path) -> io::Result<Vec<u8>> {
    let is_entry = path.symlink_metadata()?.is_file() && path.parent().is_some_and(|folder| !folder.is_symlink());
    if !is_entry {
        return Err(io::Error::other("not a regular file"));
    }
    read::head(path, MAX_ENTRY)
}

/// A file in a folder, or the folder itself if it is a link, that git tracks; the error is a message for the user.
fn tracked_file(folder: &Path) -> Result<Option<String>, String> {
    let real = folder.canonicalize().map_err(|error| read::reason(&error))?;
    let mut listed = Git::tracked(&real, &[])?;
    if let (true, Some(name)) = (folder.is_symlink(), folder.file_name().and_then(|name| name.to_str())) {
        let around = folder.parent().filter(|around| !around.as_os_str().is_empty()).unwrap_or(Path::new("."));
        listed += &Git::tracked(around, &[name])?;
    }
    Ok(listed.split('\0').next().filter(|name| !name.is_empty()).map(str::to_owned))
}

fn entry_digest(CacheKey(key): &CacheKey, coverage: [usize; 4], unread: &[usize]) -> String {
    digest(&[key.as_bytes(), format!("{coverage:?} {unread:?}").as_bytes()])
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
