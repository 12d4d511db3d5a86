//! Which headers the sources of a build include, as far as their `#include` lines and the folders that commands name tell.
//!
//! No preprocessor: an `#include` counts whatever conditions stand around it. Must not know what a source is compiled for.

use crate::read;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// What is left to be done for one build, so that a key stroke never waits for a huge one.
pub(crate) struct SearchBudget {
    /// Files to be read.
    files: usize,
    /// Questions whether a file is there.
    questions: usize,
}

impl Default for SearchBudget {
    fn default() -> Self {
        SearchBudget { files: 20_000, questions: 2_000_000 }
    }
}

impl SearchBudget {
    fn is_file(&mut self, path: &Path) -> bool {
        self.questions = self.questions.saturating_sub(1);
        self.questions > 0 && path.is_file()
    }
}

/// Headers have their `#include`s at their beginning, in bytes.
const HEAD: u64 = 64 << 10;

/// Where the commands of a build look for headers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct IncludePaths(Vec<PathBuf>);

/// The options of compilers that name a folder; it follows at once or as the next word.
const OPTIONS: [&str; 6] = ["-I", "-isystem", "-iquote", "--include-path", "--system-include", "-idirafter"];

impl IncludePaths {
    /// Those that a command names, which is run in a folder.
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

/// The headers that sources with the same folders include, and those that these include, as long as files are left to be read.
pub(crate) fn included_headers(
    sources: &[PathBuf],
    folders: &IncludePaths,
    budget: &mut SearchBudget,
) -> HashSet<PathBuf> {
    let mut waiting = sources.to_vec();
    let mut found: HashSet<PathBuf> = HashSet::new();
    // Where the folders have a name: most files include the same ones.
    let mut known: HashMap<String, Option<PathBuf>> = HashMap::new();
    while let Some(file) = waiting.pop().filter(|_| budget.files > 0) {
        budget.files -= 1;
        let Ok(bytes) = read::head(&file, HEAD) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let beside = file.parent().unwrap_or(Path::new("/"));
        for name in text.lines().filter_map(included) {
            let mut is_there = |path: &PathBuf| found.contains(path) || budget.is_file(path);
            let near = Some(normalize(&beside.join(name))).filter(&mut is_there);
            let there = near.or_else(|| {
                let anywhere = || folders.0.iter().map(|folder| normalize(&folder.join(name))).find(&mut is_there);
                known.entry(name.to_owned()).or_insert_with(anywhere).clone()
            });
            if let Some(path) = there
                && found.insert(path.clone())
            {
                waiting.push(path);
            }
        }
    }
    found
}

/// The name that a line includes.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let end = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    rest[1..].split_once(end).map(|(name, _)| name)
}

/// A path without `.` and `..`, as far as its text tells.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut made = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = made.pop(),
            part => made.push(part),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_options_are_read_in_every_spelling() {
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
