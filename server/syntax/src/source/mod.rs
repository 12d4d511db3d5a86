//! A text with its tree, and edits to both.

mod lint;
mod open_comments;

pub use crate::source::lint::LintFile;

use crate::resolution::outline::ModuleOutline;
use crate::source::open_comments::parsed_length;
use ropey::Rope;
use std::cell::Cell;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};
use tree_sitter::{InputEdit, Language, Node, Parser, Point, Tree};

/// A line and column; both start at 0, columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Lines before it; a line ends at LF, CRLF or CR.
    pub line: usize,
    /// Scalar values before it in its line.
    pub column: usize,
}

impl Position {
    /// The position of a byte offset in a text.
    pub fn of(text: &Rope, byte: usize) -> Self {
        let char = text.byte_to_char(byte);
        let line = text.char_to_line(char);
        Position { line, column: char - text.line_to_char(line) }
    }
}

/// A text with an error of at most this length, in bytes, is parsed afresh after an edit, in a few milliseconds.
const AFRESH: usize = 64 << 10;

/// A PTX text with its full tree; it dereferences to a [`LintFile`]. Cloning is cheap: text and tree are shared.
#[derive(Clone, Debug)]
pub struct SourceFile {
    file: LintFile,
    /// Made on demand.
    outline: Arc<OnceLock<ModuleOutline>>,
    /// That of the text before the last edits, if it was made.
    previous: Arc<OnceLock<ModuleOutline>>,
}

impl Deref for SourceFile {
    type Target = LintFile;

    fn deref(&self) -> &LintFile {
        &self.file
    }
}

impl AsRef<LintFile> for SourceFile {
    fn as_ref(&self) -> &LintFile {
        &self.file
    }
}

impl From<SourceFile> for LintFile {
    fn from(file: SourceFile) -> Self {
        file.file
    }
}

impl SourceFile {
    /// Parses a text.
    pub fn parse(text: &str) -> Self {
        Self::of(Rope::from_str(text))
    }

    pub(crate) fn of(rope: Rope) -> Self {
        let tree = parse(&rope, None);
        SourceFile::known(LintFile::whole_of(rope, tree))
    }

    /// A file that is known to have its full tree.
    pub(crate) fn known(file: LintFile) -> Self {
        SourceFile { file, outline: Arc::default(), previous: Arc::default() }
    }

    /// The byte ranges of the module's items: directives, variables, functions and the comments between them.
    pub fn items(&self) -> Vec<Range<usize>> {
        let mut cursor = self.root().walk();
        self.root().children(&mut cursor).map(|item| item.byte_range()).collect()
    }

    /// The byte ranges of the items that overlap a byte range.
    pub fn items_in(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut cursor = self.root().walk();
        let mut found = Vec::new();
        let mut more = cursor.goto_first_child_for_byte(range.start).is_some();
        while more && cursor.node().start_byte() < range.end {
            found.push(cursor.node().byte_range());
            more = cursor.goto_next_sibling();
        }
        found
    }

    /// The byte ranges of the items that are neither functions nor declarations, but may mention names: debug sections and broken code.
    pub fn other_items(&self) -> Vec<Range<usize>> {
        self.outline().unknown()
    }

    /// The byte ranges of the items with a syntax error; the whole text if there is an error between items.
    pub fn broken_items(&self) -> Vec<Range<usize>> {
        if !self.root().has_error() {
            return Vec::new();
        }
        let whole = 0..self.text().len_bytes();
        let mut cursor = self.root().walk();
        let items = self.root().children(&mut cursor).filter(|item| item.has_error());
        let broken: Option<Vec<_>> =
            items.map(|item| (!item.is_error() && !item.is_missing()).then(|| item.byte_range())).collect();
        broken.filter(|_| !self.root().is_error()).unwrap_or_else(|| vec![whole])
    }

    /// The byte ranges of all nodes around a byte range, innermost first, each larger than the last; the last is the whole text.
    pub fn around(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut found: Vec<_> = std::iter::once(0..self.text().len_bytes()).collect();
        let mut cursor = self.root().walk();
        loop {
            let here = cursor.node().byte_range();
            if here.start <= range.start && range.end <= here.end && found.last() != Some(&here) {
                found.push(here);
            }
            let mut more = cursor.goto_first_child_for_byte(range.start).is_some() || cursor.goto_first_child();
            while more && !(cursor.node().start_byte() <= range.start && range.end <= cursor.node().end_byte()) {
                more = cursor.node().start_byte() <= range.start && cursor.goto_next_sibling();
            }
            if !more {
                found.reverse();
                return found;
            }
        }
    }

    /// Replaces a byte range and updates the tree. The range must be on character boundaries of the text.
    pub fn edit(&mut self, range: Range<usize>, new: &str) {
        self.edit_all([(range, new)]);
    }

