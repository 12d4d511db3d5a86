//! Finds the files of a folder that include a file, and the macros that they define for it.
//!
//! Only files whose ending is no language's, such as `op.inc`: they are written to be included, often several times with other macros.

use crate::includes::normalize;
use crate::links::leads_out;
use crate::read;
use hosts::Language;
use hosts::cpp::{MacroSet, MacrosAtInclude, macros_at_includes};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The maximum number of files of a folder that are read.
const MOST_FILES: usize = 256;
/// The number of bytes of a file that are read.
const LONGEST: u64 = 1 << 20;
/// The maximum number of places where a file is included that count.
const MOST_PLACES: usize = 32;

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
    let files = paths.iter().filter_map(read).map(|(name, text)| IncludingFile::new(name, text)).collect();
    let folder = IncludingFolder { path: folder, files };
    let mut sets = folder.sets(name, &mut HashMap::new()).as_ref().clone();
    sets.retain(|set| !set.is_empty());
    sets
}

/// A file that may include others, with the macros at each of its `#include`s, which are read on demand.
struct IncludingFile {
    name: String,
    text: String,
    places: OnceCell<Vec<MacrosAtInclude>>,
}

impl IncludingFile {
    fn new(name: String, text: String) -> Self {
        IncludingFile { name, text, places: OnceCell::new() }
    }

    fn places(&self) -> &[MacrosAtInclude] {
        self.places.get_or_init(|| macros_at_includes(&self.text))
    }
}

/// The sets of macros of the files that were asked for; none for a file that is being asked for, because it includes itself.
type KnownSets<'f> = HashMap<&'f str, Rc<Vec<MacroSet>>>;

/// A folder with its files.
struct IncludingFolder<'f> {
    path: &'f Path,
    files: Vec<IncludingFile>,
}

impl IncludingFolder<'_> {
    /// The different sets of macros with which a file is included. Each file is asked once, so that the time is linear in the `#include`s.
    fn sets<'s>(&'s self, name: &'s str, known: &mut KnownSets<'s>) -> Rc<Vec<MacroSet>> {
        if let Some(sets) = known.get(name) {
            return sets.clone();
        }
        known.insert(name, Rc::default());
        let mut found = Vec::new();
        for file in self.files.iter().filter(|file| file.name != name && file.text.contains(name)) {
            let places: Vec<_> = file.places().iter().filter(|place| self.is_file(&place.file, name)).collect();
            if places.is_empty() {
                continue;
            }
            let mut outer = self.sets(&file.name, known);
            if outer.is_empty() {
                outer = Rc::new(vec![MacroSet::default()]);
            }
            for set in outer.iter().flat_map(|outer| places.iter().map(|place| outer.then(place))) {
                if found.len() < MOST_PLACES && !found.contains(&set) {
                    found.push(set);
                }
            }
        }
        let found = Rc::new(found);
        known.insert(name, found.clone());
        found
    }

    /// Whether the name in an `#include` is that of a file of the folder.
    fn is_file(&self, included: &str, name: &str) -> bool {
        let included = Path::new(included);
        let parts: Vec<_> = included.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        if parts.last().is_none_or(|last| last.as_os_str() != name) {
            return false;
        }
        let path = normalize(&self.path.join(name));
        path.components().rev().zip(parts.iter().rev()).all(|(part, other)| part == *other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_include_all_before_them_are_read_once() {
        let file = |number: usize| {
            let includes: String = (0..number).map(|before| format!("#include \"f{before}.h\"\n")).collect();
            IncludingFile::new(
                format!("f{number}.h"),
                format!("#define S \".s{}\"\n{includes}#include \"x.inc\"\n", number % 2),
            )
        };
        let folder = IncludingFolder { path: Path::new("/a"), files: (0..40).map(file).collect() };
        assert_eq!(folder.sets("x.inc", &mut HashMap::new()).len(), 2);
    }

    #[test]
    fn files_that_include_each_other_end() {
        let file = |name: &str, other: &str| {
            IncludingFile::new(name.to_owned(), format!("#define S \"s\"\n#include \"{other}\"\n#include \"x.inc\"\n"))
        };
        let folder = IncludingFolder { path: Path::new("/a"), files: vec![file("a.h", "b.h"), file("b.h", "a.h")] };
        assert_eq!(folder.sets("x.inc", &mut HashMap::new()).len(), 1);
    }
}
