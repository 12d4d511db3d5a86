//! Finds the headers that the sources of a build include, from `#include` lines and include paths.
//!
//! There is no preprocessor: conditions around an `#include` are ignored.

use crate::read;
use hosts::cpp::included_file;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// The remaining budget of a search, so that a large build does not block the editor.
pub(crate) struct SearchBudget {
    /// The number of files to read.
    files: usize,
    /// The number of tests whether a file exists.
    exists_tests: usize,
}

impl Default for SearchBudget {
    fn default() -> Self {
        SearchBudget { files: 20_000, exists_tests: 2_000_000 }
    }
}

impl SearchBudget {
    fn is_file(&mut self, path: &Path) -> bool {
        self.exists_tests = self.exists_tests.saturating_sub(1);
        self.exists_tests > 0 && path.is_file()
    }
}

/// The number of bytes to search for `#include` lines.
const HEAD: u64 = 64 << 10;

/// The include paths of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct IncludePaths(Vec<PathBuf>);

/// Compiler options with an include path, which follows directly or as the next argument.
const OPTIONS: [&str; 6] = ["-I", "-isystem", "-iquote", "--include-path", "--system-include", "-idirafter"];

impl IncludePaths {
    /// The include paths of a command that runs in a folder.
    pub fn of(words: &[String], directory: &Path) -> Self {
        let mut found = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let rest = OPTIONS.iter().find_map(|option| word.strip_prefix(option));
            let folder = match rest.map(|rest| rest.trim_start_matches('=')) {
                Some("") => words.next().map(String::as_str),
                rest => rest,
            };
            found.extend(folder.map(|folder| normalize(&directory.join(folder))));
        }
        IncludePaths(found)
    }
}

/// The headers that sources include, directly or transitively, within the budget.
pub(crate) fn included_headers(
    sources: &[PathBuf],
    folders: &IncludePaths,
    budget: &mut SearchBudget,
) -> HashSet<PathBuf> {
    let mut waiting = sources.to_vec();
    let mut found: HashSet<PathBuf> = HashSet::new();
    // A cache of headers in the include paths: most files include the same ones.
    let mut known: HashMap<String, Option<PathBuf>> = HashMap::new();
    while let Some(file) = waiting.pop().filter(|_| budget.files > 0) {
        budget.files -= 1;
        let Ok(bytes) = read::head(&file, HEAD) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let folder = file.parent().unwrap_or(Path::new("/"));
        for name in text.lines().filter_map(included) {
            let mut exists = |path: &PathBuf| found.contains(path) || budget.is_file(path);
            let next_to_file = Some(normalize(&folder.join(name))).filter(&mut exists);
            let header = next_to_file.or_else(|| {
                let in_paths = || folders.0.iter().map(|folder| normalize(&folder.join(name))).find(&mut exists);
                known.entry(name.to_owned()).or_insert_with(in_paths).clone()
            });
            if let Some(path) = header
                && found.insert(path.clone())
            {
                waiting.push(path);
            }
        }
    }
    found
}

/// The name in an `#include` line.
fn included(line: &str) -> Option<&str> {
    included_file(line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?)
}

/// Resolves `.` and `..` lexically.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = normalized.pop(),
            part => normalized.push(part),
        }
    }
    normalized
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn include_lines_and_options_are_parsed() {
        let names = [
            "#include \"a/b.h\"",
            "  #  include <c.cuh> // why",
            "#include MACRO",
            "// #include \"d.h\"",
            "#include \"e",
        ];
        assert_eq!(names.map(included), [Some("a/b.h"), Some("c.cuh"), None, None, None]);
        let words: Vec<String> =
            "nvcc -Iinc -I /abs -isystem ../up --include-path=x -c a.cu".split(' ').map(str::to_owned).collect();
        let folders = ["/b/inc", "/abs", "/up", "/b/x"].map(PathBuf::from);
        assert_eq!(IncludePaths::of(&words, Path::new("/b")), IncludePaths(folders.to_vec()));
    }
}
