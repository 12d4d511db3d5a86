//! Formatting: what stands between the words of a text. The words themselves, strings and comments among them, are never touched.
//!
//! The style: directives of the module and labels begin their line, statements are indented by their block, an opcode is followed
//! by one blank and a comma by one; lines that were wrapped inside a statement stay wrapped; of several empty lines one remains.
//! A function that holds a syntax error stays as it is, and so does the whole text where one lies between functions; only the line
//! that is being typed is brought into style nevertheless.

mod spacing;

use super::names::in_comment;
use diagnostics::{Edit, Snapshot};
use spacing::{Formatter, Spacing};
use std::ops::Range;
use syntax::token_events;

/// How indentation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatOptions {
    /// Tabs instead of blanks.
    pub tabs: bool,
    /// Blanks for a level.
    pub width: usize,
}

impl Default for FormatOptions {
    /// A tab, as compilers print PTX.
    fn default() -> Self {
        FormatOptions { tabs: true, width: 4 }
    }
}

impl FormatOptions {
    fn indent(&self, levels: usize) -> String {
        if self.tabs { "\t".repeat(levels) } else { " ".repeat(levels * self.width.min(16)) }
    }
}

/// Edits that lay a text out.
pub trait FormattingProvider {
    /// Edits that lay the text out.
    fn format(&self, _options: &FormatOptions) -> Vec<Edit> {
        Vec::new()
    }

    /// Edits that lay a part out.
    fn format_range(&self, _range: Range<usize>, _options: &FormatOptions) -> Vec<Edit> {
        Vec::new()
    }

    /// Edits that lay out what was just typed.
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
                // A line can be brought into style although another one is being written.
                lines(self, offset - 1..offset - 1, &[], options).into_iter().filter(before).collect()
            }
            b'\n' => new_line(self, offset, options),
            _ => Vec::new(),
        }
    }
}

fn lines(snapshot: &Snapshot, range: Range<usize>, broken: &[Range<usize>], options: &FormatOptions) -> Vec<Edit> {
    let file = &snapshot.file;
    let rope = file.text();
    let start = file.clamp(range.start);
    let end = file.clamp(range.end.max(range.start));
    let line = rope.line_to_byte(rope.byte_to_line(start));
    let next = rope.byte_to_line(end) + 1;
    let line_end = if next < rope.len_lines() { rope.line_to_byte(next) } else { rope.len_bytes() };
    // What stands before a line belongs to it; what stands behind the last line to the next one.
    let last = line_end == rope.len_bytes();
    let inside = |edit: &Edit| edit.range.end >= line && (edit.range.end < line_end || last);
    edits(snapshot, line..line_end, broken, options).into_iter().filter(inside).collect()
}

/// Indents the line that was begun: by the line before, because behind a half written text there is often no tree.
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

/// The edits to all blanks that touch a range, but for those in broken functions: what a parser makes of them may change with the blanks.
fn edits(snapshot: &Snapshot, within: Range<usize>, broken: &[Range<usize>], options: &FormatOptions) -> Vec<Edit> {
    let file = &snapshot.file;
    let rope = file.text();
    let len = rope.len_bytes();
    // The word before the first blank must be seen as well.
    let mut chars = rope.chars_at(rope.byte_to_char(within.start));
    let blanks: usize = std::iter::from_fn(|| chars.prev()).take_while(char::is_ascii_whitespace).count();
    let start = file.clamp((within.start - blanks).saturating_sub(1));
    let eol = match rope.line(0).to_string().ends_with("\r\n") {
        true => "\r\n",
        false => "\n",
    };
    let whole = |gap: &Range<usize>| {
        let at = broken.partition_point(|broken| broken.end <= gap.start);
        broken.get(at).is_none_or(|broken| gap.end <= broken.start)
    };
    let mut edits = Vec::new();
    let mut formatter = Formatter::new(file, start > 0);
    token_events(file, start..within.end, |piece| {
        if let Some((range, wish)) = formatter.see(piece)
            && whole(&range)
        {
            edits.extend(edit(&formatter, range, wish, options, eol));
        }
    });
    if within.end == len
        && let Some((range, wish)) = formatter.end(len)
        && whole(&range)
    {
        edits.extend(edit(&formatter, range, wish, options, eol));
    }
    edits
}

/// The edit that fulfils a wish; `None` where it is fulfilled.
fn edit(formatter: &Formatter, range: Range<usize>, wish: Spacing, options: &FormatOptions, eol: &str) -> Option<Edit> {
    let text = match wish {
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
