//! The tokens of a C++ text, with each `asm` statement as one token.

use crate::cpp::lexer::{CppLexer, CppTokenKind};
use crate::inline_asm::AsmStatement;
use std::ops::Range;

/// A token and its range.
#[derive(Clone, Debug)]
pub(super) struct BodyToken {
    pub kind: BodyTokenKind,
    pub range: Range<usize>,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyTokenKind {
    Word,
    Number,
    Sign(u8),
    /// An `asm` statement, by its number.
    Statement(usize),
    /// A directive of the preprocessor that may leave code out.
    Condition,
    /// A comment of dots, for code that is left out.
    Omitted,
    /// A literal.
    Other,
}

impl BodyToken {
    pub fn is(&self, sign: u8) -> bool {
        self.kind == BodyTokenKind::Sign(sign)
    }
}

/// The tokens of a text.
pub(super) fn tokens(mut lexer: CppLexer, statements: &[AsmStatement]) -> Vec<BodyToken> {
    let mut tokens = Vec::new();
    let mut next = 0;
    loop {
        let before = lexer.at;
        let token = lexer.next();
        let between = before..token.range.start.max(before);
        if is_omission(&lexer.text[between.clone()]) {
            tokens.push(BodyToken { kind: BodyTokenKind::Omitted, range: between });
        }
        while statements.get(next).is_some_and(|statement| statement.range.start < token.range.start) {
            next += 1;
        }
        if let Some(statement) = statements.get(next).filter(|next| next.range.start == token.range.start) {
            tokens.push(BodyToken { kind: BodyTokenKind::Statement(next), range: statement.range.clone() });
            lexer.at = statement.range.end;
            continue;
        }
        let kind = match token.kind {
            CppTokenKind::End => return tokens,
            CppTokenKind::Directive => {
                let mut line = lexer.clone();
                line.in_line = true;
                let word = line.next();
                let is_harmless = matches!(&lexer.text[word.range], "pragma" | "include");
                while line.next().kind != CppTokenKind::End {}
                lexer.at = line.at;
                if is_harmless {
                    continue;
                }
                BodyTokenKind::Condition
            }
            CppTokenKind::Word => BodyTokenKind::Word,
            CppTokenKind::Number => BodyTokenKind::Number,
            CppTokenKind::Sign(sign) => BodyTokenKind::Sign(sign),
            CppTokenKind::Text(_) | CppTokenKind::Character => BodyTokenKind::Other,
        };
        tokens.push(BodyToken { kind, range: token.range });
    }
}

/// Whether white space between tokens has a comment of dots only.
fn is_omission(space: &str) -> bool {
    space.contains("...")
        && space.lines().any(|line| {
            let line = line.trim();
            let comment = line.strip_prefix("//").or_else(|| line.strip_prefix("/*")?.strip_suffix("*/"));
            comment.is_some_and(|comment| comment.trim().bytes().all(|byte| byte == b'.'))
        })
}

/// The token that closes the bracket at a token.
pub(super) fn matching(tokens: &[BodyToken], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            BodyTokenKind::Sign(b'(' | b'[' | b'{') => depth += 1,
            BodyTokenKind::Sign(b')' | b']' | b'}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
