//! Messages for error nodes that need no analysis of the statement.

use crate::error::words::words;
use crate::error::{STATEMENT, SyntaxError, error};
use crate::reader::RopeReader;
use crate::source::LintFile;
use std::ops::Range;
use tree_sitter::Node;

/// The error at an error node, with the node around it.
pub(super) fn generic(file: &LintFile, node: Node, parent: Option<Node>) -> SyntaxError {
    if node.is_missing() {
        let what = match node.kind() {
            "}" => {
                return error(unclosed(node, parent), "unclosed `{`".into(), "add `}` at the end of the block".into());
            }
            "enclosing_function" => return misplaced(file, node, parent),
            "modifier" => return reserved_opcode(file, node, parent),
            kind if node.is_named() => kind.replace('_', " "),
            kind => format!("`{kind}`"),
        };
        return error(node.byte_range(), format!("expected {what}"), String::new());
    }
    let range = first_word(file, node.byte_range());
    let text = RopeReader::new(file.text()).read(range.clone()).text;
    let message = match &*text {
        "" => "incomplete statement".to_owned(),
        "}" => "unmatched `}`".to_owned(),
        word => format!("unexpected `{word}`"),
    };
    error(range, message, String::new())
}

/// Instructions outside a function; the grammar reads them with a missing end of the function.
fn misplaced(file: &LintFile, missing: Node, parent: Option<Node>) -> SyntaxError {
    let range = first_word(file, parent.map_or(missing.byte_range(), |code| code.byte_range()));
    let help = "remove the `}` before it, which ends the function, or add the function's head";
    error(range, "code outside a function".into(), help.into())
}

/// `mov.reg`: the opcode is read as a whole, followed by a missing modifier.
fn reserved_opcode(file: &LintFile, missing: Node, parent: Option<Node>) -> SyntaxError {
    let range = parent.map_or(missing.byte_range(), |opcode| opcode.byte_range());
    let text = RopeReader::new(file.text()).read(range.clone()).text;
    let help = "directives are not allowed as modifiers, nor `WARP_SZ`, `function_name` and `inlined_at` as names";
    error(range, format!("invalid opcode `{text}`"), help.into())
}

/// The `{` that a missing `}` should close.
fn unclosed(missing: Node, parent: Option<Node>) -> Range<usize> {
    let open = parent.and_then(|parent| parent.child(0)).filter(|child| child.kind() == "{");
    open.map_or(missing.byte_range(), |brace| brace.byte_range())
}

/// An error node may cover half a file; the error is at its first word.
fn first_word(file: &LintFile, range: Range<usize>) -> Range<usize> {
    let rope = file.text();
    let end = rope.char_to_byte(rope.byte_to_char(range.end.min(range.start + STATEMENT)));
    let text = rope.byte_slice(range.start..end).to_string();
    match words(&text).first() {
        Some(word) => range.start + word.range.start..range.start + word.range.end,
        None => range.start..range.start,
    }
}
