//! The lexer of PTX: words, numbers and signs, and the trivia between them.

mod byte_lines;
mod bytes;
mod number;
pub(crate) mod trivia;

pub use crate::lexer::byte_lines::byte_lines;
pub(crate) use crate::lexer::bytes::{Bytes, DIGIT, LETTER, WORD, is};
pub use crate::lexer::bytes::{is_name_byte, is_name_char, is_word_char};
pub use crate::lexer::number::{Number, NumberKind, decimal_or_hex};

use std::ops::Range;

/// What a token is by its spelling alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name, a mnemonic, `_`.
    Word,
    /// A word with a dot before it: `.u32`, `.x`, `.L2::cache_hint`; or the dot alone.
    Dotted,
    /// A well-formed number.
    Number(NumberKind),
    /// An invalid number.
    BadNumber,
    /// A string with its quotes.
    String,
    Comment,
    /// `# 1 "file"`
    LineMarker,
    /// A sign of one or two characters.
    Sign,
    /// A character that is not ASCII.
    Foreign,
}

/// Signs of two characters.
const DOUBLE: [&[u8; 2]; 8] = [b"||", b"&&", b"==", b"!=", b"<=", b">=", b"<<", b">>"];

/// What a dot before a digit begins, unless it follows a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dots {
    /// A number: `.5`.
    Numbers,
    /// A modifier, as in `tex .2d`.
    Modifiers,
}

/// The tokens of a text, without white space.
pub(crate) struct Lexer<'t> {
    text: &'t str,
    bytes: Bytes<'t>,
    at: usize,
    dots: Dots,
    /// The end of the last word, with or without a dot.
    word_end: Option<usize>,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str, dots: Dots) -> Self {
        Lexer { text, bytes: Bytes::of(text), at: 0, dots, word_end: None }
    }

    /// The tokens of a text without its comments and line markers.
    pub(crate) fn code(text: &'t str) -> impl Iterator<Item = (TokenKind, Range<usize>)> {
        Lexer::new(text, Dots::Numbers).filter(|(kind, _)| !matches!(kind, TokenKind::Comment | TokenKind::LineMarker))
    }

    /// Skips to after the ends of open braces, or to the end of the text. Faster than reading the tokens.
    pub(crate) fn skip_braces(&mut self, mut depth: usize) {
        while depth > 0 && self.at < self.text.len() {
            let byte = self.bytes.at(self.at);
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            let end = match byte {
                b'/' | b'#' => trivia::end(self.text, self.at),
                b'"' => self.string(self.at).unwrap_or(0),
                _ => 0,
            };
            self.at = end.max(self.at + 1);
        }
        self.word_end = None;
    }

    /// The kind and the end of the token at an offset.
    fn token(&self, at: usize) -> (TokenKind, usize) {
        let second = self.bytes.at(at + 1);
        match self.bytes.at(at) {
            b'/' if matches!(second, b'/' | b'*') => (TokenKind::Comment, trivia::end(self.text, at)),
            b'#' => (TokenKind::LineMarker, trivia::end(self.text, at)),
            b'"' => self.string(at).map_or((TokenKind::Sign, at + 1), |end| (TokenKind::String, end)),
            b'0'..=b'9' => self.number(at),
            b'.' if second.is_ascii_digit() && self.dots == Dots::Numbers && self.word_end != Some(at) => {
                self.number(at)
            }
            b'.' => (TokenKind::Dotted, self.dotted(at)),
            b'%' if !is(second, WORD) => (TokenKind::Sign, at + 1),
            byte if is(byte, WORD) || byte == b'%' => (TokenKind::Word, self.bytes.word(at + 1)),
            byte if byte.is_ascii() => {
                let double = DOUBLE.iter().any(|double| **double == [byte, second]);
                (TokenKind::Sign, at + 1 + usize::from(double))
            }
            _ => (TokenKind::Foreign, at + self.text[at..].chars().next().map_or(1, char::len_utf8)),
        }
    }

    /// The end of a string that ends on its line.
    fn string(&self, at: usize) -> Option<usize> {
        let rest = &self.text.as_bytes()[at + 1..];
        let end = memchr::memchr2(b'"', b'\n', rest).filter(|end| rest[*end] == b'"')?;
        Some(at + end + 2)
    }

    fn number(&self, at: usize) -> (TokenKind, usize) {
        let end = self.bytes.numeral(at);
        let number = self.bytes.number(at).filter(|(_, number)| *number == end);
        (number.map_or(TokenKind::BadNumber, |(kind, _)| TokenKind::Number(kind)), end)
    }

    /// The end of a dot and the word after it, with further words after `::`.
    fn dotted(&self, at: usize) -> usize {
        let mut end = self.bytes.word(at + 1);
        while self.bytes.at(end) == b':' && self.bytes.at(end + 1) == b':' {
            end = self.bytes.word(end + 2);
        }
        end
    }
}

impl Iterator for Lexer<'_> {
    type Item = (TokenKind, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        while trivia::is_blank(self.bytes.at(self.at)) {
            self.at += 1;
        }
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let (kind, end) = self.token(start);
        self.at = end;
        self.word_end = matches!(kind, TokenKind::Word | TokenKind::Dotted).then_some(end);
        Some((kind, start..end))
    }
}
