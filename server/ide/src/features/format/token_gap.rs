//! Two adjacent tokens and the whitespace between them.

use syntax::TokenClass;

/// The token before the whitespace.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreviousToken {
    pub end: usize,
    pub kind: TokenClass,
    /// The first byte of punctuation or an operator; 0 for other tokens.
    pub sign: u8,
    pub line_comment: bool,
    pub frozen: bool,
    pub verbatim: bool,
}

/// The whitespace between two tokens, and the tokens.
pub(super) struct TokenGap {
    pub before: PreviousToken,
    pub kind: TokenClass,
    /// The first byte of punctuation or an operator; 0 for other tokens.
    pub sign: u8,
    /// Whether the next token is the `}` of a block.
    pub closes_block: bool,
    pub newlines: usize,
}

impl TokenGap {
    /// Whether the next token is on another line.
    pub fn is_broken(&self) -> bool {
        self.before.line_comment || self.newlines > 0
    }

    /// The line breaks before a new line: an empty line stays, further ones are removed.
    pub fn line_breaks(&self) -> usize {
        self.newlines.clamp(1, 2)
    }

    /// Whether the next token is one of some punctuation characters.
    pub fn precedes(&self, signs: &[u8]) -> bool {
        punctuation(self.sign, self.kind, signs)
    }

    /// Whether the token before is one of some punctuation characters.
    pub fn follows(&self, signs: &[u8]) -> bool {
        punctuation(self.before.sign, self.before.kind, signs)
    }
}

/// Whether a token is one of some punctuation characters.
fn punctuation(sign: u8, kind: TokenClass, signs: &[u8]) -> bool {
    kind == TokenClass::Punctuation && signs.contains(&sign)
}
