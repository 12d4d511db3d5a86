//! A text as bytes: what stands at a place, and where the smallest things end: comments, strings, names, numbers.
//!
//! Must not know what they are part of.

use std::ops::Range;

/// The bytes of a text.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'t>(&'t [u8]);

/// What a byte is, as a table: a lookup instead of a chain of comparisons.
const BLANK: u8 = 1;
pub(super) const WORD: u8 = 2;
pub(super) const LETTER: u8 = 4;
pub(super) const DIGIT: u8 = 8;
const HEX: u8 = 16;
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        class[byte] = (if matches!(b, b' ' | b'\t' | b'\r' | b'\n') { BLANK } else { 0 })
            | (if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') { WORD } else { 0 })
            | (if b.is_ascii_alphabetic() { LETTER } else { 0 })
            | (if b.is_ascii_digit() { DIGIT } else { 0 })
            | (if b.is_ascii_hexdigit() { HEX } else { 0 });
        byte += 1;
    }
    class
};

pub(super) fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

impl<'t> Bytes<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Bytes(text.as_bytes())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'t [u8] {
        &self.0[range]
    }

    /// The byte at a place; zero, which is nowhere in PTX, behind the end.
    pub(super) fn at(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    /// The end of the bytes of a class from a place on.
    pub(super) fn class_end(&self, mut at: usize, class: u8) -> usize {
        while at < self.0.len() && is(self.0[at], class) {
            at += 1;
        }
        at
    }

    /// The end of the letters and digits of words from a place on.
    pub(super) fn word(&self, at: usize) -> usize {
        self.class_end(at, WORD)
    }

    /// The end of blanks, if there are any.
    pub(super) fn blanks(&self, at: usize) -> usize {
        self.class_end(at, BLANK)
    }

    /// Whether a comment to the end of its line is there, and no word to us: that is left to be read by those that it is meant for.
    pub(super) fn is_remark(&self, at: usize) -> bool {
        self.at(at) == b'/' && self.at(at + 1) == b'/' && !matches!(self.at(at + 2), b'=' | b'!')
    }

    /// The end of blanks and remarks.
    pub(super) fn skipped(&self, at: usize) -> usize {
        let mut end = self.blanks(at);
        while self.at(end) == b'/' && self.is_remark(end) {
            end = self.blanks(self.line_end(end));
        }
        end
    }

    /// The end of at least one blank.
    pub(super) fn gap(&self, at: usize) -> Option<usize> {
        let end = self.blanks(at);
        (end > at).then_some(end)
    }

    /// The end of a word that begins at a place.
    pub(super) fn after(&self, at: usize, text: &[u8]) -> Option<usize> {
        self.0[at..].starts_with(text).then_some(at + text.len())
    }

    /// The end of the line that a place is in, its line break included.
    pub(super) fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', &self.0[at..]).map_or(self.0.len(), |end| at + end + 1)
    }

    /// The end of a comment that may begin at a place; `None` if none does, or it has no end.
    pub(super) fn comment(&self, at: usize) -> Option<usize> {
        match self.at(at + 1) {
            b'/' => Some(self.line_end(at)),
            b'*' => memchr::memmem::find(&self.0[at + 2..], b"*/").map(|end| at + 2 + end + 2),
            _ => None,
        }
    }

    /// The end of a string; `None` if it does not end in its line, or holds a backslash, over which readers differ.
    pub(super) fn string(&self, at: usize) -> Option<usize> {
        let end = memchr::memchr3(b'"', b'\\', b'\n', &self.0[at + 1..])?;
        (self.0[at + 1 + end] == b'"').then_some(at + 1 + end + 1)
    }

    /// The end of a name.
    pub(super) fn name(&self, at: usize) -> Option<usize> {
        let first = self.at(at);
        let end = self.word(at + 1);
        let long = matches!(first, b'%' | b'$' | b'_') && end > at + 1;
        if !is(first, LETTER) && !long {
            return None;
        }
        let reserved = matches!(first, b'W' | b'f' | b'i')
            && matches!(&self.0[at..end], b"WARP_SZ" | b"function_name" | b"inlined_at");
        (!reserved).then_some(end)
    }

    /// The end of an integer, or of a float by its bits.
    pub(super) fn number(&self, at: usize) -> Option<usize> {
        let digits = match (self.at(at), self.at(at + 1)) {
            (b'0', b'f' | b'F') => 8,
            (b'0', b'd' | b'D') => 16,
            _ => return self.integer(at),
        };
        let end = self.class_end(at + 2, HEX);
        (end == at + 2 + digits && !is(self.at(end), WORD)).then_some(end)
    }

    /// The end of a decimal or hexadecimal integer without a sign.
    pub(super) fn integer(&self, at: usize) -> Option<usize> {
        let end = match self.at(at) {
            b'1'..=b'9' => self.class_end(at + 1, DIGIT),
            b'0' if matches!(self.at(at + 1), b'x' | b'X') => {
                let end = self.class_end(at + 2, HEX);
                (end > at + 2).then_some(end)?
            }
            b'0' => at + 1,
            _ => return None,
        };
        let end = end + usize::from(self.at(end) == b'U');
        // A point or a letter would make it another number.
        (!is(self.at(end), WORD) && self.at(end) != b'.').then_some(end)
    }
}
