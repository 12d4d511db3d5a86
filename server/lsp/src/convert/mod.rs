//! Conversion between positions of the protocol and byte offsets.
//!
//! Only this module handles position encodings. Every function is total: a position outside of the text is clamped, one
//! inside a character moves to its start.

use std::ops::Range;
use syntax::Rope;
use tower_lsp::ls_types as lsp;

/// The unit in which a client counts columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the default of the protocol.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// Chooses an encoding of those that a client offers: UTF-8 if possible, else the first supported one.
    pub fn negotiate(offered: Option<&[lsp::PositionEncodingKind]>) -> Self {
        let known = |kind: &lsp::PositionEncodingKind| {
            [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32].into_iter().find(|encoding| encoding.kind() == *kind)
        };
        let offered: Vec<Encoding> = offered.unwrap_or_default().iter().filter_map(known).collect();
        if offered.contains(&Encoding::Utf8) { Encoding::Utf8 } else { offered.first().copied().unwrap_or_default() }
    }

    /// Its name in the protocol.
    pub fn kind(self) -> lsp::PositionEncodingKind {
        match self {
            Encoding::Utf8 => lsp::PositionEncodingKind::UTF8,
            Encoding::Utf16 => lsp::PositionEncodingKind::UTF16,
            Encoding::Utf32 => lsp::PositionEncodingKind::UTF32,
        }
    }
}

/// The byte offset of a position. A line after the last is the end of the text, a column after the last is the end of its line.
pub fn offset(text: &Rope, encoding: Encoding, position: lsp::Position) -> usize {
    let line = position.line as usize;
    if line >= text.len_lines() {
        return text.len_bytes();
    }
    let (start, end) = line_chars(text, line);
    // The end of a line may be asked for as column 2^32 - 1, where addresses have 32 bits.
    let column = position.character as usize;
    let wanted = match encoding {
        Encoding::Utf8 => {
            text.byte_to_char(text.char_to_byte(start).saturating_add(column).min(text.char_to_byte(end)))
        }
        Encoding::Utf16 => text.utf16_cu_to_char(utf16_unit(text, position)),
        Encoding::Utf32 => start.saturating_add(column),
    };
    text.char_to_byte(wanted.min(end))
}

/// The UTF-16 unit of a position, clamped as a byte offset is, but also inside a character.
pub fn utf16_unit(text: &Rope, position: lsp::Position) -> usize {
    let line = position.line as usize;
    if line >= text.len_lines() {
        return text.len_utf16_cu();
    }
    let (start, end) = line_chars(text, line);
    text.char_to_utf16_cu(start).saturating_add(position.character as usize).min(text.char_to_utf16_cu(end))
}

/// The position of a byte offset. Inside a line's terminator it is the end of the line.
///
/// The rope is searched once, because an answer has hundreds of positions; a second time if the line begins in an earlier chunk.
pub fn position(text: &Rope, encoding: Encoding, offset: usize) -> lsp::Position {
    let offset = offset.min(text.len_bytes());
    let (chunk, chunk_start, _, chunk_line) = text.chunk_at_byte(offset);
    let mut end = offset - chunk_start;
    while !chunk.is_char_boundary(end) {
        end -= 1;
    }
    // Chunks do not divide a terminator of two characters.
    if chunk[..end].ends_with('\r') && chunk[end..].starts_with('\n') {
        end -= 1;
    }
    let before = &chunk[..end];
    let line = chunk_line + line_ends(before);
    let column = match before.rfind(['\n', '\r']) {
        Some(terminator) => columns(encoding, &before[terminator + 1..]),
        None => {
            let earlier = text.byte_slice(text.line_to_byte(line)..chunk_start);
            let earlier = match encoding {
                Encoding::Utf8 => earlier.len_bytes(),
                Encoding::Utf16 => earlier.len_utf16_cu(),
                Encoding::Utf32 => earlier.len_chars(),
            };
            earlier + columns(encoding, before)
        }
    };
    lsp::Position::new(saturate(line), saturate(column))
}

/// The number of terminators in a text whose last one is whole.
fn line_ends(text: &str) -> usize {
    let newlines = text.bytes().filter(|byte| *byte == b'\n').count();
    newlines + text.match_indices('\r').filter(|(at, _)| text.as_bytes().get(at + 1) != Some(&b'\n')).count()
}

/// The number of columns of a text without line ends.
fn columns(encoding: Encoding, text: &str) -> usize {
    match encoding {
        Encoding::Utf8 => text.len(),
        Encoding::Utf16 if text.is_ascii() => text.len(),
        Encoding::Utf16 => text.chars().map(char::len_utf16).sum(),
        Encoding::Utf32 => text.chars().count(),
    }
}

/// The byte range of a range; start and end are swapped if reversed.
pub fn bytes(text: &Rope, encoding: Encoding, range: lsp::Range) -> Range<usize> {
    let (start, end) = (offset(text, encoding, range.start), offset(text, encoding, range.end));
    start.min(end)..start.max(end)
}

/// The range of a byte range.
pub fn range(text: &Rope, encoding: Encoding, bytes: &Range<usize>) -> lsp::Range {
    lsp::Range::new(position(text, encoding, bytes.start), position(text, encoding, bytes.end))
}

/// The characters of a line without its terminator.
fn line_chars(text: &Rope, line: usize) -> (usize, usize) {
    let start = text.line_to_char(line);
    let mut end = text.line_to_char(line + 1);
    if end > start && text.char(end - 1) == '\n' {
        end -= 1;
    }
    if end > start && text.char(end - 1) == '\r' {
        end -= 1;
    }
    (start, end)
}

fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
