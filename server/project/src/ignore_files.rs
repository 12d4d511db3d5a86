//! Ignore files: `.ignore`, `.gitignore`, `.git/info/exclude` and the user's own excludes, as git and ripgrep apply them.
//!
//! They come with a folder that nobody may have looked at, so they are read as settings files are: regular files of at most 1 MiB, no links out of the
//! repository. The rest is refused by name.

use crate::git_folder::excludes_of;
use crate::links::is_outside;
use crate::read;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The maximum number of bytes of the ignore files that apply to one file. Compiled patterns take 30 times as much.
const MAX_APPLIED: usize = 4 << 20;

/// The patterns of the folders around the entry that a walk is at.
pub(crate) struct IgnoreFiles {
    /// From the outermost folder to the innermost.
    folders: Vec<FolderPatterns>,
    /// The user's own patterns for all repositories.
    global: Gitignore,
    /// The real path of the folder that is walked.
    root: PathBuf,
    /// User-facing messages about files that were refused.
    refused: Vec<String>,
}

/// The patterns in one folder.
struct FolderPatterns {
    folder: PathBuf,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    /// The patterns of files that are vendored, by `.gitattributes` and `.gitmodules`.
    vendored: Gitignore,
    has_git: bool,
    is_submodule: bool,
    /// The number of bytes read.
    size: usize,
}

impl FolderPatterns {
    /// Whether the patterns mark a folder that is walked, so that they tell nothing of what is in it.
    fn matches_all_of(&self, root: &Path) -> bool {
        root.starts_with(&self.folder) && self.vendored.matched_path_or_any_parents(root.join("any"), false).is_ignore()
    }
}

impl IgnoreFiles {
    /// Those of a folder and of its parents.
    pub fn around(folder: &Path) -> Self {
        let root = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut made = IgnoreFiles { folders: Vec::new(), global: Gitignore::empty(), root, refused: Vec::new() };
        if let Some(file) = gitconfig_excludes_path() {
            let (patterns, _) = made.read(&file, &made.root.clone(), None, 0);
            made.global = patterns;
        }
        let root = made.root.clone();
        let mut parents: Vec<&Path> = root.ancestors().skip(1).collect();
        parents.reverse();
        parents.into_iter().for_each(|parent| made.enter(parent));
        made
    }

    /// Whether a walk leaves out an entry: a hidden one, or one that a pattern matches. The path is below the walked folder; entries of a folder come
    /// after those of the folders around it.
    pub fn leave_out(&mut self, inner: &Path, is_folder: bool) -> bool {
        let path = self.root.join(inner);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        while self.folders.last().is_some_and(|last| !folder.starts_with(&last.folder)) {
            self.folders.pop();
        }
        if self.folders.last().is_none_or(|last| last.folder != folder) {
            self.enter(folder);
        }
        match self.matched(&path, is_folder) {
            Match::Ignore(()) => true,
            Match::Whitelist(()) => name == OsStr::new(".git"),
            Match::None => name.as_encoded_bytes().starts_with(b"."),
        }
    }

    /// Whether the entry that the walk is at belongs to a copy of somebody else's code: in a folder that is named so, in a submodule, or marked
    /// `linguist-vendored` in `.gitattributes`. What is said of the walked folder itself does not count, because a user has named it.
    pub fn is_vendored(&self, inner: &Path) -> bool {
        let path = self.root.join(inner);
        let is_inner = |folder: &Path| folder != self.root && folder.starts_with(&self.root);
        let mut names = inner.parent().into_iter().flat_map(Path::components);
        if names.any(|name| name.as_os_str().to_str().is_some_and(is_vendor_folder)) {
            return true;
        }
        let mut marked = Match::None;
        for folder in self.folders.iter().rev() {
            if folder.is_submodule && is_inner(&folder.folder) {
                return true;
            }
            if marked.is_none() && !folder.matches_all_of(&self.root) {
                marked = folder.vendored.matched_path_or_any_parents(&path, false).map(|_| ());
            }
            if folder.has_git {
                break;
            }
        }
        marked.is_ignore()
    }

    /// Takes the user-facing messages about files that were refused.
    pub fn take_refused(&mut self) -> Vec<String> {
        std::mem::take(&mut self.refused)
    }

