//! The nodes of a tree that stand for broken text.

use tree_sitter::Node;

/// Calls back for each, in order. What lies inside a broken node is not gone through: it is one error, whatever it holds.
pub(crate) fn error_nodes<'t>(root: Node<'t>, mut then: impl FnMut(Node<'t>)) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            then(node);
        }
        // Only what holds an error is worth a look inside.
        if node.has_error() && !node.is_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