    /// Applies edits in order, each range in the text after the previous edits, and updates the tree once.
    pub fn edit_all<'a>(&mut self, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) {
        let mut rope = self.text().clone();
        let mut tree = self.tree().clone();
        let was_cut = parsed_length(&rope) < rope.len_bytes();
        for (range, new) in edits {
            splice(&mut rope, &mut tree, range, new);
        }
        // Broken text has several possible trees, and reused nodes affect the choice. In short texts,
        // the result shall not depend on the edits that led to it.
        let is_short = rope.len_bytes() <= AFRESH;
        let is_cut = was_cut || parsed_length(&rope) < rope.len_bytes();
        // A text that was broken before an edit mostly is after it, too: parsed afresh at once, it is parsed once.
        let is_afresh = is_cut || is_short && tree.root_node().has_error();
        let mut new = parse(&rope, Some(&tree).filter(|_| !is_afresh));
        if is_short && new.root_node().has_error() && !tree.root_node().has_error() {
            new = parse(&rope, None);
        }
        self.file = LintFile::whole_of(rope, new);
        let outline = std::mem::take(&mut self.outline);
        if outline.get().is_some() {
            self.previous = outline;
        }
    }

    /// The items that declare names.
    pub(crate) fn outline(&self) -> &ModuleOutline {
        self.outline.get_or_init(|| ModuleOutline::new(self.text(), self.tree(), self.previous.get()))
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree().root_node()
    }
}

/// Replaces a byte range of a text.
///
/// # Panics
/// If the range is not on character boundaries.
pub fn replace(rope: &mut Rope, range: Range<usize>, new: &str) {
    let start = rope.byte_to_char(range.start);
    rope.remove(start..rope.byte_to_char(range.end));
    rope.insert(start, new);
}

/// Replaces a byte range of a text, and marks it in the tree.
pub(crate) fn splice(rope: &mut Rope, tree: &mut Tree, range: Range<usize>, new: &str) {
    let start_position = point(rope, range.start);
    let old_end_position = point(rope, range.end);
    replace(rope, range.clone(), new);
    let new_end = range.start + new.len();
    tree.edit(&InputEdit {
        start_byte: range.start,
        old_end_byte: range.end,
        new_end_byte: new_end,
        start_position,
        old_end_position,
        new_end_position: point(rope, new_end),
    });
}

/// Parses a PTX text.
pub(crate) fn parse(rope: &Rope, old: Option<&Tree>) -> Tree {
    parse_up_to(&grammar::LANGUAGE.into(), rope, parsed_length(rope), old)
}

pub(crate) const ABI: &str = "the grammar's ABI is one that this tree-sitter reads";

/// Parses a text in a language.
pub(crate) fn parse_as(language: &Language, rope: &Rope, old: Option<&Tree>) -> Tree {
    parse_up_to(language, rope, rope.len_bytes(), old)
}

/// Parses the first bytes of a text in a language.
fn parse_up_to(language: &Language, rope: &Rope, length: usize, old: Option<&Tree>) -> Tree {
    // A parser keeps its stacks: for a text as short as a statement in C++, allocating them takes longer than parsing.
    let mut parser = PARSER.take().unwrap_or_default();
    parser.set_language(language).expect(ABI);
    let mut chunk_at = |byte: usize, _| {
        if byte < length {
            let (chunk, start, _, _) = rope.chunk_at_byte(byte);
            &chunk.as_bytes()[byte - start..chunk.len().min(length - start)]
        } else {
            &[]
        }
    };
    let tree = parser.parse_with_options(&mut chunk_at, old, None);
    if rope.len_bytes() <= AFRESH {
        PARSER.set(Some(parser));
    }
    tree.expect("a parser with a language and without a time limit answers")
}

thread_local! {
    /// The parser of the last short text.
    static PARSER: Cell<Option<Parser>> = const { Cell::new(None) };
}

fn point(rope: &Rope, byte: usize) -> Point {
    let row = rope.byte_to_line(byte);
    Point { row, column: byte - rope.line_to_byte(row) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_around_a_place_grow_to_the_whole_text() {
        let text = ".entry k() {\n add.u32 a, b, 1; }\n";
        let file = SourceFile::parse(text);
        let at = text.find("b,").unwrap();
        let shown: Vec<_> = file.around(at..at + 1).into_iter().map(|range| text[range].to_owned()).collect();
        assert_eq!(
            shown,
            ["b", "add.u32 a, b, 1;", "{\n add.u32 a, b, 1; }", ".entry k() {\n add.u32 a, b, 1; }", text]
        );
        assert_eq!(file.around(text.len()..text.len()).len(), 1);
    }
}
