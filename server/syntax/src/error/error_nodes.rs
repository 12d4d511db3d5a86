//! The error nodes of a tree.

use tree_sitter::Node;

/// Visits the error nodes in order. The children of an error node are not visited: it is one error.
pub(crate) fn error_nodes<'t>(root: Node<'t>, mut then: impl FnMut(Node<'t>)) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            then(node);
        }
        // Only nodes with an error have error nodes inside.
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
