//! A text with its tree, and edits to both.
//!
//! Must not know what the nodes mean.

use crate::outline::{Outline, Part, Piece, outline};
use rayon::prelude::*;
use ropey::Rope;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{InputEdit, Language, Node, Parser, Point, Tree};

/// A place for people: both counts start at 0, columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Lines before it; a line ends at LF, CRLF or CR.
    pub line: usize,
    /// Scalar values before it in its line.
    pub column: usize,
}

impl Position {
    /// The place of a byte offset in a text.
    pub fn of(text: &Rope, byte: usize) -> Self {
        let char = text.byte_to_char(byte);
        let line = text.char_to_line(char);
        Position { line, column: char - text.line_to_char(line) }
    }
}

/// Up to this length, in bytes, a text with an error is parsed afresh after an edit: a matter of a few milliseconds.
const AFRESH: usize = 64 << 10;

/// A PTX text with its tree. Cloning is cheap: text and tree are shared.
#[derive(Clone, Debug)]
pub struct SourceFile {
    rope: Rope,
    tree: Tree,
    /// The trees of the parts behind the first; none after [`parse`](SourceFile::parse).
    more: Arc<[Tree]>,
    /// What the trees leave out, in order.
    plain: Arc<[Piece]>,
    /// The items that they leave out as a whole, in order.
    items: Arc<[Range<u32>]>,
    /// Whether it is known that no comment is for us.
    unaddressed: bool,
}

impl SourceFile {
    /// Parses a text.
    pub fn parse(text: &str) -> Self {
        Self::of(Rope::from_str(text))
    }

    fn of(rope: Rope) -> Self {
        let (more, plain, items) = Default::default();
        SourceFile { tree: parse(&rope, None), rope, more, plain, items, unaddressed: false }
    }

    /// Parses a text for a single pass over it: [`walk`](crate::walk), [`module_items`](SourceFile::module_items), [`header`](SourceFile::header) and
    /// [`syntax_errors`](crate::syntax_errors) say the same as after [`parse`](SourceFile::parse), several times as fast. What else asks for the
    /// tree may miss instructions in plain spelling.
    pub fn skim(text: &str) -> Self {
        // What is addressed to us may stand in any comment, and is looked for in the tree.
        if text.contains("ptx-atomics:") {
            return Self::parse(text);
        }
        let (rope, outlined) = rayon::join(|| Rope::from_str(text), || outlined(text));
        let Some((outline, tree, more)) = outlined else { return Self::of(rope) };
        let Outline { pieces, items, addressed, .. } = outline;
        let (more, plain, items) = (more.into(), pieces.into(), items.into());
        SourceFile { rope, tree, more, plain, items, unaddressed: !addressed }
    }

    /// How many instructions, names and braces the tree leaves out; none after [`parse`](SourceFile::parse).
    pub fn skimmed(&self) -> usize {
        self.plain.len()
    }

    /// What lies in a byte range and the tree leaves out, in order.
    pub(crate) fn plain_in(&self, range: Range<usize>) -> &[Piece] {
        let at = |byte: usize| self.plain.partition_point(|piece| piece.start() < byte);
        &self.plain[at(range.start)..at(range.end)]
    }

    /// Whether some comment may be for us (`//=`, `//!`, `/*!`, or one that names us) rather than for people; cheap, and `true` where it is not known.
    pub fn is_addressed(&self) -> bool {
        !self.unaddressed
    }

    /// The items that no tree holds, in order.
    pub(crate) fn plain_items(&self) -> &[Range<u32>] {
        &self.items
    }

    /// The text.
    pub fn text(&self) -> &Rope {
        &self.rope
    }

    /// The text of a byte range.
    pub fn slice(&self, range: &Range<usize>) -> String {
        self.text().byte_slice(range.clone()).to_string()
    }

    /// The line and column of a byte offset.
    pub fn position(&self, byte: usize) -> Position {
        Position::of(&self.rope, byte)
    }

    /// The nearest byte offset at or before this one that lies in the text, and not inside a character.
    pub fn clamp(&self, byte: usize) -> usize {
        self.rope.char_to_byte(self.rope.byte_to_char(byte.min(self.rope.len_bytes())))
    }

    /// The byte ranges of what the module is made of: its directives, variables, functions and the comments between them.
    pub fn items(&self) -> Vec<Range<usize>> {
        let mut cursor = self.root().walk();
        self.root().children(&mut cursor).map(|item| item.byte_range()).collect()
    }

    /// The byte ranges of the items that hold a syntax error; the whole text where an error lies between items.
    pub fn broken_items(&self) -> Vec<Range<usize>> {
        if !self.root().has_error() {
            return Vec::new();
        }
        let whole = 0..self.rope.len_bytes();
        let mut cursor = self.root().walk();
        let items = self.root().children(&mut cursor).filter(|item| item.has_error());
        let broken: Option<Vec<_>> =
            items.map(|item| (!item.is_error() && !item.is_missing()).then(|| item.byte_range())).collect();
        broken.filter(|_| !self.root().is_error()).unwrap_or_else(|| vec![whole])
    }

