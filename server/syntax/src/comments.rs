//! Comments that hold a word, and what they stand before.
//!
//! Must not know what the word means.

use crate::kinds::KINDS;
use crate::source::SourceFile;
use crate::walk::{Item, ItemKind};
use std::ops::Range;

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// With its `//` or its `/*` and `*/`.
    pub range: Range<usize>,
    /// Whether nothing but comments stands before it.
    pub leads: bool,
    /// The function that it stands right before, if it does.
    pub function: Option<Range<usize>>,
}

impl SourceFile {
    /// The comments that hold a word, among those in the given items of this file, in the order of the text.
    pub fn comments(&self, items: &[Item], word: &str, among: impl Fn(&Item) -> bool) -> Vec<Comment> {
        let mut found = Vec::new();
        let mut leads = true;
        for (at, item) in items.iter().enumerate() {
            let alone = item.kind() == ItemKind::Comment;
            leads &= alone;
            if !among(item) {
                continue;
            }
            for range in self.comments_in(item.range(), word) {
                let function = || {
                    let next = items[at + 1..].iter().find(|item| item.kind() != ItemKind::Comment)?;
                    let is_function = next.kind() == ItemKind::Function;
                    is_function.then(|| next.range())
                };
                found.push(Comment { function: if alone { function() } else { None }, leads: leads && alone, range });
            }
        }
        found
    }

    fn comments_in(&self, range: Range<usize>, word: &str) -> Vec<Range<usize>> {
        let text = self.text().byte_slice(range.clone()).to_string();
        let mut found: Vec<Range<usize>> = Vec::new();
        for (at, _) in text.match_indices(word) {
            let at = range.start + at;
            let node = self.root().descendant_for_byte_range(at, at);
            let comment = node.filter(|node| node.kind_id() == KINDS.comment).map(|node| node.byte_range());
            if let Some(comment) = comment.filter(|comment| found.last() != Some(comment)) {
                found.push(comment);
            }
        }
        found
    }
}
