//! Where the text is no PTX, in words for people.

use crate::reader::Reader;
use crate::source::SourceFile;
use std::ops::Range;
use tree_sitter::Node;

/// A place where the text is no PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The token that does not fit, or the empty place where one is missing.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead; empty where nothing can be said.
    pub help: String,
}

/// All places where the text is no PTX, in order.
pub fn syntax_errors(file: &SourceFile) -> Vec<SyntaxError> {
    let mut errors = Vec::new();
    let mut cursor = file.root().walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            errors.push(describe(file, node));
        }
        // Only what holds an error is worth a look inside; an error node is one error, whatever it holds.
        if node.has_error() && !node.is_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

fn describe(file: &SourceFile, node: Node) -> SyntaxError {
    let mut reader = Reader::new(file.text());
    if node.is_missing() {
        let what = if node.is_named() { node.kind().replace('_', " ") } else { format!("`{}`", node.kind()) };
        return SyntaxError { range: node.byte_range(), message: format!("expected {what} here"), help: String::new() };
    }
    let range = first_line(file, node.byte_range());
    let text = reader.read(range.clone()).text;
    let message = match text.trim() {
        "" => "this is no PTX".to_owned(),
        word if word.chars().count() <= 40 => format!("`{word}` does not fit here"),
        _ => "this does not fit here".to_owned(),
    };
    SyntaxError { range, message, help: String::new() }
}

/// An error may swallow half a file; its first line is where to look.
fn first_line(file: &SourceFile, range: Range<usize>) -> Range<usize> {
    let rope = file.text();
    let line_end = rope.line_to_byte((rope.byte_to_line(range.start) + 1).min(rope.len_lines()));
    let end = range.end.min(line_end);
    let text = rope.byte_slice(range.start..end).to_string();
    range.start..range.start + text.trim_end().len()
}

impl SourceFile {
    /// Whether any place in the text is no PTX.
    pub fn has_syntax_error(&self) -> bool {
        self.root().has_error()
    }
}
