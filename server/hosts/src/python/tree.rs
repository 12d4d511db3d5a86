//! The syntax tree of a Python text.

use tree_sitter::{Node, Parser, Tree};

/// Parses a text; `None` if the parser gives up.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).ok()?;
    parser.parse(text, None)
}

/// The nodes below a node and the node itself, in the order of the text. Nodes below one that `enters` refuses are left out.
pub(super) fn walk<'t>(root: Node<'t>, enters: impl Fn(Node<'t>) -> bool, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        visit(node);
        if enters(node) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The named children of a node, without comments.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// The text of a node.
pub(super) fn read<'t>(text: &'t str, node: Node) -> &'t str {
    &text[node.byte_range()]
}
