//! Where instructions are in the texts of their author: of a call that was inlined the innermost place that is not in an installed header.

use crate::render::SourceLines;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use syntax::{LintFile, SourceLocation};

/// The source that a compiler has made a module of.
#[derive(Debug)]
pub struct CompiledSource {
    /// The path as it was given.
    pub path: PathBuf,
    /// The path as the module names it.
    pub absolute: PathBuf,
    /// The text.
    pub text: String,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The path as it is shown.
    pub path: String,
    /// The line, from 1 on.
    pub line: usize,
    /// The column, from 1 on; 0 if it is not known.
    pub column: usize,
    /// The text; `None` if it is not read.
    pub text: Option<Rc<str>>,
}

/// Where an instruction is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorPlace {
    /// Its place.
    pub place: TextPlace,
    /// The places that it was inlined at, the innermost first.
    pub callers: Vec<TextPlace>,
}

/// Finds places in the texts of an author.
pub struct AuthorPlaces<'p> {
    file: &'p LintFile,
    source: &'p CompiledSource,
    text: Rc<str>,
    others: SourceLines,
}

impl<'p> AuthorPlaces<'p> {
    /// Those of a module.
    pub fn new(file: &'p LintFile, source: &'p CompiledSource) -> Self {
        Self { file, source, text: source.text.as_str().into(), others: SourceLines::default() }
    }

    /// The path of the source as it is shown.
    pub fn path(&self) -> String {
        shown(&self.source.path)
    }

    /// The text of a line of the source.
    pub fn line_text(&self, line: usize) -> &str {
        self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default()
    }

    /// Whether a line of the source begins with a statement: the code before it ends with one, or begins a block.
    pub fn is_statement(&self, line: usize) -> bool {
        let code = |line: &str| line.split("//").next().unwrap_or(line).trim().to_owned();
        let lines = self.text.lines().take(line).map(code);
        let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect::<Vec<_>>();
        let Some(own) = lines.pop() else { return false };
        let continues = own.starts_with(['}', '{', '.', ',', '?', ':', '+', '-', '*', '/', '&', '|', '<'])
            || own.starts_with("else");
        !continues && lines.last().is_some_and(|before| before.ends_with([';', '{', '}']))
    }

    /// The places of the code at some offsets of the module.
    pub fn of(&self, offsets: &[usize]) -> Vec<Option<AuthorPlace>> {
        let mut ascending = offsets.to_vec();
        ascending.sort_unstable();
        ascending.dedup();
        let locations = self.file.source_locations(&self.file.module_items(), &ascending);
        let found = |offset: &usize| locations[ascending.binary_search(offset).ok()?].as_deref();
        offsets.iter().map(|offset| Some(self.author_place(found(offset)?))).collect()
    }

    fn author_place(&self, location: &SourceLocation) -> AuthorPlace {
        let mut places: Vec<TextPlace> = location.places().map(|place| self.text_place(place)).collect();
        // Of code that is nowhere the author's, where it is called.
        let first = places.iter().position(|place| place.text.is_some()).unwrap_or(places.len() - 1);
        let callers = places.split_off(first + 1);
        let place = places.swap_remove(first);
        AuthorPlace { place, callers: callers.into_iter().filter(|one| one.text.is_some()).collect() }
    }

    fn text_place(&self, place: &SourceLocation) -> TextPlace {
        let path = Path::new(&place.path);
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (path, text) = match path == self.source.absolute {
            true => (self.source.path.as_path(), Some(Rc::clone(&self.text))),
            false => (path, self.others.text(&place.path).filter(|_| !is_installed(path))),
        };
        let path = shown(path);
        let text = text.filter(|text| text.lines().count() >= number(place.line));
        TextPlace { path, line: number(place.line), column: number(place.column), text }
    }
}

/// A path, relative to the working directory if it is in it.
fn shown(path: &Path) -> String {
    let folder = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&folder).unwrap_or(path).display().to_string()
}

/// Whether a file is one of an installed package, in a folder whose name says so.
fn is_installed(path: &Path) -> bool {
    let is_it = |name: &str| name.starts_with('.') || name == "site-packages" || name == "node_modules";
    let name = |component: Component| match component {
        Component::Normal(name) => name.to_str().is_some_and(is_it),
        _ => false,
    };
    path.components().any(name)
}
