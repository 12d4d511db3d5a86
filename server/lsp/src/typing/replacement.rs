//! Replacements of a part of a text, and where other parts are afterwards.

use std::ops::Range;
use syntax::Rope;

/// The longest text whose replacement as a whole is compared, in bytes.
const LONGEST_COMPARED: usize = 1 << 20;

/// A range of bytes was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The replaced bytes, in the text before.
    range: Range<usize>,
    /// The number of new bytes.
    length: usize,
    /// The line ends that were replaced, or the new ones if they are more.
    line_ends: usize,
}

impl Replacement {
    /// The replacement of a range of a text.
    pub fn new(before: &Rope, range: Range<usize>, new: &str) -> Self {
        let old = before.byte_slice(range.clone());
        let line_ends = (old.len_lines() - 1).max(new.bytes().filter(|byte| *byte == b'\n').count());
        Replacement { range, length: new.len(), line_ends }
    }

    /// Whether it may be typed: within one line, or with one line end.
    pub fn is_typed(&self) -> bool {
        self.line_ends <= 1
    }

    /// The new bytes, in the text afterwards.
    pub fn replaced(&self) -> Range<usize> {
        self.range.start..self.range.start + self.length
    }

    /// Whether a range of the text before is changed, or begins or ends there.
    pub fn touches(&self, range: &Range<usize>) -> bool {
        range.start <= self.range.end && self.range.start <= range.end
    }

    /// Where a range of the text before is afterwards. What is inserted at its start or end is not in it.
    pub fn moved(&self, range: &Range<usize>) -> Range<usize> {
        let end = self.replaced().end;
        let behind = |at: usize| at - self.range.end + end;
        let start = match range.start {
            start if start >= self.range.end => behind(start),
            start => start.min(self.range.start),
        };
        let stop = match range.end {
            stop if stop <= self.range.start => stop,
            stop if stop >= self.range.end => behind(stop),
            _ => end,
        };
        start..stop.max(start)
    }
}

/// The replacement that makes one text of another; `None` if they are long.
pub fn between(before: &Rope, after: &Rope) -> Option<Replacement> {
    let (old, new) = (before.len_bytes(), after.len_bytes());
    if old.max(new) > LONGEST_COMPARED {
        return None;
    }
    let shared = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let start = after.char_to_byte(after.byte_to_char(shared));
    let (mut from_end, mut other) = (before.bytes_at(old), after.bytes_at(new));
    let same = (start..old.min(new)).take_while(|_| from_end.prev() == other.prev()).count();
    // The end may be inside of a character.
    let character = after.byte_to_char(new - same);
    let inside = usize::from(after.char_to_byte(character) < new - same);
    let end = after.char_to_byte(character + inside);
    let replaced = start..old - (new - end);
    Some(Replacement::new(before, replaced, &after.byte_slice(start..end).to_string()))
}
