//! Which files to lint: those that were named, and in folders those that are in one of our languages.

use crate::config_cache::ConfigCache;
use crate::read::is_stdin;
use hosts::Language;
use ignore::WalkBuilder;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How much of a file is looked at to know its language, in bytes: a licence header fits in.
const HEAD: u64 = 64 << 10;

/// What was found, and what could not be searched, in sentences for people.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The files, each once, ordered by path as it will be printed.
    pub files: Vec<PathBuf>,
    /// Those of the files that are links which nobody named, but which were found in folders.
    pub links: BTreeSet<PathBuf>,
    /// Why some path could not be searched.
    pub failures: Vec<String>,
    /// Files of searched folders that are not among them.
    pub skipped: SkippedFiles,
}

/// How many files of folders are not read, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedFiles {
    /// Their names end like none of our languages.
    pub other_languages: usize,
    /// Their names end like one, but nothing of it is in them.
    pub without_code: usize,
    /// The settings exclude them.
    pub excluded: usize,
}

impl SkippedFiles {
    /// All of them.
    pub fn count(self) -> usize {
        self.other_languages + self.without_code + self.excluded
    }
}

impl Discovery {
    /// Leaves each file once, whatever names it has: two that write the same file would get into each other's way. A link goes before no file.
    pub fn each_once(&mut self) {
        let (links, mut files): (Vec<_>, Vec<_>) = self.files.drain(..).partition(|path| self.links.contains(path));
        files.extend(links);
        let mut seen = HashSet::new();
        files.retain(|path| path.canonicalize().map_or(true, |real| seen.insert(real)));
        files.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        self.files = files;
    }
}

/// The files that the given paths stand for: files as they are unless excludes shall count for them too, folders by a walk that honours
/// ignore files and what the projects include and exclude.
pub fn discover(paths: &[PathBuf], projects: &ConfigCache, force_exclude: bool) -> Discovery {
    let mut found = Discovery::default();
    for path in paths {
        if !is_stdin(path) && path.is_dir() {
            walk(path, projects, &mut found);
        } else if !force_exclude || is_stdin(path) || projects.wants(path).0 {
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

fn walk(folder: &Path, projects: &ConfigCache, found: &mut Discovery) {
    for entry in WalkBuilder::new(folder).require_git(false).build() {
        match entry {
            Ok(entry) => {
                let path = entry.path();
                if !path.is_file() {
                    continue;
                }
                let (wanted, by_name) = projects.wants(path);
                let name = path.to_string_lossy();
                let may_be = by_name || Language::of_path(&name).is_some() || Language::may_be_included(&name);
                match () {
                    () if !may_be => found.skipped.other_languages += 1,
                    () if !wanted => found.skipped.excluded += 1,
                    () if is_ours(path, by_name) => {
                        if entry.path_is_symlink() {
                            found.links.insert(path.to_path_buf());
                        }
                        found.files.push(path.to_path_buf());
                    }
                    () => found.skipped.without_code += 1,
                }
            }
            Err(error) => found.failures.push(failure(folder, &error)),
        }
    }
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

/// Whether a file is what its name promises, or C++ that others include. What cannot be read is kept, so that linting it says why.
fn is_ours(path: &Path, by_name: bool) -> bool {
    let name = path.to_string_lossy();
    let head = || {
        let mut head = Vec::new();
        File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head)).map(|_| head)
    };
    match Language::of_path(&name) {
        Some(language) => head().map_or(true, |head| language.fits(&head)),
        None if by_name => head().map_or(true, |head| {
            let text = String::from_utf8_lossy(&head);
            Language::of_text(&text).is_some() && Language::detect(&name, &text).is_ok()
        }),
        None => Language::may_be_included(&name) && head().is_ok_and(|head| Language::is_included(&name, &head)),
    }
}
