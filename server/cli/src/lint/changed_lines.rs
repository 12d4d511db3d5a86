//! `--diff`: the lines that changed since a commit of git.
//!
//! Git says what the commit and the index contain; the files of the work tree are read and compared here, because git would run the filters that the
//! repository names.

use super::git::{Git, Objects, check_attribute_files};
use crate::fingerprint::{FingerprintedDiagnostic, SuppressedBy};
use diagnostics::Diagnostic;
use project::read;
use sha2::{Digest, Sha256};
use similar::{Algorithm, DiffOp, TextDiff};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use syntax::{Position, Rope};

/// What changed in the repository of the working directory since the merge base of a commit and `HEAD`, in commits or not.
pub struct ChangedLines {
    git: Git,
    /// The folder of the work tree.
    root: PathBuf,
    /// The objects of the files at the merge base, by name.
    base: HashMap<String, String>,
    /// The names before of the files that were renamed.
    renamed: HashMap<String, String>,
    /// The files that git knows.
    tracked: HashSet<String>,
    /// Whether git changes line ends where no attribute says so: `core.autocrlf`.
    converts_line_ends: bool,
    /// The texts at the merge base of the files that have changed. All lines of other files are new.
    before: HashMap<PathBuf, ComparedText>,
    /// The files that have changed, but nobody knows where, and why.
    uncompared: HashMap<PathBuf, String>,
}

/// A text as git stores it.
#[derive(PartialEq)]
struct ComparedText {
    text: String,
    line_ends: StoredLineEnds,
}

/// Whether git changes the line ends of a file before it compares it.
#[derive(Clone, Copy, PartialEq)]
enum StoredLineEnds {
    Lf,
    AsTheyAre,
}

/// The files that were left out.
#[derive(Default)]
pub struct LeftOut {
    /// The number of files without changes.
    pub unchanged: usize,
    /// User-facing messages about files whose text at the base is missing.
    pub failures: Vec<String>,
}

/// A file of the work tree that is not as it was.
struct DifferentFile {
    path: PathBuf,
    name: String,
    before: Vec<u8>,
    now: Vec<u8>,
}

impl ChangedLines {
    /// The changes since the merge base of a commit and `HEAD`; the error is a message for the user.
    pub fn since(base: &str) -> Result<Self, String> {
        let failed = |reason: String| format!("cannot use --diff: {reason}");
        let (git, root) = Git::open().map_err(failed)?;
        let commit = format!("{base}^{{commit}}");
        let commit = git
            .text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
            .map_err(|_| failed(format!("unknown commit `{base}`; fetch it first")))?;
        let merge_base = git
            .text(&["merge-base", commit.trim(), "HEAD"])
            .map_err(|_| failed(format!("no merge base of `{base}` and HEAD; fetch more of the history")))?;
        let commit = merge_base.trim();
        let listing = git.text(&["ls-tree", "-r", "-z", "--full-tree", commit]).map_err(failed)?;
        let index =
            ["diff-index", "--cached", "-M", "--name-status", "-z", "--diff-filter=R", "--ignore-submodules=all"];
        let renamed = git.text(&[&index[..], &["--no-ext-diff", "--no-textconv", commit]].concat()).map_err(failed)?;
        let tracked = git.text(&["ls-files", "-z"]).map_err(failed)?;
        let converted = git.text(&["config", "--get", "core.autocrlf"]).unwrap_or_default();
        Ok(ChangedLines {
            git,
            root: root.canonicalize().unwrap_or(root),
            base: blobs(&listing),
            renamed: renamed_files(&renamed),
            tracked: tracked.split_terminator('\0').map(str::to_owned).collect(),
            converts_line_ends: matches!(converted.trim(), "true" | "input" | "yes" | "on" | "1"),
            before: HashMap::new(),
            uncompared: HashMap::new(),
        })
    }

    /// Removes the files without changes, and those whose text at the base is missing; the error is a message for the user.
    pub fn retain_changed(&mut self, files: &mut Vec<PathBuf>) -> Result<LeftOut, String> {
        let failed = |reason: String| format!("cannot use --diff: {reason}");
        let mut objects = self.git.objects().map_err(failed)?;
        let (mut left_out, mut different) = (LeftOut::default(), Vec::new());
        let mut kept = HashSet::new();
        for path in files.iter() {
            match self.change(path, &mut objects).map_err(failed)? {
                FileChange::New => drop(kept.insert(path.clone())),
                FileChange::Unchanged => left_out.unchanged += 1,
                FileChange::NotCompared(reason) => left_out.failures.push(not_compared(path, &reason)),
                FileChange::Different(file) => different.push(file),
            }
        }
        let attributes = self.attributes(&different).map_err(failed)?;
        for file in different {
            let attributes = attributes.get(file.name.as_str()).copied().unwrap_or_default();
            match self.comparable(&file, attributes) {
                Ok(line_ends) => {
                    let [before, now] = [file.before, file.now].map(|bytes| line_ends.text(&read::decode(bytes)));
                    if before == now && !self.renamed.contains_key(&file.name) {
                        left_out.unchanged += 1;
                        continue;
                    }
                    kept.insert(file.path.clone());
                    self.before.insert(file.path, before);
                }
                Err(_) if is_stored_by_lfs(&file) => left_out.unchanged += 1,
                Err(reason) => {
                    kept.insert(file.path.clone());
                    self.uncompared.insert(file.path, reason);
                }
            }
        }
        files.retain(|path| kept.contains(path));
        Ok(left_out)
    }

