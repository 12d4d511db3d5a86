//! `--diff`: the lines that changed since a commit, by git.

use crate::fingerprint::{FingerprintedDiagnostic, SuppressedBy};
use diagnostics::Diagnostic;
use project::read;
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::process::Command;
use syntax::{Position, Rope};

/// What changed in the repository of the working directory since the merge base of a commit and `HEAD`, in commits or not.
pub struct ChangedLines {
    /// The folder of the work tree.
    root: PathBuf,
    /// The merge base.
    commit: String,
    /// The changed files, with their names before.
    changed: HashMap<String, String>,
    /// The files that git knows.
    tracked: HashSet<String>,
}

/// How a file changed.
enum FileChange {
    /// Git does not know the file: all of its lines are new.
    New,
    /// Changed, and its names before and now.
    Changed(String, String),
    Unchanged,
}

impl ChangedLines {
    /// The changes since the merge base of a commit and `HEAD`; the error is a message for the user.
    pub fn since(base: &str) -> Result<Self, String> {
        let folder = Path::new(".");
        let failed = |reason: String| format!("cannot use --diff: {reason}");
        let root = git(folder, &["rev-parse", "--show-toplevel"]).map_err(failed)?;
        let root = PathBuf::from(root.trim_end_matches('\n'));
        let commit = format!("{base}^{{commit}}");
        let commit = git(folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
            .map_err(|_| failed(format!("unknown commit `{base}`; fetch it first")))?;
        let merge_base = git(folder, &["merge-base", commit.trim(), "HEAD"])
            .map_err(|_| failed(format!("no merge base of `{base}` and HEAD; fetch more of the history")))?;
        let commit = merge_base.trim().to_owned();
        let names = git(&root, &["diff", "--name-status", "-z", "-M", "--diff-filter=d", &commit]).map_err(failed)?;
        let tracked = git(&root, &["ls-files", "-z"]).map_err(failed)?;
        let tracked = tracked.split_terminator('\0').map(str::to_owned).collect();
        Ok(ChangedLines { root, commit, changed: changed_files(&names), tracked })
    }

    /// Removes the files without changes. Returns how many there were.
    pub fn retain_changed(&self, files: &mut Vec<PathBuf>) -> usize {
        let before = files.len();
        files.retain(|file| !matches!(self.change(file), FileChange::Unchanged));
        before - files.len()
    }

    /// Suppresses the diagnostics that have no place on a changed line; the error is a message for the user.
    pub fn accept(&self, path: &Path, text: &Rope, diagnostics: &mut [FingerprintedDiagnostic]) -> Result<(), String> {
        let FileChange::Changed(old, new) = self.change(path) else { return Ok(()) };
        if diagnostics.is_empty() {
            return Ok(());
        }
        let options = ["diff", "--unified=0", "--inter-hunk-context=0", "--no-color", "--no-ext-diff", "--no-textconv"];
        let rest = ["--text", "-M", &self.commit, "--", &old, &new];
        let patch = git(&self.root, &[&options[..], &rest].concat())
            .map_err(|reason| format!("cannot compare {}: {reason}", path.display()))?;
        let lines: Vec<_> = patch.lines().filter_map(added_lines).collect();
        for found in diagnostics.iter_mut().filter(|found| found.accepted.is_none()) {
            if !touches(text, &found.diagnostic, &lines) {
                found.accepted = Some(SuppressedBy::UnchangedLine);
            }
        }
        Ok(())
    }

    fn change(&self, path: &Path) -> FileChange {
        let Ok(path) = path.canonicalize() else { return FileChange::New };
        let Ok(name) = path.strip_prefix(&self.root) else { return FileChange::New };
        let name = name.to_string_lossy().replace('\\', "/");
        match self.changed.get(&name) {
            Some(old) => FileChange::Changed(old.clone(), name),
            None if self.tracked.contains(&name) => FileChange::Unchanged,
            None => FileChange::New,
        }
    }
}

/// The changed files and their names before, from `--name-status -z`: a status, a name and, if it was renamed or copied, a second one.
fn changed_files(listing: &str) -> HashMap<String, String> {
    let mut words = listing.split_terminator('\0');
    let mut changed = HashMap::new();
    while let (Some(status), Some(old)) = (words.next(), words.next()) {
        let new = if status.starts_with(['R', 'C']) { words.next().unwrap_or(old) } else { old };
        changed.insert(new.to_owned(), old.to_owned());
    }
    changed
}

/// The lines of the new file in the header of a hunk, `@@ -1,2 +3,4 @@`; `None` if only lines were removed.
fn added_lines(line: &str) -> Option<RangeInclusive<usize>> {
    let added = line.strip_prefix("@@ -")?.split_whitespace().nth(1)?.strip_prefix('+')?;
    let (start, count) = added.split_once(',').unwrap_or((added, "1"));
    let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
    (count > 0).then(|| start..=start + count - 1)
}

/// Whether a diagnostic, or a place that it refers to, such as the `.target` directive, is on one of the lines.
fn touches(text: &Rope, diagnostic: &Diagnostic, lines: &[RangeInclusive<usize>]) -> bool {
    let line = |byte: usize| Position::of(text, byte).line + 1;
    let is_changed = |range: &Range<usize>| {
        let (first, last) = (line(range.start), line(range.end));
        lines.iter().any(|changed| *changed.start() <= last && first <= *changed.end())
    };
    std::iter::once(&diagnostic.range).chain(diagnostic.related.iter().map(|related| &related.range)).any(is_changed)
}

/// What git prints. It starts no program that the repository's settings name; the error is a message for the user.
fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(["-c", "core.fsmonitor=false"]).args(arguments).current_dir(folder).output();
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "git is not installed".to_owned(),
        _ => format!("cannot run git: {}", read::reason(&error)),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    Err(reason.lines().next().unwrap_or("git failed").trim_start_matches("fatal: ").to_owned())
}

#[cfg(test)]
mod tests {
    use super::{added_lines, changed_files};

    #[test]
    fn hunks_name_the_lines_of_the_new_file() {
        assert_eq!(added_lines("@@ -1,2 +3,4 @@ .entry k("), Some(3..=6));
        assert_eq!(added_lines("@@ -0,0 +1 @@"), Some(1..=1));
        assert_eq!(added_lines("@@ -7,2 +6,0 @@"), None);
        assert_eq!(added_lines("+@@ -1 +1 @@"), None);
    }

    #[test]
    fn a_renamed_file_has_two_names() {
        let changed = changed_files("M\0a b.ptx\0R090\0old.ptx\0new.ptx\0A\0c.ptx\0");
        assert_eq!(changed.len(), 3);
        assert_eq!((&changed["new.ptx"], &changed["a b.ptx"]), (&"old.ptx".to_owned(), &"a b.ptx".to_owned()));
    }
}
