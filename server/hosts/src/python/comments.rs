//! Comments of Python, for directive comments.

use super::calls::first_call;
use super::embedded;
use super::tree::{PythonNode, parse, read, walk};
use crate::inline_asm::HostComment;

/// Whether an offset is outside comments and literals. A comment includes its end.
pub fn is_code(text: &str, offset: usize) -> bool {
    let Ok(tree) = parse(text) else { return false };
    let mut found = true;
    walk(
        tree.root_node(),
        |node| node.kind() != "string",
        |node| {
            let inside = match node.kind() {
                "comment" => node.start_byte() < offset && offset <= node.end_byte(),
                "string" => node.start_byte() < offset && offset < node.end_byte(),
                _ => false,
            };
            found &= !inside;
        },
    );
    found
}

/// The comments of a text that contain a word.
pub fn comments(text: &str, word: &str) -> Vec<HostComment> {
    let mut found = Vec::new();
    if !text.contains(word) {
        return found;
    }
    let Ok(tree) = parse(text) else { return found };
    let mut leads = true;
    // Many comments may precede one long statement.
    let mut last: Option<(PythonNode, usize)> = None;
    // They have the same statement after them: no other node is between.
    let mut following_one: Option<PythonNode> = None;
    walk(
        tree.root_node(),
        |_| true,
        |node| {
            if node.kind() != "comment" {
                leads &= node.children().next().is_some() || node.byte_range().is_empty();
            } else if read(text, node).contains(word) {
                let known = following_one.filter(|next| next.start_byte() > node.start_byte());
                let next = known.or_else(|| following(node));
                following_one = next;
                let known = next.and_then(|next| last.filter(|(node, _)| *node == next));
                let known = known.or_else(|| next.map(|next| (next, first_call(text, next))));
                last = known.or(last);
                found.push(HostComment {
                    range: node.byte_range(),
                    leads,
                    next: known.map_or(text.len(), |(_, start)| start),
                });
            }
        },
    );
    if embedded::may_have_source(text) {
        found.extend(embedded::comments(text, tree.root_node(), word));
        found.sort_by_key(|comment| comment.range.start);
    }
    found
}

/// The statement after a comment.
fn following(comment: PythonNode) -> Option<PythonNode> {
    let mut node = comment;
    loop {
        node = node.next_sibling().or_else(|| node.parent()?.next_sibling())?;
        if node.kind() != "comment" {
            return Some(node);
        }
    }
}
