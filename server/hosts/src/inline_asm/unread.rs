//! Code in a host text that is not read.

use super::statement::AsmStatement;
use std::ops::Range;

/// Why code is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadReason {
    /// Blocks are nested more deeply than the language allows.
    Blocks,
    /// Brackets are nested more deeply than the language allows.
    Brackets,
    /// Expressions or statements are nested more deeply than any compiler of the language accepts.
    Depth,
    /// Lines are indented in more different ways than the parser can remember.
    Widths,
    /// The parser takes too many steps for a text of this length: most of it is syntax errors.
    Steps,
}

/// Code that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadCode {
    /// The line at which reading ends.
    pub range: Range<usize>,
    /// Why.
    pub reason: UnreadReason,
}

impl UnreadCode {
    /// For the line of a text at an offset.
    pub(crate) fn at(text: &str, offset: usize, reason: UnreadReason) -> Self {
        let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        let first = start + line.len() - line.trim_start().len();
        UnreadCode { range: first..start + line.trim_end().len().max(first - start), reason }
    }
}

/// What was found in a host text.
#[derive(Clone, Debug, Default)]
pub struct FoundStatements {
    /// The statements of inline assembly, in order.
    pub statements: Vec<AsmStatement>,
    /// The code that may have others.
    pub unread: Vec<UnreadCode>,
}

impl FoundStatements {
    /// Adds those of another part of the text.
    pub(crate) fn append(&mut self, mut other: FoundStatements) {
        self.statements.append(&mut other.statements);
        self.unread.append(&mut other.unread);
    }
}

impl From<Vec<AsmStatement>> for FoundStatements {
    fn from(statements: Vec<AsmStatement>) -> Self {
        FoundStatements { statements, unread: Vec::new() }
    }
}

impl From<UnreadCode> for FoundStatements {
    fn from(unread: UnreadCode) -> Self {
        FoundStatements { statements: Vec::new(), unread: vec![unread] }
    }
}
