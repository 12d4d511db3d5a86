//! A text with its tree, and edits to both.
//!
//! Must not know what the nodes mean.

use ropey::Rope;
use std::ops::Range;
use tree_sitter::{InputEdit, Node, Parser, Point, Tree};

/// A place for people: both counts start at 0, columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Lines before it; a line ends at LF, CRLF or CR.
    pub line: usize,
    /// Scalar values before it in its line.
    pub column: usize,
}

/// A PTX text with its tree. Cloning is cheap: text and tree are shared.
#[derive(Clone, Debug)]
pub struct SourceFile {
    rope: Rope,
    tree: Tree,
}

impl SourceFile {
    /// Parses a text.
    pub fn parse(text: &str) -> Self {
        let rope = Rope::from_str(text);
        let tree = parse(&rope, None);
        SourceFile { rope, tree }
    }

    /// The text.
    pub fn text(&self) -> &Rope {
        &self.rope
    }

    /// The line and column of a byte offset.
    pub fn position(&self, byte: usize) -> Position {
        let char = self.rope.byte_to_char(byte);
        let line = self.rope.char_to_line(char);
        Position { line, column: char - self.rope.line_to_char(line) }
    }

    /// Replaces a byte range and brings the tree up to date. The range must lie on character boundaries of the text.
    pub fn edit(&mut self, range: Range<usize>, new: &str) {
        self.edit_all([(range, new)]);
    }

    /// Applies edits one after the other, each range in the text that the former ones left, and brings the tree up to date once.
    pub fn edit_all<'a>(&mut self, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) {
        for (range, new) in edits {
            let start_position = point(&self.rope, range.start);
            let old_end_position = point(&self.rope, range.end);
            let start = self.rope.byte_to_char(range.start);
            self.rope.remove(start..self.rope.byte_to_char(range.end));
            self.rope.insert(start, new);
            let new_end = range.start + new.len();
            self.tree.edit(&InputEdit {
                start_byte: range.start,
                old_end_byte: range.end,
                new_end_byte: new_end,
                start_position,
                old_end_position,
                new_end_position: point(&self.rope, new_end),
            });
        }
        self.tree = parse(&self.rope, Some(&self.tree));
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }
}

fn parse(rope: &Rope, old: Option<&Tree>) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&grammar::LANGUAGE.into()).expect("the grammar's ABI is one that this tree-sitter reads");
    let mut chunk_at = |byte: usize, _| match byte < rope.len_bytes() {
        true => {
            let (chunk, start, _, _) = rope.chunk_at_byte(byte);
            &chunk.as_bytes()[byte - start..]
        }
        false => &[],
    };
    parser
        .parse_with_options(&mut chunk_at, old, None)
        .expect("a parser with a language and without a time limit answers")
}

fn point(rope: &Rope, byte: usize) -> Point {
    let row = rope.byte_to_line(byte);
    Point { row, column: byte - rope.line_to_byte(row) }
}
