//! The words of a statement: names with their parts, valid and invalid numbers, signs.

use crate::lexer::{Lexer, TokenKind};
use std::ops::Range;

/// The kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A name, an opcode, a part of a register.
    Word,
    /// A well-formed number.
    Number,
    /// Digits followed by something that is not part of a number.
    BadNumber,
    /// An operator or punctuation mark of one or more characters.
    Sign,
    /// A character that is invalid in PTX.
    Foreign,
}

/// A word of a statement; ranges are bytes in the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatementWord {
    pub(super) kind: WordKind,
    pub(super) range: Range<usize>,
}

/// The words of a text, without white space and comments.
pub(super) fn words(text: &str) -> Vec<StatementWord> {
    let mut words: Vec<StatementWord> = Vec::new();
    for (kind, range) in Lexer::code(text) {
        let part = &text[range.clone()];
        let kind = match kind {
            TokenKind::Word | TokenKind::Dotted => WordKind::Word,
            // A `%` inside a name is read as part of the name.
            TokenKind::Sign if part == "%" => WordKind::Word,
            TokenKind::Number(_) => WordKind::Number,
            TokenKind::BadNumber => WordKind::BadNumber,
            TokenKind::Foreign => WordKind::Foreign,
            _ => WordKind::Sign,
        };
        let is_suffix = kind == WordKind::Word && part.starts_with(['.', '%']) && part != ".";
        match words.last_mut().filter(|word| is_suffix && word.kind == kind && word.range.end == range.start) {
            Some(word) => word.range.end = range.end,
            None => words.push(StatementWord { kind, range }),
        }
    }
    words
}
