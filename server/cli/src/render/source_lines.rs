//! The lines that code was generated from, read from files in the working directory.

use project::read;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use syntax::SourceLocation;

/// Files that were read, by their paths in `.file` directives.
#[derive(Default)]
pub struct SourceLines(RefCell<HashMap<String, Option<Rc<str>>>>);

impl SourceLines {
    /// The line of a place; `None` if the file is not in the working directory, or cannot be read.
    ///
    /// A module may name any file of the machine, and what is printed may become public, so other files are not read.
    pub fn line(&self, place: &SourceLocation) -> Option<String> {
        let line = usize::try_from(place.line.checked_sub(1)?).ok()?;
        self.text(&place.path)?.lines().nth(line).map(str::to_owned)
    }

    /// The text of a file in the working directory.
    pub fn text(&self, path: &str) -> Option<Rc<str>> {
        let mut files = self.0.borrow_mut();
        let text = files.entry(path.to_owned()).or_insert_with(|| {
            let path = within_working_directory(Path::new(path))?;
            read::regular_file(&path).ok().map(Rc::from)
        });
        text.clone()
    }
}

/// The real path of a file, if it is in the working directory.
fn within_working_directory(path: &Path) -> Option<PathBuf> {
    let folder = std::env::current_dir().ok()?.canonicalize().ok()?;
    path.canonicalize().ok().filter(|path| path.starts_with(folder))
}