    /// Reads the files in a folder.
    fn enter(&mut self, folder: &Path) {
        let has_git = folder.join(".git").exists();
        // The folders around it were entered before it.
        let repository = self.folders.iter().rev().find(|folder| folder.has_git).map(|around| around.folder.clone());
        let around = repository.as_deref().filter(|_| !has_git).unwrap_or(folder);
        let applied: usize = self.folders.iter().map(|folder| folder.size).sum();
        let (ignore, first) = self.read(&folder.join(".ignore"), folder, Some(around), applied);
        let (gitignore, second) = self.read(&folder.join(".gitignore"), folder, Some(around), applied + first);
        let (mut exclude, mut third) = (Gitignore::empty(), 0);
        if let Some((file, git_folder)) = excludes_of(folder).filter(|_| has_git) {
            (exclude, third) = self.read(&file, folder, Some(&git_folder), applied + first + second);
        }
        let (attributes, fourth) =
            self.text(&folder.join(".gitattributes"), Some(around), applied + first + second + third);
        let (modules, fifth) = match has_git || folder == self.root {
            true => self.text(&folder.join(".gitmodules"), Some(around), applied + first + second + third + fourth),
            false => (String::new(), 0),
        };
        let vendored = compile(folder, &(vendored_patterns(&attributes) + &submodule_patterns(&modules)));
        let size = first + second + third + fourth + fifth;
        // A repository in a submodule is elsewhere, and `.git` is a file that says where.
        let is_submodule = has_git && folder.join(".git").is_file();
        self.folders.push(FolderPatterns {
            folder: folder.to_owned(),
            ignore,
            gitignore,
            exclude,
            vendored,
            has_git,
            is_submodule,
            size,
        });
    }

    /// The patterns of a file, relative to a folder, and the number of its bytes. It must not be a link out of the given folder.
    fn read(&mut self, file: &Path, folder: &Path, inside: Option<&Path>, applied: usize) -> (Gitignore, usize) {
        let (text, size) = self.text(file, inside, applied);
        let patterns = if text.is_empty() { Gitignore::empty() } else { compile(folder, &text) };
        (patterns, size)
    }

    /// The text of a file, and the number of its bytes.
    fn text(&mut self, file: &Path, inside: Option<&Path>, applied: usize) -> (String, usize) {
        if file.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return (String::new(), 0);
        }
        let text = if inside.is_some_and(|inside| is_outside(file, inside)) {
            Err("symbolic link out of the folder and its repository".to_owned())
        } else {
            match read::patterns_of_folder(file) {
                Ok(bytes) if applied + bytes.len() > MAX_APPLIED => {
                    Err("the ignore files of the folders around it are larger than 4 MiB".to_owned())
                }
                Ok(bytes) => Ok(read::decode(bytes)),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    return (String::new(), 0);
                }
                Err(error) => Err(read::reason(&error)),
            }
        };
        match text {
            Ok(text) => {
                let size = text.len();
                (text, size)
            }
            Err(reason) => {
                self.refused.push(format!("cannot use {}: {reason}", file.display()));
                (String::new(), 0)
            }
        }
    }

    /// What the innermost pattern for a path says, in git's order: `.ignore`, `.gitignore`, `.git/info/exclude`, the user's own. Patterns of git end at the
    /// repository's folder.
    fn matched(&self, path: &Path, is_folder: bool) -> Match<()> {
        let (mut ignore, mut gitignore, mut exclude) = (Match::None, Match::None, Match::None);
        let mut is_in_repository = true;
        for folder in self.folders.iter().rev() {
            let first = |known: Match<()>, patterns: &Gitignore| {
                if known.is_none() { patterns.matched(path, is_folder).map(|_| ()) } else { known }
            };
            ignore = first(ignore, &folder.ignore);
            if is_in_repository {
                gitignore = first(gitignore, &folder.gitignore);
                exclude = first(exclude, &folder.exclude);
            }
            is_in_repository &= !folder.has_git;
        }
        ignore.or(gitignore).or(exclude).or(self.global.matched(path, is_folder).map(|_| ()))
    }
}

/// Whether a folder has copies of others' code, by its name.
fn is_vendor_folder(name: &str) -> bool {
    let letters: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect();
    matches!(&*letters.to_ascii_lowercase(), "thirdparty" | "3rdparty" | "vendor" | "vendors" | "vendored")
}

/// The patterns that a `.gitattributes` marks as vendored, as those of a `.gitignore`. The last one counts there, too.
fn vendored_patterns(attributes: &str) -> String {
    let mut patterns = String::new();
    for line in attributes.lines().map(str::trim).filter(|line| !line.starts_with(['#', '"', '!', '['])) {
        let mut words = line.split_ascii_whitespace();
        let Some(pattern) = words.next() else { continue };
        let mut marks = words.filter_map(|word| match word {
            "linguist-vendored" | "linguist-vendored=true" => Some(""),
            "-linguist-vendored" | "linguist-vendored=false" => Some("!"),
            _ => None,
        });
        if let Some(sign) = marks.next_back() {
            patterns += &format!("{sign}{pattern}\n");
        }
    }
    patterns
}

/// The folders of submodules in a `.gitmodules`, as patterns of a `.gitignore`.
fn submodule_patterns(modules: &str) -> String {
    let paths = modules.lines().filter_map(|line| line.trim().strip_prefix("path")?.trim_start().strip_prefix('='));
    let folders = paths.map(|path| path.trim().trim_matches(['/', '"'])).filter(|path| !path.is_empty());
    folders.map(|folder| format!("/{folder}/\n")).collect()
}

/// The patterns of a text. Lines that are no patterns count for nothing, as in git.
fn compile(folder: &Path, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
