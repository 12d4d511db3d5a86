//! A text as bytes, and the ends of its smallest elements: comments, strings, names.

use std::ops::Range;

/// The bytes of a text.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'t>(&'t [u8]);

/// The classes of all bytes: a lookup is faster than a chain of comparisons.
const BLANK: u8 = 1;
pub(crate) const WORD: u8 = 2;
pub(crate) const LETTER: u8 = 4;
pub(crate) const DIGIT: u8 = 8;
pub(super) const HEX: u8 = 16;
pub(super) const OCTAL: u8 = 32;
pub(super) const BINARY: u8 = 64;
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        class[byte] = (if matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'\x0c') { BLANK } else { 0 })
            | (if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') { WORD } else { 0 })
            | (if b.is_ascii_alphabetic() { LETTER } else { 0 })
            | (if b.is_ascii_digit() { DIGIT } else { 0 })
            | (if b.is_ascii_hexdigit() { HEX } else { 0 })
            | (if matches!(b, b'0'..=b'7') { OCTAL } else { 0 })
            | (if matches!(b, b'0' | b'1') { BINARY } else { 0 });
        byte += 1;
    }
    class
};

/// Whether a byte is of a class.
pub(crate) fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// Whether a character may be part of a word: a letter, a digit, `_` or `$`.
pub fn is_word_char(c: char) -> bool {
    c.is_ascii() && is(c as u8, WORD)
}

/// Whether a byte may be part of a name, as [`is_name_char`].
pub fn is_name_byte(byte: u8) -> bool {
    is(byte, WORD) || byte == b'%'
}

/// Whether a character may be part of a name, a register's `%` included.
pub fn is_name_char(c: char) -> bool {
    is_word_char(c) || c == '%'
}

impl<'t> Bytes<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Bytes(text.as_bytes())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The bytes of a range; empty if it exceeds the text.
    pub(crate) fn slice(&self, range: Range<usize>) -> &'t [u8] {
        self.0.get(range).unwrap_or_default()
    }

    /// The bytes from an offset on; empty after the end.
    fn from(&self, at: usize) -> &'t [u8] {
        self.0.get(at..).unwrap_or_default()
    }

    /// The byte at an offset; after the end zero, which does not occur in PTX.
    pub(crate) fn at(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    /// The end of the bytes of a class from an offset on.
    pub(crate) fn class_end(&self, at: usize, class: u8) -> usize {
        let mut at = at.min(self.0.len());
        while at < self.0.len() && is(self.0[at], class) {
            at += 1;
        }
        at
    }

    /// The end of the letters and digits of words from an offset on.
    pub(crate) fn word(&self, at: usize) -> usize {
        self.class_end(at, WORD)
    }

    /// The end of optional white space.
    pub(crate) fn blanks(&self, at: usize) -> usize {
        self.class_end(at, BLANK)
    }

    /// The end of optional spaces and tabs.
    pub(crate) fn spaces(&self, mut at: usize) -> usize {
        while matches!(self.at(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }

    /// Whether there is a comment that is no directive comment.
    pub(crate) fn is_remark(&self, at: usize) -> bool {
        match (self.at(at), self.at(at + 1)) {
            (b'/', b'/' | b'*') => !matches!(self.at(at + 2), b'=' | b'!'),
            _ => false,
        }
    }

    /// The end of white space, comments and line markers.
    pub(crate) fn skipped(&self, at: usize) -> usize {
        let mut end = self.blanks(at);
        loop {
            let next = match self.at(end) {
                b'/' if self.is_remark(end) => self.comment(end),
                b'#' => self.line_marker(end),
                _ => None,
            };
            match next {
                Some(next) => end = self.blanks(next),
                None => return end,
            }
        }
    }

    /// The end of white space, comments and line markers, at least one of them.
    pub(crate) fn gap(&self, at: usize) -> Option<usize> {
        let end = self.skipped(at);
        (end > at).then_some(end)
    }

    /// The end of a word and what may follow it before the next token, if the word ends there.
    pub(crate) fn behind(&self, at: usize, word: &[u8]) -> Option<usize> {
        let end = self.after(at, word).filter(|end| !is(self.at(*end), WORD))?;
        Some(self.skipped(end))
    }

    /// The end of `# 1 "file" 2` with its line break.
    fn line_marker(&self, at: usize) -> Option<usize> {
        let mut at = self.spaces(at + 1);
        at = self.after(at, b"line").map_or(at, |end| self.spaces(end));
        let digits = self.class_end(at, DIGIT);
        let path = self.spaces(digits);
        let mut end = self.string(path).filter(|_| digits > at && path > digits && self.at(path) == b'"')?;
        if !self.slice(path..end).is_ascii() {
            return None;
        }
        loop {
            let flag = self.spaces(end);
            if flag == end || !is(self.at(flag), DIGIT) {
                break;
            }
            end = flag + 1;
        }
        while matches!(self.at(end), b' ' | b'\t' | b'\r' | b'\x0c') {
            end += 1;
        }
        self.after(end, b"\n")
    }

    /// The end of a word that begins at an offset.
    pub(crate) fn after(&self, at: usize, text: &[u8]) -> Option<usize> {
        self.from(at).starts_with(text).then_some(at + text.len())
    }

    /// The end of the line that contains an offset, its line break included.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', self.from(at)).map_or(self.0.len(), |end| at + end + 1)
    }

    /// The end of a comment that begins at an offset; `None` if there is none or it is unterminated.
    pub(crate) fn comment(&self, at: usize) -> Option<usize> {
        match self.at(at + 1) {
            b'/' => Some(self.line_end(at)),
            b'*' => memchr::memmem::find(self.from(at + 2), b"*/").map(|end| at + 2 + end + 2),
            _ => None,
        }
    }

    /// The end of a string; `None` if it does not end on its line, or contains a backslash, which parsers treat differently.
    pub(crate) fn string(&self, at: usize) -> Option<usize> {
        let end = memchr::memchr3(b'"', b'\\', b'\n', self.from(at + 1))?;
        (self.0[at + 1 + end] == b'"').then_some(at + 1 + end + 1)
    }

    /// The end of a name.
    pub(crate) fn name(&self, at: usize) -> Option<usize> {
        let first = self.at(at);
        let end = self.word(at + 1);
        let long = matches!(first, b'%' | b'$' | b'_') && end > at + 1;
        if !is(first, LETTER) && !long {
            return None;
        }
        let reserved = matches!(first, b'W' | b'f' | b'i')
            && matches!(self.slice(at..end), b"WARP_SZ" | b"function_name" | b"inlined_at");
        (!reserved).then_some(end)
    }
}
