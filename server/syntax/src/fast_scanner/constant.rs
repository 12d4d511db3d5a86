//! Constants: literals, and expressions of them.

use crate::lexer::{Bytes, WORD, is};

/// Expressions that are nested deeper are left to the parser.
const DEEPEST: usize = 16;

impl Bytes<'_> {
    /// The end of a literal or of an expression of literals.
    pub(super) fn constant(&self, at: usize) -> Option<usize> {
        self.nested_constant(at, 0)
    }

    fn nested_constant(&self, at: usize, depth: usize) -> Option<usize> {
        // A float that is given by its bits allows no operator.
        self.bits(at).or_else(|| self.terms(at, depth))
    }

    /// The end of terms with operators between them.
    fn terms(&self, mut at: usize, depth: usize) -> Option<usize> {
        loop {
            while matches!(self.at(at), b'-' | b'+' | b'~' | b'!') {
                at = self.skipped(at + 1);
            }
            let end = self.term(at, depth)?;
            let Some(operator) = self.operator(self.skipped(end)) else { return Some(end) };
            at = self.skipped(operator);
        }
    }

    fn term(&self, at: usize, depth: usize) -> Option<usize> {
        match self.at(at) {
            b'(' if depth < DEEPEST => {
                let close = self.skipped(self.nested_constant(self.skipped(at + 1), depth + 1)?);
                self.after(close, b")")
            }
            b'W' => self.after(at, b"WARP_SZ").filter(|end| !is(self.at(*end), WORD)),
            _ => self.integer(at).or_else(|| self.float(at)),
        }
    }

    /// The end of an operator between two terms, except `%`, which may begin a name.
    fn operator(&self, at: usize) -> Option<usize> {
        Some(match (self.at(at), self.at(at + 1)) {
            (b'|', b'|') | (b'&', b'&') | (b'=' | b'!' | b'<' | b'>', b'=') | (b'<', b'<') | (b'>', b'>') => at + 2,
            (b'/', b'/' | b'*') => return None,
            (b'|' | b'&' | b'^' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/', _) => at + 1,
            _ => return None,
        })
    }
}