    /// Why it is not known which lines of a file have changed; `None` if it is.
    pub fn uncompared(&self, path: &Path) -> Option<&str> {
        self.uncompared.get(path).map(String::as_str)
    }

    /// Suppresses the diagnostics that have no place on a changed line, and those of files that were not compared.
    pub fn accept(&self, path: &Path, text: &Rope, diagnostics: &mut [FingerprintedDiagnostic]) {
        if self.uncompared.contains_key(path) {
            let open = diagnostics.iter_mut().filter(|found| found.accepted.is_none());
            return open.for_each(|found| found.accepted = Some(SuppressedBy::NotCompared));
        }
        let Some(before) = self.before.get(path) else { return };
        if diagnostics.is_empty() {
            return;
        }
        let lines = changed_lines(&before.text, &before.line_ends.text(&text.to_string()).text);
        for found in diagnostics.iter_mut().filter(|found| found.accepted.is_none()) {
            if !touches(text, &found.diagnostic, &lines) {
                found.accepted = Some(SuppressedBy::UnchangedLine);
            }
        }
    }

    /// How a file changed, byte by byte.
    fn change(&self, path: &Path, objects: &mut Objects) -> Result<FileChange, String> {
        let Some(name) = self.name(path).filter(|name| self.tracked.contains(name)) else { return Ok(FileChange::New) };
        let old = self.renamed.get(&name);
        let Some(id) = self.base.get(old.unwrap_or(&name)) else { return Ok(FileChange::New) };
        // What cannot be read is left to the check, which says so.
        let Ok(now) = read::bytes(path) else { return Ok(FileChange::New) };
        let Some(before) = objects.read(id)? else {
            return Ok(FileChange::NotCompared(
                "its text at the base is not in the repository; fetch it first".to_owned(),
            ));
        };
        if before == now && old.is_none() {
            return Ok(FileChange::Unchanged);
        }
        Ok(FileChange::Different(DifferentFile { path: path.to_owned(), name, before, now }))
    }

    /// The name of a file in the work tree, as git writes it.
    fn name(&self, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok()?;
        Some(path.strip_prefix(&self.root).ok()?.to_string_lossy().replace('\\', "/"))
    }

    /// What the attributes of files say, by their names; the error is a message for the user.
    fn attributes(&self, files: &[DifferentFile]) -> Result<HashMap<String, FileAttributes>, String> {
        let named = |file: &&DifferentFile| check_attribute_files(&self.root, &file.name).is_ok();
        let names: HashSet<&str> = files.iter().filter(named).map(|file| file.name.as_str()).collect();
        if names.is_empty() {
            return Ok(HashMap::new());
        }
        let question = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding", "text", "eol"];
        let listed: Vec<&str> = names.iter().copied().collect();
        let answer = self.git.answer(&question, listed.join("\0").into_bytes())?;
        let mut found: HashMap<String, FileAttributes> = HashMap::new();
        let words: Vec<&str> = answer.split_terminator('\0').collect();
        for line in words.chunks_exact(3) {
            if let Some(name) = names.get(line[0]) {
                found.entry((*name).to_owned()).or_default().read(line[1], line[2]);
            }
        }
        Ok(found)
    }

    /// The line ends of a file that git would compare; the error says why it would compare something else than the text.
    fn comparable(&self, file: &DifferentFile, attributes: FileAttributes) -> Result<StoredLineEnds, String> {
        check_attribute_files(&self.root, &file.name)?;
        if attributes.is_filtered {
            return Err("its attributes name a filter or an encoding, which is not run".to_owned());
        }
        let has_crlf = |bytes: &[u8]| bytes.windows(2).any(|two| two == b"\r\n");
        let normalised = match attributes.line_ends {
            LineEnds::Text => true,
            LineEnds::Auto => !has_crlf(&file.before),
            LineEnds::Unspecified => self.converts_line_ends && !has_crlf(&file.before),
            LineEnds::Kept => false,
        };
        Ok(if normalised { StoredLineEnds::Lf } else { StoredLineEnds::AsTheyAre })
    }
}

/// Whether the text of a file is what its pointer of Git LFS at the base stands for. (No filter is needed to know: the pointer has the digest.)
fn is_stored_by_lfs(file: &DifferentFile) -> bool {
    let Ok(pointer) = std::str::from_utf8(&file.before) else { return false };
    let mut lines = pointer.lines();
    lines.next() == Some("version https://git-lfs.github.com/spec/v1")
        && lines.find_map(|line| line.strip_prefix("oid sha256:")).is_some_and(|stored| {
            let digest = Sha256::digest(&file.now);
            digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>() == stored
        })
}

