//! Syntax errors of a listing.

use crate::error::{SyntaxError, error_nodes};
use crate::sass::Listing;
use std::ops::Range;

/// The maximum length of invalid text in a message, in characters.
const SHOWN: usize = 40;

/// A line of cuobjdump's headings, without a value: the PTX beside the machine code is compressed.
const COMPRESSED: &str = "compressed";

/// The syntax errors of a listing in order, at most one per line.
pub fn syntax_errors(listing: &Listing) -> Vec<SyntaxError> {
    let mut errors: Vec<SyntaxError> = Vec::new();
    error_nodes(listing.root(), |node, _| {
        let range = node.byte_range();
        if range.len() < SHOWN && listing.rope.byte_slice(range.clone()).to_string().trim() == COMPRESSED {
            return;
        }
        let error = if node.is_missing() { missing(node.kind(), range.start) } else { invalid(listing, range) };
        let line = |error: &SyntaxError| listing.rope.byte_to_line(error.range.start);
        if errors.last().is_none_or(|last| line(last) < line(&error)) {
            errors.push(error);
        }
    });
    errors
}

fn missing(kind: &str, at: usize) -> SyntaxError {
    let (message, help) = match kind {
        ";" => ("expected `;` after the instruction".to_owned(), "add `;`".to_owned()),
        "]" | ")" | "}" | "|" => (format!("expected `{kind}`"), format!("add `{kind}`")),
        _ => ("incomplete instruction".to_owned(), String::new()),
    };
    let fix = matches!(kind, ";" | "]" | ")" | "}" | "|").then(|| (at..at, kind.to_owned()));
    SyntaxError { range: at..at, message, help, fix }
}

/// An error for the first line of an invalid text.
fn invalid(listing: &Listing, range: Range<usize>) -> SyntaxError {
    let text = listing.rope.byte_slice(range.clone()).to_string();
    let blanks = text.len() - text.trim_start().len();
    let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
    let start = range.start + blanks;
    let shown: String = line.chars().take(SHOWN).collect();
    let dots = if shown.len() < line.len() { "…" } else { "" };
    SyntaxError {
        range: start..start + line.len(),
        message: format!("invalid SASS: `{shown}{dots}`"),
        help: "expected instructions of the form `{@guard} OPCODE operands;`".to_owned(),
        fix: None,
    }
}
