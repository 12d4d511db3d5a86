//! Where the text is no PTX, in words for people: the tree says where it is broken, a strict reading of the statement says how.

mod cascading;
mod error_nodes;
mod generic;
mod instruction_error;
mod missing_name;
mod recovery;
mod statement;
#[cfg(test)]
mod tests;
mod unterminated;
mod words;

pub(crate) use error_nodes::error_nodes;
pub use recovery::{BrokenStatement, Recovery};

use crate::reader::RopeReader;
use crate::source::LintFile;
use cascading::{drop_cascading, first_cause};
use generic::generic;
use instruction_error::describe_error;
use statement::instruction_error;
use std::ops::Range;
use tree_sitter::Node;
use unterminated::Unterminated;
use words::{WordKind, words};

/// A place where the text is no PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The token that does not fit, or the empty place where one is missing.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead; empty where nothing can be said.
    pub help: String,
    /// A replacement of a range that mends it, where there is one.
    pub fix: Option<(Range<usize>, String)>,
}

/// How much of a broken statement is looked at, in bytes.
const STATEMENT: usize = 4096;

/// All places where the text is no PTX, in order, at most one for a statement, and none that only follows from another.
pub fn syntax_errors(file: &LintFile) -> Vec<SyntaxError> {
    let mut errors: Vec<SyntaxError> = Vec::new();
    file.roots().for_each(|root| {
        error_nodes(root, |node| {
            let error = describe(file, first_cause(file, node));
            // What follows from one mistake in one statement is said once.
            if !errors
                .last()
                .is_some_and(|last| error.range.start <= last.range.start || same_statement(file, last, &error))
            {
                errors.push(error);
            }
        });
    });
    drop_cascading(file, &mut errors);
    errors.splice(0..0, file.has_mark().then(byte_order_mark));
    errors
}

/// The parser passes over the mark, as editors do; the assembler does not.
fn byte_order_mark() -> SyntaxError {
    let range = 0..'\u{feff}'.len_utf8();
    let fix = Some((range.clone(), String::new()));
    SyntaxError {
        fix,
        ..error(range, "unexpected byte order mark".into(), "save the file as UTF-8 without a byte order mark".into())
    }
}

fn same_statement(file: &LintFile, first: &SyntaxError, second: &SyntaxError) -> bool {
    let between = first.range.end.min(second.range.start)..second.range.start;
    between.len() < STATEMENT && !file.text().byte_slice(between).chars().any(|c| matches!(c, ';' | '{' | '}' | '\n'))
}

/// What is wrong at a broken node.
fn describe(file: &LintFile, node: Node) -> SyntaxError {
    let start = statement_start(file, node);
    let rope = file.text();
    let end = (node.end_byte().max(start) + STATEMENT).min(rope.len_bytes());
    let end = rope.char_to_byte(rope.byte_to_char(end));
    let statement = RopeReader::new(rope).read(start..end);
    let open = Unterminated::of(&statement.text);
    if let Some(error) = open.describe(&statement) {
        return error;
    }
    let words = words(&statement.text);
    if let Some(foreign) = words
        .iter()
        .find(|word| word.kind == WordKind::Foreign && start + word.range.start < node.end_byte().max(start + 1))
    {
        let token = statement.part(foreign.range.clone());
        return error(
            token.range,
            format!("invalid character `{}`", token.text),
            "use ASCII characters outside comments and strings".into(),
        );
    }
    if (in_code(node) || node.parent().is_some_and(|error| error.is_error()) && !statement.text.starts_with('.'))
        && let Some(instruction_error) = instruction_error(&statement.text, &words)
        && let Some(error) = describe_error(&instruction_error, &statement, &words)
    {
        return error;
    }
    generic(file, node)
}

/// An error without a fix.
fn error(range: Range<usize>, message: String, help: String) -> SyntaxError {
    SyntaxError { range, message, help, fix: None }
}

/// Whether a node lies where instructions are.
fn in_code(node: Node) -> bool {
    let mut parent = Some(node);
    while let Some(node) = parent {
        match node.kind() {
            "instruction" | "block" | "basic_block" => return true,
            "function" | "module" => return node.kind() == "function" && holds_code(node),
            _ => parent = node.parent(),
        }
    }
    false
}

fn holds_code(function: Node) -> bool {
    function.child_by_field_name("body").is_some_and(|body| body.kind() == "block")
}

/// Where the statement that a node belongs to begins.
fn statement_start(file: &LintFile, node: Node) -> usize {
    let mut parent = Some(node);
    while let Some(inner) = parent {
        if inner.kind() == "instruction" {
            return inner.start_byte();
        }
        parent = inner.parent();
    }
    // Not inside an instruction: what was skipped begins a statement, unless something stands before it in its line.
    let rope = file.text();
    let char = rope.byte_to_char(node.start_byte());
    let before =
        rope.chars_at(char).reversed().take(STATEMENT).take_while(|c| !matches!(c, ';' | '{' | '}' | '\n')).count();
    let lead = rope.slice(char - before..char).chars().take_while(|c| c.is_whitespace()).count();
    rope.char_to_byte(char - before + lead)
}

impl LintFile {
    /// Whether any place in the text is no PTX.
    pub fn has_syntax_error(&self) -> bool {
        self.has_broken_node() || self.has_mark()
    }

    /// Whether the parser had to guess anywhere.
    fn has_broken_node(&self) -> bool {
        self.roots().any(|root| root.has_error())
    }

    /// Whether the text begins with a byte order mark.
    fn has_mark(&self) -> bool {
        self.text().get_char(0) == Some('\u{feff}')
    }
}
