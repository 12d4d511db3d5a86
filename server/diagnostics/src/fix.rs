//! Fixes: edits of a text, and who may apply them without asking.

use std::ops::Range;

/// A replacement of a byte range by new text; an empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte range in the same text.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

/// Who may apply a fix; each is more careful than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applicability {
    /// A tool, unasked: what was meant is certain, and it stays.
    Safe,
    /// A tool that was told to: it may change what is meant.
    Unsafe,
    /// A person: there is another way, which is offered first.
    Manual,
}

/// A fix: all of its edits together, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// An imperative for a menu: ``Write `.b32` ``.
    pub title: String,
    /// Edits that do not overlap, in the order of their ranges.
    pub edits: Vec<Edit>,
    /// Who may apply it, if it is the only one.
    pub applicability: Applicability,
}

/// Who may apply a fix of the tables: what the module is for is the author's word, and what only goes may have been meant.
pub fn applicability(edits: &[isa::SpellingEdit]) -> Applicability {
    let raises = edits.iter().any(|edit| matches!(edit, isa::SpellingEdit::Target(_) | isa::SpellingEdit::Version(_)));
    let removes = |edit: &isa::SpellingEdit| {
        matches!(edit, isa::SpellingEdit::Remove { .. } | isa::SpellingEdit::RemoveOperand { .. })
    };
    if raises || edits.iter().all(removes) { Applicability::Unsafe } else { Applicability::Safe }
}

/// Puts a text at a place.
pub fn insert(at: usize, text: impl Into<String>) -> Edit {
    Edit { range: at..at, text: text.into() }
}

/// Puts a text in the place of another.
pub fn replace(range: Range<usize>, text: impl Into<String>) -> Edit {
    Edit { range, text: text.into() }
}

/// Takes a text away.
pub fn remove(range: Range<usize>) -> Edit {
    Edit { range, text: String::new() }
}
