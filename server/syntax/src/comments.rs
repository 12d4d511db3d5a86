//! Comments that contain a word, and the item that follows them.

use crate::node_kinds::KINDS;
use crate::source::LintFile;
use crate::walk::{Item, ItemKind};
use std::ops::Range;
use tree_sitter::Node;

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its text with `//`, or with `/*` and `*/`.
    pub range: Range<usize>,
    /// Whether only comments precede it.
    pub leads: bool,
    /// The function right after it, if there is one; in C++, the `asm` statement.
    pub function: Option<Range<usize>>,
}

impl LintFile {
    /// The comments with a word in the given items of this file, in text order.
    pub fn comments(&self, items: &[Item], word: &str, among: impl Fn(&Item) -> bool) -> Vec<Comment> {
        let mut found = Vec::new();
        let (mut leads, mut next) = (true, 0);
        for (at, item) in items.iter().enumerate() {
            let is_among = among(item);
            let alone = (leads || is_among) && item.kind() == ItemKind::Comment;
            leads &= alone;
            if !is_among {
                continue;
            }
            // Many comments may precede the same function, which is searched once.
            next = next.max(at + 1);
            while alone && items.get(next).is_some_and(|item| item.kind() == ItemKind::Comment) {
                next += 1;
            }
            let function = items.get(next).filter(|next| alone && next.kind() == ItemKind::Function);
            for range in self.comments_in(item, word) {
                found.push(Comment { function: function.map(Item::range), leads: leads && alone, range });
            }
        }
        found
    }

    fn comments_in(&self, item: &Item, word: &str) -> Vec<Range<usize>> {
        let Some(node) = item.node() else { return Vec::new() };
        let text = self.text().byte_slice(node.byte_range()).to_string();
        let places = text.match_indices(word).map(|(at, _)| node.start_byte() + at);
        comments_at(node, |node| node.kind_id() == KINDS.comment, places)
    }
}

/// The comments at or below a node that contain offsets, which are in text order. One traversal, because a node may have as many children as
/// there are offsets.
pub(crate) fn comments_at(
    node: Node,
    is_comment: impl Fn(Node) -> bool,
    places: impl Iterator<Item = usize>,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    let mut places = places.peekable();
    loop {
        let range = cursor.node().byte_range();
        while places.next_if(|place| *place < range.start).is_some() {}
        let holds = |place: &usize| range.contains(place);
        if places.peek().is_some_and(holds) {
            if is_comment(cursor.node()) {
                while places.next_if(holds).is_some() {}
                found.push(range);
            } else if cursor.goto_first_child() {
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