    /// The byte ranges of all nodes around a byte range, innermost first, each larger than the last, the whole text at the end.
    pub fn around(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut found: Vec<_> = std::iter::once(0..self.rope.len_bytes()).collect();
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

    /// Whether a byte range holds a word's bytes anywhere, as a whole word or not. Fast: for narrowing a search down.
    pub fn holds(&self, range: Range<usize>, word: &str) -> bool {
        let finder = memchr::memmem::Finder::new(word);
        // A word may lie across pieces of the text: the end of what was seen is kept, and looked at with what follows.
        let keep = word.len().saturating_sub(1);
        let mut seam: Vec<u8> = Vec::with_capacity(2 * keep);
        for chunk in self.rope.byte_slice(range).chunks().map(str::as_bytes) {
            seam.extend(&chunk[..keep.min(chunk.len())]);
            if finder.find(chunk).is_some() || finder.find(&seam).is_some() {
                return true;
            }
            if chunk.len() >= keep {
                seam.clear();
                seam.extend(&chunk[chunk.len() - keep..]);
            } else {
                seam.drain(..seam.len().saturating_sub(keep));
            }
        }
        false
    }

    /// Replaces a byte range and brings the tree up to date. The range must lie on character boundaries of the text.
    pub fn edit(&mut self, range: Range<usize>, new: &str) {
        self.edit_all([(range, new)]);
    }

    /// Applies edits one after the other, each range in the text that the former ones left, and brings the tree up to date once.
    pub fn edit_all<'a>(&mut self, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) {
        for (range, new) in edits {
            splice(&mut self.rope, &mut self.tree, range, new);
        }
        if !self.plain.is_empty() || !self.more.is_empty() {
            self.tree = parse(&self.rope, None);
            (self.more, self.plain, self.items, self.unaddressed) = Default::default();
            return;
        }
        self.tree = parse(&self.rope, Some(&self.tree));
        // Text that is no PTX has several readings, and what is reused tips the scales between them. Where it costs little,
        // the answer shall not depend on how the text came about.
        if self.rope.len_bytes() <= AFRESH && self.tree.root_node().has_error() {
            self.tree = parse(&self.rope, None);
        }
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The roots of all parts, one after the other.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        std::iter::once(&self.tree).chain(&*self.more).map(Tree::root_node)
    }
}

/// Replaces a byte range of a text, and tells its tree where.
pub(crate) fn splice(rope: &mut Rope, tree: &mut Tree, range: Range<usize>, new: &str) {
    let start_position = point(rope, range.start);
    let old_end_position = point(rope, range.end);
    let start = rope.byte_to_char(range.start);
    rope.remove(start..rope.byte_to_char(range.end));
    rope.insert(start, new);
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
    parse_as(&grammar::LANGUAGE.into(), rope, old)
}

/// Reads a text by hand, and parses what that leaves; `None` where that is not certain to be the same as parsing all of it.
fn outlined(text: &str) -> Option<(Outline, Tree, Vec<Tree>)> {
    let outline = outline(text)?;
    let (tree, more) = parse_parts(text, &outline.parts)?;
    Some((outline, tree, more))
}

/// Parses the parts of a PTX text but for their holes: the first tree and the others. `None` where one has an error: broken text has
/// several readings, and what is left out tips the scales between them.
fn parse_parts(text: &str, parts: &[Part]) -> Option<(Tree, Vec<Tree>)> {
    let trees: Option<Vec<Tree>> = parts.par_iter().map(|part| parse_part(text, part)).collect();
    let mut trees = trees?.into_iter();
    Some((trees.next()?, trees.collect()))
}

fn parse_part(text: &str, part: &Part) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar::LANGUAGE.into()).expect(ABI);
    let starts = std::iter::once(part.range.start).chain(part.holes.iter().map(|hole| hole.end));
    let ends = part.holes.iter().map(|hole| hole.start).chain([part.range.end]);
    // Lines and columns are never asked of such a tree.
    let (start_point, end_point) = (Point::default(), Point::default());
    let piece = |(start_byte, end_byte)| tree_sitter::Range { start_byte, end_byte, start_point, end_point };
    let pieces: Vec<_> = starts.zip(ends).map(piece).collect();
    parser.set_included_ranges(&pieces).expect("parts and holes are ordered");
    let mut rest = |byte, _| text.as_bytes().get(byte..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut rest, None, None);
    tree.filter(|tree| !tree.root_node().has_error())
}

const ABI: &str = "the grammar's ABI is one that this tree-sitter reads";

/// Parses a text in a language.
pub(crate) fn parse_as(language: &Language, rope: &Rope, old: Option<&Tree>) -> Tree {
    // A parser keeps its stacks: texts as short as a statement in C++ would spend more on those than on parsing.
    let mut parser = PARSER.take().unwrap_or_default();
    parser.set_language(language).expect(ABI);
    let mut chunk_at = |byte: usize, _| match byte < rope.len_bytes() {
        true => {
            let (chunk, start, _, _) = rope.chunk_at_byte(byte);
            &chunk.as_bytes()[byte - start..]
        }
        false => &[],
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
    fn a_word_is_found_across_the_seams_of_the_rope() {
        let mut text = "é".repeat(700);
        let at = text.len();
        text += "needle";
        text += &"é".repeat(700);
        for shift in 0..1200 {
            let file = SourceFile { rope: Rope::from_str(&("x".repeat(shift) + &text)), ..SourceFile::parse("") };
            assert!(file.holds(0..file.rope.len_bytes(), "needle"), "{shift}");
            assert!(!file.holds(at + shift + 2..file.rope.len_bytes(), "needle"), "{shift}");
        }
    }

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
