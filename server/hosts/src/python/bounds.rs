//! What is given to the parser of Python: texts for which it neither takes long nor writes past the end of a buffer.

use crate::inline_asm::{UnreadCode, UnreadReason};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// The number of nested blocks that Python accepts (CPython's tokenizer: 100 levels of indentation with the outermost).
pub(super) const MAX_BLOCKS: usize = 99;

/// The number of nested nodes that are read. CPython gives up between 1,000 and 3,000.
pub(super) const MAX_DEPTH: usize = 3000;

/// The number of nested brackets that Python accepts.
pub(super) const MAX_BRACKETS: usize = 200;

/// The number of widths of indentation in a text. The scanner of tree-sitter-python 0.25 saves those of the open blocks, 2 bytes each, after at most 257 bytes of
/// others, in a buffer of 1,024, and does not see its end if the number of the others is odd (`tests/evidence/tree_sitter_python`).
/// With 380 it never comes to that end: (1024 - 257) / 2 = 383.
const MAX_WIDTHS: usize = 380;

/// The number of lines with nothing but comments from which on they are joined.
const LONG_RUN: usize = 64;

/// A text for the parser, of the same length, in which many comments one after the other are one: at each comment, the scanner reads all of them up to the next statement.
pub(super) fn with_joined_comments(text: &str) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(text.as_bytes());
    let mut join = |run: &Range<usize>, count: usize| {
        if count >= LONG_RUN {
            bytes.to_mut()[run.clone()].iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        }
    };
    let (mut at, mut run, mut count) = (0, 0..0, 0);
    for line in text.split_inclusive('\n') {
        let content = line.trim_matches(is_space);
        // A line break after a backslash may be part of a string.
        if content.starts_with('#') && !content.ends_with('\\') {
            let start = if count == 0 { at + line.len() - line.trim_start_matches(is_space).len() } else { run.start };
            (run, count) = (start..at + line.trim_end_matches('\n').len(), count + 1);
        } else if !content.is_empty() {
            join(&run, count);
            count = 0;
        }
        at += line.len();
    }
    join(&run, count);
    bytes
}

/// Whether the scanner takes a character for white space.
pub(super) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n' | '\x0c')
}

/// Whether a text may be given to the parser.
///
/// # Errors
/// Why not.
pub(super) fn check(text: &str) -> Result<(), UnreadCode> {
    let refused = |at, reason| Err(UnreadCode::at(text, at, reason));
    if text.len() >= u32::MAX as usize {
        return refused(0, UnreadReason::Steps);
    }
    if number_of_widths(text) <= MAX_WIDTHS {
        return Ok(());
    }
    match first_nested_line(text) {
        Some(at) => refused(at, UnreadReason::Blocks),
        None => refused(0, UnreadReason::Widths),
    }
}

/// The number of times that the parser may ask whether to go on, which it does every 100 steps. Texts without errors take about one step for each byte; error
/// recovery may take many for each token.
pub(super) fn steps(text: &str) -> usize {
    1000 + text.len() / 10
}

/// The number of different widths at which a block may begin, in the scanner's eyes: it takes no notice of where a line break is, in a string for example, and a
/// backslash before a line break continues the white space.
fn number_of_widths(text: &str) -> usize {
    let mut widths = HashSet::new();
    let bytes = text.as_bytes();
    // From the end: the width of the white space from here on; `None` where it goes on after a line break, with a width of its own. The end of the text has 0.
    let (mut width, mut after_break) = (Some(0_u16), Some(0_u16));
    for (at, byte) in bytes.iter().enumerate().rev() {
        let next = bytes.get(at + 1);
        match byte {
            b'\n' | b'\r' | 0x0c | 0 => {
                widths.extend(width);
                if (*byte, next) != (b'\r', Some(&b'\n')) {
                    after_break = width;
                }
                width = None;
            }
            b' ' => width = width.map(|width| width.wrapping_add(1)),
            b'\t' => width = width.map(|width| width.wrapping_add(8)),
            b'\\' if matches!(next, Some(b'\n' | b'\r')) => width = after_break,
            _ => width = Some(0),
        }
    }
    widths.len()
}

/// The offset of the first line that has more lines around it, by their indentation, than blocks may be nested.
fn first_nested_line(text: &str) -> Option<usize> {
    let (mut open, mut at): (Vec<usize>, usize) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let width = line.len() - line.trim_start_matches([' ', '\t']).len();
        if !line.trim_start().is_empty() {
            open.truncate(open.partition_point(|outer| *outer < width));
            open.push(width);
            if open.len() > MAX_BLOCKS + 1 {
                return Some(at);
            }
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_that_the_scanner_may_save() {
        for (text, widths) in [
            ("", 0),
            ("a", 0),
            ("a\n  b\n  c\n", 2),
            ("a\r\n  b\r\n\r\n   \r\n", 2),
            ("a\n \\\n  b", 2),
            ("a\n \\\r\n  b", 2),
            ("a\n\tb\n        c", 1),
            ("a\n \x0c   b", 1),
            ("'''\n a\n  b\n'''", 3),
        ] {
            assert_eq!(number_of_widths(text), widths, "{text:?}");
        }
        assert_eq!(number_of_widths(&"a\n".repeat(1000)), 1);
    }

    #[test]
    fn more_widths_than_the_scanner_has_room_for_are_refused() {
        let staircase = |levels| (0..levels).map(|level| format!("{}if 1:\n", " ".repeat(level))).collect::<String>();
        let reason = |text: &str| check(text).err().map(|unread| unread.reason);
        assert_eq!(reason(&staircase(MAX_WIDTHS)), None);
        assert_eq!(reason(&staircase(MAX_WIDTHS + 2)), Some(UnreadReason::Blocks));
        let columns: String = (0..500).map(|column| format!("f(\n{}1)\n", " ".repeat(column))).collect();
        assert_eq!(reason(&columns), Some(UnreadReason::Widths));
    }
}
