//! Formatting: changes the whitespace between tokens. Tokens, strings and comments are never changed.
//!
//! The style: module directives and labels are not indented, statements are indented by their block, one space follows an opcode and a
//! comma, wrapped lines stay wrapped, and consecutive empty lines become one. A function with a syntax error is not changed, nor is any
//! text if the error is between functions. Formatting on type changes the current line nevertheless.

mod spacing;
mod token_gap;

use super::names::in_comment;
use diagnostics::{Edit, Snapshot};
use spacing::{Formatter, Spacing};
use std::ops::Range;
use syntax::{Rope, token_events};

/// Code that is nested deeper is indented like this level: otherwise, the output would be quadratic in the nesting.
const MAX_LEVELS: usize = 64;

/// How indentation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatOptions {
    /// Whether to indent with tabs instead of spaces.
    pub tabs: bool,
    /// Spaces per level.
    pub width: usize,
}

impl Default for FormatOptions {
    /// Tabs, as compilers print PTX.
    fn default() -> Self {
        FormatOptions { tabs: true, width: 4 }
    }
}

impl FormatOptions {
    fn indent(&self, levels: usize) -> String {
        let levels = levels.min(MAX_LEVELS);
        if self.tabs { "\t".repeat(levels) } else { " ".repeat(levels * self.width.min(16)) }
    }
}

/// Formatting of a text.
pub trait FormattingProvider {
    /// Edits that format the text.
    fn format(&self, _options: &FormatOptions) -> Vec<Edit> {
        Vec::new()
    }

    /// Edits that format a range.
    fn format_range(&self, _range: Range<usize>, _options: &FormatOptions) -> Vec<Edit> {
        Vec::new()
    }

    /// Edits that format the text just typed.
    fn format_on_type(&self, _offset: usize, _options: &FormatOptions) -> Vec<Edit> {
        Vec::new()
    }
}

impl FormattingProvider for Snapshot {
    fn format(&self, options: &FormatOptions) -> Vec<Edit> {
        let broken = self.file.broken_items();
        edits(self, 0..self.file.text().len_bytes(), &broken, options)
    }

    fn format_range(&self, range: Range<usize>, options: &FormatOptions) -> Vec<Edit> {
        lines(self, range, &self.file.broken_items(), options)
    }

    fn format_on_type(&self, offset: usize, options: &FormatOptions) -> Vec<Edit> {
        let file = &self.file;
        let rope = file.text();
        let offset = file.clamp(offset);
        if offset == 0 || in_comment(file, offset) {
            return Vec::new();
        }
        match rope.byte(offset - 1) {
            b';' | b'}' => {
                let before = |edit: &Edit| edit.range.end < offset;
                // Syntax errors elsewhere do not prevent formatting this line.
                lines(self, offset - 1..offset - 1, &[], options).into_iter().filter(before).collect()
            }
            b'\n' => new_line(self, offset, options),
            _ => Vec::new(),
        }
    }
}

/// The edits inside of the lines of a range. A range of several lines that ends at the start of one leaves that one out.
fn lines(snapshot: &Snapshot, range: Range<usize>, broken: &[Range<usize>], options: &FormatOptions) -> Vec<Edit> {
    let file = &snapshot.file;
    let rope = file.text();
    let start = file.clamp(range.start);
    let end = file.clamp(range.end.max(range.start));
    let line = rope.line_to_byte(rope.byte_to_line(start));
    let last_line = rope.byte_to_line(end);
    let is_start = end > line && rope.line_to_byte(last_line) == end;
    let next = if is_start { last_line } else { last_line + 1 };
    let line_end = if next < rope.len_lines() { rope.line_to_byte(next) } else { rope.len_bytes() };
    let last = next >= rope.len_lines();
    let within = line..if last { line_end } else { line_end - line_ending(rope, next - 1) };
    // The space after the last line ends at the next token.
    let spaces = rope.chars_at(rope.byte_to_char(line_end)).take_while(char::is_ascii_whitespace).count();
    let scanned = line..file.clamp(line_end + spaces + 1);
    edits(snapshot, scanned, broken, options).into_iter().filter_map(|edit| clip(rope, edit, &within)).collect()
}

/// The number of bytes that end a line.
fn line_ending(rope: &Rope, line: usize) -> usize {
    let text = rope.line(line).to_string();
    text.len() - text.trim_end_matches(['\n', '\r']).len()
}

