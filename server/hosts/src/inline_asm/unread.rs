//! Code in a host text that is not read.

use super::statement::AsmStatement;
use std::ops::{AddAssign, Range};

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

/// Why the text of statements is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnknownText {
    /// It is a macro that another text defines.
    Macro,
    /// A program computes it.
    Computed,
    /// A literal in it has a line break, because a backslash before it was left out.
    LineBreak,
}

impl UnknownText {
    /// All of them, in the order of their declaration.
    pub const ALL: [UnknownText; UnknownText::LineBreak as usize + 1] =
        [UnknownText::Macro, UnknownText::Computed, UnknownText::LineBreak];

    /// What is said of such statements.
    pub fn description(self) -> &'static str {
        match self {
            UnknownText::Macro => "with text from a macro of another file",
            UnknownText::Computed => "with computed text",
            UnknownText::LineBreak => "with a line break in a literal",
        }
    }
}

/// The number of statements whose text is not read, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnreadStatements(pub [usize; UnknownText::ALL.len()]);

impl UnreadStatements {
    /// Counts statements.
    pub fn add(&mut self, reason: UnknownText, count: usize) {
        self.0[reason as usize] += count;
    }

    /// The number of those with a reason.
    pub fn count(self, reason: UnknownText) -> usize {
        self.0[reason as usize]
    }
}

impl AddAssign for UnreadStatements {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }
}

/// What was found in a host text.
#[derive(Clone, Debug, Default)]
pub struct FoundStatements {
    /// The statements of inline assembly, in order.
    pub statements: Vec<AsmStatement>,
    /// The code that may have others.
    pub unread: Vec<UnreadCode>,
    /// The statements that are in no text that can be read.
    pub unread_statements: UnreadStatements,
}

impl FoundStatements {
    /// Adds those of another part of the text.
    pub(crate) fn append(&mut self, mut other: FoundStatements) {
        self.statements.append(&mut other.statements);
        self.unread.append(&mut other.unread);
        self.unread_statements += other.unread_statements;
    }
}

impl From<Vec<AsmStatement>> for FoundStatements {
    fn from(statements: Vec<AsmStatement>) -> Self {
        FoundStatements { statements, ..FoundStatements::default() }
    }
}

impl From<UnreadCode> for FoundStatements {
    fn from(unread: UnreadCode) -> Self {
        FoundStatements { unread: vec![unread], ..FoundStatements::default() }
    }
}