/// The message about a file that was not compared.
pub fn not_compared(path: &Path, reason: &str) -> String {
    format!("cannot compare {}: {reason}", path.display())
}

/// How a file changed, byte by byte.
enum FileChange {
    /// The base has no such file: all of its lines are new.
    New,
    Unchanged,
    Different(DifferentFile),
    NotCompared(String),
}

impl StoredLineEnds {
    /// A text as it is compared: a byte order mark is not a change, because the check may have removed it.
    fn text(self, text: &str) -> ComparedText {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = if self == StoredLineEnds::Lf { text.replace("\r\n", "\n") } else { text.to_owned() };
        ComparedText { text, line_ends: self }
    }
}

/// What the attributes of a file say about its bytes in the work tree.
#[derive(Clone, Copy, Default)]
struct FileAttributes {
    /// A filter or an encoding is named.
    is_filtered: bool,
    line_ends: LineEnds,
}

/// Which line ends git stores.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum LineEnds {
    /// Those of the settings.
    #[default]
    Unspecified,
    /// LF, if the stored text has no CRLF.
    Auto,
    /// LF.
    Text,
    /// Those of the work tree.
    Kept,
}

impl FileAttributes {
    /// Reads the value of an attribute, as `git check-attr` prints it.
    fn read(&mut self, attribute: &str, value: &str) {
        let is_given = !matches!(value, "unspecified" | "unset");
        match (attribute, value) {
            ("filter" | "working-tree-encoding", _) => self.is_filtered |= is_given,
            ("text", "set" | "input") => self.line_ends = LineEnds::Text,
            ("text", "unset") => self.line_ends = LineEnds::Kept,
            ("text", "auto") => self.line_ends = LineEnds::Auto,
            ("eol", "lf" | "crlf") if self.line_ends == LineEnds::Unspecified => self.line_ends = LineEnds::Text,
            _ => {}
        }
    }
}

/// The objects of files and their names, from `ls-tree -z`: `MODE TYPE OBJECT<tab>NAME`.
fn blobs(listing: &str) -> HashMap<String, String> {
    let blob = |line: &str| {
        let (about, name) = line.split_once('\t')?;
        let mut words = about.split(' ').skip(1);
        (words.next() == Some("blob")).then_some((name.to_owned(), words.next()?.to_owned()))
    };
    listing.split_terminator('\0').filter_map(blob).collect()
}

/// The renamed files and their names before, from `--name-status -z`: a status and two names.
fn renamed_files(listing: &str) -> HashMap<String, String> {
    let words: Vec<&str> = listing.split_terminator('\0').collect();
    words.chunks_exact(3).map(|line| (line[2].to_owned(), line[1].to_owned())).collect()
}

/// The lines of a text that are not in an earlier one, from 0.
fn changed_lines(before: &str, now: &str) -> Vec<Range<usize>> {
    let difference = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(before, now);
    let changed = difference.ops().iter().filter(|part| !matches!(part, DiffOp::Equal { .. }));
    changed.map(DiffOp::new_range).filter(|lines| !lines.is_empty()).collect()
}

/// Whether a diagnostic, or a place that it refers to, such as the `.target` directive, is on one of the lines.
fn touches(text: &Rope, diagnostic: &Diagnostic, lines: &[Range<usize>]) -> bool {
    let line = |byte: usize| Position::of(text, byte).line;
    let is_changed = |range: &Range<usize>| {
        let (first, last) = (line(range.start), line(range.end));
        // The changed lines are in order and apart.
        let next = lines.partition_point(|changed| changed.end <= first);
        lines.get(next).is_some_and(|changed| changed.start <= last)
    };
    std::iter::once(&diagnostic.range).chain(diagnostic.related.iter().map(|related| &related.range)).any(is_changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_those_of_the_new_text() {
        let lines = |before: &str, now: &str| -> Vec<(usize, usize)> {
            changed_lines(before, now).into_iter().map(|lines| (lines.start, lines.end)).collect()
        };
        assert_eq!(lines("a\nb\nc\n", "a\nx\ny\nc\n"), [(1, 3)]);
        assert_eq!(lines("a\nb\nc\n", "a\nc\n"), []);
        assert_eq!(lines("", "a\n"), [(0, 1)]);
        assert_eq!(lines("a\nb", "a\nb\n"), [(1, 2)], "a line break at the end is a change, as in git");
    }

    #[test]
    fn listings_of_git_are_read() {
        let files = blobs("100644 blob 12ab\ta b.ptx\x00160000 commit 34cd\tinner\x00100755 blob 56ef\tc\td\0");
        let expected = [("a b.ptx", "12ab"), ("c\td", "56ef")];
        assert_eq!(files, expected.map(|(name, id)| (name.to_owned(), id.to_owned())).into());
        assert_eq!(renamed_files("R090\0old.ptx\0new.ptx\0")["new.ptx"], "old.ptx");
    }
}
