//! The error nodes of a tree.

use tree_sitter::Node;

/// Visits the error nodes in order, each with the nodes around it, the root first. The children of an error node are not visited: it is one error.
///
/// A node of tree-sitter finds its parent from the root, past all siblings on the way, so that nobody should ask it.
pub(crate) fn error_nodes<'t>(root: Node<'t>, mut then: impl FnMut(Node<'t>, &[Node<'t>])) {
    let mut cursor = root.walk();
    let mut around = Vec::new();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            then(node, &around);
        }
        // Only nodes with an error have error nodes inside.
        if node.has_error() && !node.is_error() && cursor.goto_first_child() {
            around.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            around.pop();
        }
    }
}
