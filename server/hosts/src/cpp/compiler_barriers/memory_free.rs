//! Tokens that certainly do not access memory, and matching brackets.

use super::tokens::BarrierToken;
use super::{HostCode, LONGEST};
use std::ops::Range;

impl HostCode<'_> {
    /// Whether tokens certainly do not access memory, except in other statements and barriers.
    pub(super) fn is_plain(&self, range: Range<usize>) -> bool {
        range.len() <= LONGEST && range.into_iter().all(|at| self.is_plain_at(at))
    }

    fn is_plain_at(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map_or(BarrierToken::Unknown, |at| self.tokens[at]);
        let next = self.tokens.get(at + 1).copied();
        match self.tokens[at] {
            BarrierToken::Unknown => false,
            BarrierToken::Word("if" | "while" | "for" | "__nanosleep" | "__builtin_expect") => true,
            BarrierToken::Word("case" | "default" | "switch" | "goto" | "new" | "delete" | "struct" | "class") => false,
            BarrierToken::Word(_) => next != Some(BarrierToken::Sign(b'(')),
            BarrierToken::Sign(b'*' | b'[' | b']') => false,
            BarrierToken::Sign(b'>') => before(1) != BarrierToken::Sign(b'-'),
            BarrierToken::Sign(b'.') => {
                matches!(before(1), BarrierToken::Word("threadIdx" | "blockIdx" | "blockDim" | "gridDim"))
            }
            BarrierToken::Sign(b'(') => !matches!(before(1), BarrierToken::Sign(b')' | b'>')),
            BarrierToken::Sign(b'=') => {
                let compares = matches!(before(1), BarrierToken::Sign(b'=' | b'!' | b'<' | b'>'));
                let declares = matches!((before(2), before(1)), (BarrierToken::Word(_), BarrierToken::Word(_)));
                next == Some(BarrierToken::Sign(b'=')) || compares || declares
            }
            _ => true,
        }
    }

    /// The token that closes the bracket that a token opens.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let (first, last) = pair(*self.tokens.get(open)?)?;
        self.matching(open..self.tokens.len().min(open + LONGEST), (first, last), 0)
    }

    /// The token that opens the bracket that a token closes.
    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        let (first, last) = pair(self.tokens[close])?;
        self.matching((close.saturating_sub(LONGEST)..close + 1).rev(), (last, first), 0)
    }

    /// The end of the preprocessor condition that contains a token.
    pub(super) fn end_of_condition(&self, at: usize) -> Option<usize> {
        self.matching(at + 1..self.tokens.len().min(at + LONGEST), (BarrierToken::If, BarrierToken::EndIf), 1)
    }

    /// The start of the preprocessor condition that contains a token.
    pub(super) fn start_of_condition(&self, at: usize) -> Option<usize> {
        self.matching((at.saturating_sub(LONGEST)..at).rev(), (BarrierToken::EndIf, BarrierToken::If), 1)
    }

    /// The token where as many brackets are closed as were opened.
    fn matching(
        &self,
        range: impl Iterator<Item = usize>,
        (open, close): (BarrierToken, BarrierToken),
        already_open: usize,
    ) -> Option<usize> {
        let mut depth = already_open;
        for at in range {
            match self.tokens[at] {
                token if token == open => depth += 1,
                token if token == close && depth <= 1 => return Some(at),
                token if token == close => depth -= 1,
                _ => {}
            }
        }
        None
    }
}

/// Both brackets of a pair, by either of them.
fn pair(token: BarrierToken) -> Option<(BarrierToken<'static>, BarrierToken<'static>)> {
    match token {
        BarrierToken::Sign(b'(' | b')') => Some((BarrierToken::Sign(b'('), BarrierToken::Sign(b')'))),
        BarrierToken::Sign(b'{' | b'}') => Some((BarrierToken::Sign(b'{'), BarrierToken::Sign(b'}'))),
        _ => None,
    }
}
