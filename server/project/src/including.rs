//! Finds the files of a folder that include a file, and the macros that they define for it.
//!
//! Only files whose ending is no language's, such as `op.inc`: they are written to be included, often several times with other macros.

use crate::includes::normalize;
use crate::links::leads_out;
use crate::read;
use hosts::Language;
use hosts::cpp::{MacroSet, macros_at_includes};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The maximum number of files of a folder that are read.
const MOST_FILES: usize = 256;
/// The number of bytes of a file that are read.
const LONGEST: u64 = 1 << 20;
/// The maximum number of places where a file is included that count.
const MOST_PLACES: usize = 32;
/// The maximum nesting of files.
const DEPTH: usize = 6;

/// The different sets of macros with which the other files of its folder, as they are saved, include a file with a text; none for a file that is
/// compiled by itself, without `asm`, and where no macro is defined. Macros that a file outside of the folder defines are unknown.
pub fn including_macros(file: &Path, text: &str) -> Vec<MacroSet> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if Language::of_path(name).is_some() || !name.contains(".inc") || !text.contains("asm") {
        return Vec::new();
    }
    let file = std::path::absolute(file).unwrap_or_default();
    let Some((folder, entries)) = file.parent().and_then(|folder| Some((folder, fs::read_dir(folder).ok()?))) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).take(MOST_FILES).collect();
    // The order in a folder is not fixed.
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        let is_cpp = name.contains(".inc") || Language::of_path(&name) == Some(Language::CUDA);
        let head = (is_cpp && !leads_out(path)).then(|| read::head(path, LONGEST).ok())??;
        Some((name, String::from_utf8_lossy(&head).into_owned()))
    };
    let folder = IncludingFolder { path: folder, files: paths.iter().filter_map(read).collect() };
    let mut sets = folder.sets(name, &mut Vec::new());
    sets.retain(|set| !set.is_empty());
    sets
}

/// A folder with the names and the texts of its files.
struct IncludingFolder<'f> {
    path: &'f Path,
    files: Vec<(String, String)>,
}

impl<'f> IncludingFolder<'f> {
    /// The different sets of macros with which a file is included; `open` has the files that are included on the way.
    fn sets(&'f self, name: &str, open: &mut Vec<&'f str>) -> Vec<MacroSet> {
        let mut found = Vec::new();
        for (includer, text) in self.files.iter().filter(|(_, text)| text.contains(name)) {
            if open.len() == DEPTH || open.contains(&includer.as_str()) || includer == name {
                continue;
            }
            let places = macros_at_includes(text, |included| self.is_file(included, name));
            if places.is_empty() {
                continue;
            }
            open.push(includer);
            let mut outer = self.sets(includer, open);
            open.pop();
            if outer.is_empty() {
                outer.push(MacroSet::default());
            }
            for set in outer.iter().flat_map(|outer| places.iter().map(|place| outer.then(place))) {
                if found.len() < MOST_PLACES && !found.contains(&set) {
                    found.push(set);
                }
            }
        }
        found
    }

    /// Whether the name in an `#include` is that of a file of the folder.
    fn is_file(&self, included: &str, name: &str) -> bool {
        let included = Path::new(included);
        let parts: Vec<_> = included.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        let path = normalize(&self.path.join(name));
        let ends_alike = path.components().rev().zip(parts.iter().rev()).all(|(part, other)| part == *other);
        parts.last().is_some_and(|last| last.as_os_str() == name) && ends_alike
    }
}
