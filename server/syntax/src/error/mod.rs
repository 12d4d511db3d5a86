//! Syntax errors as messages: the tree has the position, a strict parse of the statement the reason.

mod broken_labels;
mod cascading;
mod error_nodes;
mod generic;
mod instruction_error;
mod missing_name;
mod recovery;
mod statement;
#[cfg(test)]
mod tests;
mod unfinished;
mod unfinished_line;
mod unterminated;
mod words;

pub(crate) use crate::error::error_nodes::error_nodes;
pub use crate::error::recovery::{BrokenStatement, Recovery};

use crate::error::cascading::{drop_cascading, first_cause};
use crate::error::generic::generic;
use crate::error::instruction_error::describe_error;
use crate::error::statement::instruction_error;
use crate::error::unfinished::unfinished_declaration;
use crate::error::unfinished_line::unfinished_line;
use crate::error::unterminated::Unterminated;
use crate::error::words::{WordKind, words};
use crate::reader::RopeReader;
use crate::source::LintFile;
use std::ops::Range;
use tree_sitter::Node;

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The unexpected token, or the empty range where one is missing.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead; may be empty.
    pub help: String,
    /// A range and its replacement that fix the error, if known.
    pub fix: Option<(Range<usize>, String)>,
}

/// The maximum length of a statement that is analysed, in bytes.
const STATEMENT: usize = 4096;

/// The number of errors that are examined closely. A text with more is not PTX, and each look at the text around an error takes time.
const EXAMINED_ERRORS: usize = 1000;

/// The same after them.
const SHORT_STATEMENT: usize = 256;

/// All syntax errors in order: at most one per statement, without cascading errors.
pub fn syntax_errors(file: &LintFile) -> Vec<SyntaxError> {
    let mut errors: Vec<SyntaxError> = Vec::new();
    file.roots().for_each(|root| {
        error_nodes(root, |node, around| {
            let is_first = errors.len() < EXAMINED_ERRORS;
            let cause = if is_first { first_cause(file, node) } else { node };
            let error = describe(&ErrorPlace {
                file,
                node,
                cause,
                around,
                longest: if is_first { STATEMENT } else { SHORT_STATEMENT },
            });
            // One mistake in a statement is one error.
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

/// The parser skips the mark, as editors do; the assembler rejects it.
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

/// Where an error is.
struct ErrorPlace<'e, 't> {
    file: &'t LintFile,
    /// The error node.
    node: Node<'t>,
    /// What is described: the error node, or a node directly below it.
    cause: Node<'t>,
    /// The nodes around the error node, the root first.
    around: &'e [Node<'t>],
    /// The number of bytes after it that are looked at.
    longest: usize,
}

impl<'t> ErrorPlace<'_, 't> {
    /// The cause and the nodes around it, the innermost first.
    fn outwards(&self) -> impl Iterator<Item = Node<'t>> {
        let outer = Some(self.node).filter(|node| *node != self.cause);
        std::iter::once(self.cause).chain(outer).chain(self.around.iter().rev().copied())
    }
}

/// The error at an error node.
fn describe(place: &ErrorPlace) -> SyntaxError {
    let ErrorPlace { file, cause: node, .. } = *place;
    let start = statement_start(place);
    let rope = file.text();
    let end = (node.end_byte().max(start) + place.longest).min(rope.len_bytes());
    let end = rope.char_to_byte(rope.byte_to_char(end));
    let statement = RopeReader::new(rope).read(start..end);
    let open = Unterminated::of(&statement.text);
    let ends_later = || file.holds(end..rope.len_bytes(), "*/");
    if let Some(error) = open.describe(&statement, ends_later) {
        return error;
    }
    if let Some(error) = unfinished_declaration(file, node, place.longest) {
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
    let parent = place.outwards().nth(1);
    if in_code(place) || parent.is_some_and(|error| error.is_error()) && !statement.text.starts_with('.') {
        if let Some(error) = unfinished_line(&statement, &words) {
            return error;
        }
        if let Some(instruction_error) = instruction_error(&statement.text, &words)
            && let Some(error) = describe_error(&instruction_error, &statement, &words)
        {
            return error;
        }
    }
    generic(file, node, parent)
}

/// An error without a fix.
fn error(range: Range<usize>, message: String, help: String) -> SyntaxError {
    SyntaxError { range, message, help, fix: None }
}

/// Whether a place is inside the code of a function.
fn in_code(place: &ErrorPlace) -> bool {
    let known = place.outwards().find_map(|node| match node.kind() {
        "instruction" | "block" | "basic_block" => Some(true),
        "function" | "module" => Some(node.kind() == "function" && holds_code(node)),
        _ => None,
    });
    known.unwrap_or(false)
}

fn holds_code(function: Node) -> bool {
    function.child_by_field_name("body").is_some_and(|body| body.kind() == "block")
}

/// The start of the statement that contains a place.
fn statement_start(place: &ErrorPlace) -> usize {
    let ErrorPlace { file, cause: node, .. } = *place;
    if let Some(instruction) = place.outwards().find(|node| node.kind() == "instruction") {
        return instruction.start_byte();
    }
    // Not inside an instruction: the statement begins at the node, or at the first word before it on its line.
    let rope = file.text();
    let char = rope.byte_to_char(node.start_byte());
    let before =
        rope.chars_at(char).reversed().take(place.longest).take_while(|c| !matches!(c, ';' | '{' | '}' | '\n')).count();
    let lead = rope.slice(char - before..char).chars().take_while(|c| c.is_whitespace()).count();
    rope.char_to_byte(char - before + lead)
}

impl LintFile {
    /// Whether the text has a syntax error.
    pub fn has_syntax_error(&self) -> bool {
        self.has_broken_node() || self.has_mark()
    }

    /// Whether a tree has an error node.
    fn has_broken_node(&self) -> bool {
        self.roots().any(|root| root.has_error())
    }

    /// Whether the text begins with a byte order mark.
    fn has_mark(&self) -> bool {
        self.text().get_char(0) == Some('\u{feff}')
    }
}
