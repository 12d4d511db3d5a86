//! The words of a statement: names with their parts, numbers well-formed and not, signs.
//!
//! Must not know which word may follow which, nor the tree.

use crate::lexer::{Lexer, TokenKind};
use std::ops::Range;

/// What kind of word stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, an opcode, a part of a register.
    Word,
    /// A well-formed number.
    Number,
    /// Digits with something behind them that makes no number.
    BadNumber,
    /// A sign, or several that belong together.
    Sign,
    /// A character that PTX does not know.
    Foreign,
}

/// A word of a statement; ranges are bytes in the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// The words of a text, blanks and comments left out.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (kind, range) in Lexer::code(text) {
        let part = &text[range.clone()];
        let kind = match kind {
            TokenKind::Word | TokenKind::Dotted => Kind::Word,
            // Whoever writes a sign of percent inside a name means a name.
            TokenKind::Sign if part == "%" => Kind::Word,
            TokenKind::Number(_) => Kind::Number,
            TokenKind::BadNumber => Kind::BadNumber,
            TokenKind::Foreign => Kind::Foreign,
            _ => Kind::Sign,
        };
        let hangs = kind == Kind::Word && part.starts_with(['.', '%']) && part != ".";
        match words.last_mut().filter(|word| hangs && word.kind == kind && word.range.end == range.start) {
            Some(word) => word.range.end = range.end,
            None => words.push(Word { kind, range }),
        }
    }
    words
}
