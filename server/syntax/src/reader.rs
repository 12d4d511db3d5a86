//! Tokens: text with its byte range, read fast in ascending order.

use ropey::Rope;
use std::borrow::Cow;
use std::ops::Range;

/// A part of the text and its byte range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// Its byte range.
    pub range: Range<usize>,
}

impl<'a> Token<'a> {
    /// A part of this token, in bytes from its start.
    pub fn part(&self, part: Range<usize>) -> Token<'a> {
        let text = match &self.text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[part.clone()]),
            Cow::Owned(text) => Cow::Owned(text[part.clone()].to_owned()),
        };
        Token { text, range: self.range.start + part.start..self.range.start + part.end }
    }
}

/// Reads ranges of a rope; cheap if a range is near the last one.
pub struct RopeReader<'a> {
    rope: &'a Rope,
    chunk: &'a str,
    start: usize,
}

impl<'a> RopeReader<'a> {
    /// A reader of a text.
    pub fn new(rope: &'a Rope) -> Self {
        RopeReader { rope, chunk: "", start: 0 }
    }

    /// The last matching character before an offset.
    pub(crate) fn last_before(&self, at: usize, is: impl Fn(char) -> bool) -> Option<char> {
        self.rope.chars_at(self.rope.byte_to_char(at)).reversed().find(|c| is(*c))
    }

    /// The first byte at or after an offset that matches.
    pub(crate) fn first_byte(&mut self, mut at: usize, is: impl Fn(u8) -> bool) -> Option<u8> {
        while at < self.rope.len_bytes() {
            if at < self.start || at >= self.start + self.chunk.len() {
                let (chunk, start, _, _) = self.rope.chunk_at_byte(at);
                (self.chunk, self.start) = (chunk, start);
            }
            let rest = &self.chunk.as_bytes()[at - self.start..];
            if let Some(found) = rest.iter().find(|byte| is(**byte)) {
                return Some(*found);
            }
            at += rest.len();
        }
        None
    }

    /// The text of a byte range. It must be within the text and on character boundaries.
    pub fn read(&mut self, range: Range<usize>) -> Token<'a> {
        if range.start < self.start || range.end > self.start + self.chunk.len() {
            let (chunk, start, _, _) = self.rope.chunk_at_byte(range.start);
            (self.chunk, self.start) = (chunk, start);
        }
        let text = match self.chunk.get(range.start - self.start..range.end - self.start) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.join(&range)),
        };
        Token { text, range }
    }

    /// The text of a byte range in several chunks, of which the current one is the first.
    fn join(&self, range: &Range<usize>) -> String {
        let mut text = String::with_capacity(range.len());
        let (mut chunk, mut start) = (self.chunk, self.start);
        loop {
            let from = range.start.max(start);
            let end = range.end.min(start + chunk.len());
            text += &chunk[from - start..end - start];
            if end == range.end {
                return text;
            }
            (chunk, start, _, _) = self.rope.chunk_at_byte(end);
        }
    }
}