/// The part of an edit inside of whole lines: the indentation of the first, the space after the last. An edit that joins or splits lines
/// at their borders has no such part.
fn clip(rope: &Rope, mut edit: Edit, within: &Range<usize>) -> Option<Edit> {
    if edit.range.end < within.start || within.end < edit.range.start {
        return None;
    }
    if edit.range.start < within.start {
        edit.text.drain(..edit.text.rfind('\n')? + 1);
        edit.range.start = within.start;
    }
    if edit.range.end > within.end {
        let end = edit.text.find(['\r', '\n'])?;
        edit.text.truncate(end);
        edit.range.end = within.end;
    }
    (rope.byte_slice(edit.range.clone()) != *edit.text).then_some(edit)
}

/// Indents a new line like the previous one, because incomplete text often has no syntax tree.
fn new_line(snapshot: &Snapshot, offset: usize, options: &FormatOptions) -> Vec<Edit> {
    let rope = snapshot.file.text();
    let line = rope.byte_to_line(offset);
    let text = |line: usize| rope.line(line).to_string();
    let is_blank = |text: &str| text.trim().is_empty();
    let Some(before) = (0..line).rev().take(1000).map(text).find(|text| !is_blank(text)) else { return Vec::new() };
    let body = before.trim();
    let indent = before.len() - before.trim_start().len();
    let code = body.split("//").next().unwrap_or_default().trim_end();
    let opens = code.ends_with('{') || code.ends_with('(') || (code.ends_with(':') && !code.contains(' '));
    let wanted = before[..indent].to_owned() + &if opens { options.indent(1) } else { String::new() };
    let here = text(line);
    let closes = here.trim_start().starts_with('}');
    let wanted = if closes && opens { before[..indent].to_owned() } else { wanted };
    let start = rope.line_to_byte(line);
    let range = start..start + (here.len() - here.trim_start_matches([' ', '\t']).len());
    match rope.byte_slice(range.clone()) == *wanted {
        true => Vec::new(),
        false => vec![Edit { range, text: wanted }],
    }
}

/// The edits to all whitespace that touches a range, except in functions with syntax errors, where they could change the meaning.
fn edits(snapshot: &Snapshot, within: Range<usize>, broken: &[Range<usize>], options: &FormatOptions) -> Vec<Edit> {
    let file = &snapshot.file;
    let rope = file.text();
    let len = rope.len_bytes();
    // The token before the first whitespace must be included.
    let mut chars = rope.chars_at(rope.byte_to_char(within.start));
    let spaces: usize = std::iter::from_fn(|| chars.prev()).take_while(char::is_ascii_whitespace).count();
    let start = file.clamp((within.start - spaces).saturating_sub(1));
    let eol = match rope.line(0).to_string().ends_with("\r\n") {
        true => "\r\n",
        false => "\n",
    };
    let whole = |gap: &Range<usize>| {
        let at = broken.partition_point(|broken| broken.end <= gap.start);
        broken.get(at).is_none_or(|broken| gap.end <= broken.start)
    };
    let mut edits = Vec::new();
    let mut formatter = Formatter::new(file, start);
    token_events(file, start..within.end, |event| {
        if let Some((range, spacing)) = formatter.process(event)
            && whole(&range)
        {
            edits.extend(edit(&formatter, range, spacing, options, eol));
        }
    });
    if within.end == len
        && let Some((range, spacing)) = formatter.end(len)
        && whole(&range)
    {
        edits.extend(edit(&formatter, range, spacing, options, eol));
    }
    edits
}

/// The edit that applies a spacing; `None` if there is nothing to change.
fn edit(
    formatter: &Formatter,
    range: Range<usize>,
    spacing: Spacing,
    options: &FormatOptions,
    eol: &str,
) -> Option<Edit> {
    let text = match spacing {
        Spacing::Keep => return None,
        Spacing::None => String::new(),
        Spacing::Space => " ".to_owned(),
        Spacing::Lines { count, indent } => {
            // A comment up to the end of its line already holds the first half of a two-byte line end.
            let first = if formatter.after_carriage_return { "\n" } else { eol };
            first.to_owned() + &eol.repeat(count.saturating_sub(1)) + &options.indent(indent)
        }
    };
    (formatter.gap != text).then_some(Edit { range, text })
}

#[cfg(test)]
mod tests;
