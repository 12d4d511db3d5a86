//! Which tokens certainly access no memory, and which brackets belong together.

use super::tokens::CppToken;
use super::{HostCode, LONGEST};
use std::ops::Range;

impl HostCode<'_> {
    /// Whether tokens certainly access no memory, other statements and barriers aside.
    pub(super) fn is_plain(&self, range: Range<usize>) -> bool {
        range.len() <= LONGEST && range.into_iter().all(|at| self.is_plain_at(at))
    }

    fn is_plain_at(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map_or(CppToken::Unknown, |at| self.tokens[at]);
        let next = self.tokens.get(at + 1).copied();
        match self.tokens[at] {
            CppToken::Unknown => false,
            CppToken::Word("if" | "while" | "for" | "__nanosleep" | "__builtin_expect") => true,
            CppToken::Word("case" | "default" | "switch" | "goto" | "new" | "delete" | "struct" | "class") => false,
            CppToken::Word(_) => next != Some(CppToken::Sign(b'(')),
            CppToken::Sign(b'*' | b'[' | b']') => false,
            CppToken::Sign(b'>') => before(1) != CppToken::Sign(b'-'),
            CppToken::Sign(b'.') => {
                matches!(before(1), CppToken::Word("threadIdx" | "blockIdx" | "blockDim" | "gridDim"))
            }
            CppToken::Sign(b'(') => !matches!(before(1), CppToken::Sign(b')' | b'>')),
            CppToken::Sign(b'=') => {
                let compares = matches!(before(1), CppToken::Sign(b'=' | b'!' | b'<' | b'>'));
                let declares = matches!((before(2), before(1)), (CppToken::Word(_), CppToken::Word(_)));
                next == Some(CppToken::Sign(b'=')) || compares || declares
            }
            _ => true,
        }
    }

    /// Where the bracket closes that a token opens.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let (first, last) = pair(*self.tokens.get(open)?)?;
        self.matching(open..self.tokens.len().min(open + LONGEST), (first, last), 0)
    }

    /// Where the bracket opens that a token closes.
    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        let (first, last) = pair(self.tokens[close])?;
        self.matching((close.saturating_sub(LONGEST)..close + 1).rev(), (last, first), 0)
    }

    /// Where the condition of the preprocessor ends that a token lies in.
    pub(super) fn end_of_condition(&self, at: usize) -> Option<usize> {
        self.matching(at + 1..self.tokens.len().min(at + LONGEST), (CppToken::If, CppToken::EndIf), 1)
    }

    /// Where the condition of the preprocessor begins that a token lies in.
    pub(super) fn start_of_condition(&self, at: usize) -> Option<usize> {
        self.matching((at.saturating_sub(LONGEST)..at).rev(), (CppToken::EndIf, CppToken::If), 1)
    }

    /// Where as much is closed as was opened, some of it already before.
    fn matching(
        &self,
        range: impl Iterator<Item = usize>,
        (open, close): (CppToken, CppToken),
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

/// Both brackets of a pair, by either.
fn pair(token: CppToken) -> Option<(CppToken<'static>, CppToken<'static>)> {
    match token {
        CppToken::Sign(b'(' | b')') => Some((CppToken::Sign(b'('), CppToken::Sign(b')'))),
        CppToken::Sign(b'{' | b'}') => Some((CppToken::Sign(b'{'), CppToken::Sign(b'}'))),
        _ => None,
    }
}
