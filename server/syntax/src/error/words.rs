//! The words of a statement: names with their parts, numbers well-formed and not, signs.

use crate::lexer::{Lexer, TokenKind};
use std::ops::Range;

/// What kind of word stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
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
pub(super) struct StatementWord {
    pub(super) kind: WordKind,
    pub(super) range: Range<usize>,
}

/// The words of a text, blanks and comments left out.
pub(super) fn words(text: &str) -> Vec<StatementWord> {
    let mut words: Vec<StatementWord> = Vec::new();
    for (kind, range) in Lexer::code(text) {
        let part = &text[range.clone()];
        let kind = match kind {
            TokenKind::Word | TokenKind::Dotted => WordKind::Word,
            // Whoever writes a sign of percent inside a name means a name.
            TokenKind::Sign if part == "%" => WordKind::Word,
            TokenKind::Number(_) => WordKind::Number,
            TokenKind::BadNumber => WordKind::BadNumber,
            TokenKind::Foreign => WordKind::Foreign,
            _ => WordKind::Sign,
        };
        let hangs = kind == WordKind::Word && part.starts_with(['.', '%']) && part != ".";
        match words.last_mut().filter(|word| hangs && word.kind == kind && word.range.end == range.start) {
            Some(word) => word.range.end = range.end,
            None => words.push(StatementWord { kind, range }),
        }
    }
    words
}
