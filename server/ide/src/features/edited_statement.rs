//! The statement that an edit is in.

use crate::features::statement_prefix::statement_start;
use diagnostics::Snapshot;
use lints::Check;
use std::ops::Range;
use syntax::{Rope, blank_out};

/// The most bytes of a statement before an edit.
const MAX_LENGTH: usize = 4096;

/// Finds the statement of an edit.
pub trait EditedStatementProvider: Check {
    /// The statement around a range, or its lines if there is none.
    fn statement_around(&self, edited: &Range<usize>) -> Range<usize> {
        lines(self.rope(), &without_line_end(self.rope(), edited))
    }
}

impl EditedStatementProvider for Snapshot {
    /// From the end of the statement before it to its `;`, or to the end of the line if that has none: the next line begins another statement.
    fn statement_around(&self, edited: &Range<usize>) -> Range<usize> {
        let rope = self.file.text();
        let edited = without_line_end(rope, edited);
        let edited = self.file.clamp(edited.start)..self.file.clamp(edited.end);
        let from = self.file.clamp(edited.start.saturating_sub(MAX_LENGTH));
        let before = self.file.slice(&(from..edited.start));
        let before = blank_out(&before);
        let start = statement_start(&before);
        let blank = before[start..].len() - before[start..].trim_start().len();
        let to = lines(rope, &edited).end.max(edited.end);
        let behind = self.file.slice(&(edited.end..to));
        let end = blank_out(&behind).find(';').map_or(to, |end| edited.end + end + 1);
        from + start + blank..end
    }
}

/// A range without its last line end if it is of whole lines: the line after them is not edited.
fn without_line_end(rope: &Rope, range: &Range<usize>) -> Range<usize> {
    let begins_line = |at: usize| at <= rope.len_bytes() && rope.line_to_byte(rope.byte_to_line(at)) == at;
    let is_whole = !range.is_empty() && begins_line(range.start) && begins_line(range.end);
    range.start..range.end - usize::from(is_whole)
}

/// The lines of a range, without the last line end.
fn lines(rope: &Rope, range: &Range<usize>) -> Range<usize> {
    let length = rope.len_bytes();
    let [first, last] = [range.start, range.end].map(|at| rope.byte_to_line(at.min(length)));
    let (start, length) = (rope.line_to_char(last), rope.line(last).len_chars());
    let mut chars = rope.chars_at(start + length);
    let ends = std::iter::from_fn(|| chars.prev()).take(length);
    let line_end = ends.take_while(|c| matches!(c, '\n' | '\r')).count();
    rope.line_to_byte(first)..rope.line_to_byte(last) + rope.line(last).len_bytes() - line_end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::{marked, snapshot};

    fn statement(text: &str) -> String {
        let (plain, marks) = marked(text);
        let range = marks[0]..*marks.last().expect("a mark");
        plain[snapshot(&plain).statement_around(&range)].to_owned()
    }

    #[test]
    fn a_statement_ends_at_its_semicolon_or_its_line() {
        for (text, expected) in [
            (".entry k() {\n\tadd.u32 a, $0b, c; ret;\n}", "add.u32 a, b, c;"),
            (".entry k() {\n\tret;\n\tadd.u32 a, $0\n\tret;\n}", "add.u32 a, "),
            (".entry k() {\n\tret; // ;\n\tmov.b64 a, {b, $0 // ; x\n\tret;\n}", "mov.b64 a, {b,  // ; x"),
            (".entry k() {\n\tadd.u32 a,\n\t\tb, $0c;\n}", "add.u32 a,\n\t\tb, c;"),
            (".entry k() {\n\tret;\n\t$0\n\tret;\n}", ""),
            (".entry k() {\n$0\tadd\n$0\tret;\n}", "\tadd"),
            (".entry k() {\n\tadd;$0\n\t$0\n\tret;\n}", "\n\t"),
            ("$0.version 8.0$0\n.target sm_90\n", ".version 8.0"),
            ("", ""),
        ] {
            if text.is_empty() {
                assert_eq!(snapshot("").statement_around(&(0..9)), 0..0);
            } else {
                assert_eq!(statement(text), expected, "{text}");
            }
        }
    }

    #[test]
    fn any_range_has_a_statement_in_the_text() {
        for text in ["é;\r\né {é", "\n\n", ";;", "/* ; */ é // ;"] {
            for start in 0..=text.len() + 1 {
                for end in start..=text.len() + 1 {
                    let found = snapshot(text).statement_around(&(start..end));
                    assert!(found.start <= found.end && found.end <= text.len(), "{text:?} {start}..{end} {found:?}");
                }
            }
        }
    }
}
