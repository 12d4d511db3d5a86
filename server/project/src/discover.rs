//! Finds the files to check: named files, and files in a supported language in named folders.

use crate::config_cache::{ConfigCache, FileSelection};
use crate::ignore_files::IgnoreFiles;
use crate::links::AllowedTargets;
use crate::read::is_stdin;
use hosts::Language;
use ignore::WalkBuilder;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of bytes to read for language detection. Enough for a license header before the code.
const HEAD: u64 = 64 << 10;

/// The result of a search.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The files without duplicates, sorted by path.
    pub files: Vec<PathBuf>,
    /// The files that are symbolic links found in folders.
    pub links: BTreeSet<PathBuf>,
    /// User-facing messages about paths that cannot be searched.
    pub failures: Vec<String>,
    /// User-facing messages about ignore files that do not apply, so that more files are found.
    pub refused: Vec<String>,
    /// The number of skipped files in folders.
    pub skipped: SkippedFiles,
}

/// The number of skipped files, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedFiles {
    /// The file extension is not that of a supported language.
    pub other_languages: usize,
    /// The file extension is supported, but the file contains no such code.
    pub without_code: usize,
    /// The settings exclude them.
    pub excluded: usize,
    /// They are links that lead out of the named folders.
    pub links: usize,
    /// They are copies of others' code: in `third_party`, `vendor` or a submodule, or marked `linguist-vendored`.
    pub vendored: usize,
}

impl SkippedFiles {
    /// The number of all skipped files.
    pub fn count(self) -> usize {
        self.other_languages + self.without_code + self.excluded + self.links + self.vendored
    }
}

impl Discovery {
    /// Removes paths to the same file, so that it is not written twice. A path that is not a link takes precedence.
    pub fn each_once(&mut self) {
        let (links, mut files): (Vec<_>, Vec<_>) = self.files.drain(..).partition(|path| self.links.contains(path));
        files.extend(links);
        let mut seen = HashSet::new();
        files.retain(|path| path.canonicalize().map_or(true, |real| seen.insert(real)));
        files.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        self.files = files;
    }
}

/// Whether the excludes of the settings apply to files that are named as paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedFiles {
    /// They are always included.
    AlwaysIncluded,
    /// The excludes apply to them, too.
    MayBeExcluded,
}

/// Whether copies of others' code in searched folders are searched, too. A named path always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VendoredFiles {
    /// They are counted and left out.
    LeftOut,
    /// They are included.
    Included,
}

/// Finds the files of paths. Folders are searched recursively, with ignore files and the includes and excludes of the settings. Links in folders
/// count if they lead to something that is named or in a named folder.
pub fn discover(
    paths: &[PathBuf],
    configs: &ConfigCache,
    named_files: NamedFiles,
    vendored_files: VendoredFiles,
) -> Discovery {
    discover_while(paths, configs, (named_files, vendored_files), &|| true)
}

/// As [`discover`], as long as a condition holds, which is asked for each entry of a folder.
pub fn discover_while(
    paths: &[PathBuf],
    configs: &ConfigCache,
    (named_files, vendored_files): (NamedFiles, VendoredFiles),
    goes_on: &dyn Fn() -> bool,
) -> Discovery {
    let mut found = Discovery::default();
    let allowed = AllowedTargets::of(paths.iter().filter(|path| !is_stdin(path)));
    for path in paths {
        if !is_stdin(path) && path.is_dir() {
            let is_allowed = |link: &Path| allowed.have(link) || paths.iter().any(|path| path == link);
            walk(path, configs, (&is_allowed, vendored_files), goes_on, &mut found);
        } else if named_files == NamedFiles::AlwaysIncluded || is_stdin(path) || configs.selection(path).is_included {
            found.files.push(path.clone());
        }
    }
    found.files.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    found.files.dedup();
    for path in paths {
        found.links.remove(path);
    }
    found
}

fn walk(
    folder: &Path,
    configs: &ConfigCache,
    (is_allowed, vendored_files): (&dyn Fn(&Path) -> bool, VendoredFiles),
    goes_on: &dyn Fn() -> bool,
    found: &mut Discovery,
) {
    let ignored = Arc::new(Mutex::new(IgnoreFiles::around(folder)));
    for entry in walker(folder, ignored.clone()).build() {
        if !goes_on() {
            return;
        }
        match entry {
            Ok(entry) => {
                let path = entry.path();
                let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                if !(is_file || entry.path_is_symlink() && path.is_file()) {
                    continue;
                }
                let is_vendored = vendored_files == VendoredFiles::LeftOut
                    && path.strip_prefix(folder).is_ok_and(|inner| locked(&ignored).is_vendored(inner));
                let selection = configs.selection(path);
                let name = path.to_string_lossy();
                let has_extension = Language::of_path(&name).is_some() || Language::may_be_included(&name);
                if !selection.has_patterns && !has_extension {
                    found.skipped.other_languages += 1;
                } else if !selection.is_included {
                    found.skipped.excluded += 1;
                } else if is_vendored {
                    found.skipped.vendored += 1;
                } else if entry.path_is_symlink() && !is_allowed(path) {
                    found.skipped.links += 1;
                } else if !has_code(path, selection) {
                    found.skipped.without_code += 1;
                } else {
                    if entry.path_is_symlink() {
                        found.links.insert(path.to_path_buf());
                    }
                    found.files.push(path.to_path_buf());
                }
            }
            Err(error) => found.failures.push(failure(folder, &error)),
        }
    }
    found.refused.extend(locked(&ignored).take_refused());
}

fn locked(ignored: &Mutex<IgnoreFiles>) -> MutexGuard<'_, IgnoreFiles> {
    ignored.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A walk through a folder without what its ignore files leave out. The crate's own reader of these files has no bounds.
fn walker(folder: &Path, ignored: Arc<Mutex<IgnoreFiles>>) -> WalkBuilder {
    let root = folder.to_owned();
    let mut walker = WalkBuilder::new(folder);
    walker.standard_filters(false).filter_entry(move |entry| {
        let Ok(inner) = entry.path().strip_prefix(&root) else { return true };
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        inner.as_os_str().is_empty() || !locked(&ignored).leave_out(inner, is_folder)
    });
    walker
}

fn failure(folder: &Path, error: &ignore::Error) -> String {
    let place = match error {
        ignore::Error::WithPath { path, .. } => path.clone(),
        ignore::Error::WithDepth { err, .. } => return failure(folder, err),
        _ => folder.to_path_buf(),
    };
    let why = error.io_error().map_or_else(|| error.to_string(), |error| error.kind().to_string());
    format!("cannot search {}: {why}", place.display())
}

/// Whether a file contains a supported language. Unreadable files are included, so that the check reports the error.
fn has_code(path: &Path, selection: FileSelection) -> bool {
    let name = path.to_string_lossy();
    let head = || {
        let mut head = Vec::with_capacity(HEAD as usize + 1);
        File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head)).map(|_| head)
    };
    match Language::of_path(&name) {
        Some(language) => head().map_or(true, |head| language.fits(&head)),
        None if selection.has_patterns => head().map_or(true, |head| {
            let text = String::from_utf8_lossy(&head);
            Language::of_text(&text).is_some() && Language::detect(&name, &text).is_ok()
        }),
        None => Language::may_be_included(&name) && head().is_ok_and(|head| Language::is_included(&name, &head)),
    }
}
