//! Where a text is no listing, in words for people.

use super::Listing;
use crate::error::{SyntaxError, error_nodes};
use std::ops::Range;

/// How much of what does not fit is shown, in characters.
const SHOWN: usize = 40;

/// All places where the text is no listing, in order, at most one for a line.
pub fn syntax_errors(listing: &Listing) -> Vec<SyntaxError> {
    let mut errors: Vec<SyntaxError> = Vec::new();
    error_nodes(listing.root(), |node| {
        let range = node.byte_range();
        let error =
            if node.is_missing() { missing(node.kind(), range.start) } else { instruction_error(listing, range) };
        let line = |error: &SyntaxError| listing.rope.byte_to_line(error.range.start);
        if errors.last().is_none_or(|last| line(last) < line(&error)) {
            errors.push(error);
        }
    });
    errors
}

fn missing(kind: &str, at: usize) -> SyntaxError {
    let (message, help) = match kind {
        ";" => ("the instruction does not end".to_owned(), "write `;` behind it".to_owned()),
        "]" | ")" | "}" | "|" => (format!("`{kind}` is missing"), format!("write `{kind}`")),
        _ => ("something is missing here".to_owned(), String::new()),
    };
    let fix = matches!(kind, ";" | "]" | ")" | "}" | "|").then(|| (at..at, kind.to_owned()));
    SyntaxError { range: at..at, message, help, fix }
}

/// What does not fit, as far as its first line goes.
fn instruction_error(listing: &Listing, range: Range<usize>) -> SyntaxError {
    let text = listing.rope.byte_slice(range.clone()).to_string();
    let blanks = text.len() - text.trim_start().len();
    let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
    let start = range.start + blanks;
    let shown: String = line.chars().take(SHOWN).collect();
    let dots = if shown.len() < line.len() { "…" } else { "" };
    SyntaxError {
        range: start..start + line.len(),
        message: format!("this is no SASS: `{shown}{dots}`"),
        help: "an instruction is `{@guard} OPCODE operands;`, one or more on a line".to_owned(),
        fix: None,
    }
}
