//! Fixes: edits of a text, and their applicability.

use std::ops::Range;

/// A replacement of a byte range by new text; an empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte range in the same text.
    pub range: Range<usize>,
    /// The new text.
    pub text: String,
}

/// How a fix may be applied, from the least to the most restrictive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applicability {
    /// Applied with `--fix`: it preserves the intended meaning.
    Safe,
    /// Applied with `--unsafe-fixes`: it may change the meaning.
    Unsafe,
    /// Never applied automatically: it is an alternative to another fix.
    Manual,
}

/// A fix: all of its edits together, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The title: an imperative, such as ``Replace `.u32` with `.b32` ``.
    pub title: String,
    /// The edits, sorted and not overlapping.
    pub edits: Vec<Edit>,
    /// The applicability, if it is the only fix.
    pub applicability: Applicability,
}

/// The applicability of a fix of the tables. Raising the target or version, and fixes that only remove text, are unsafe.
pub fn applicability(edits: &[isa::SpellingEdit]) -> Applicability {
    let raises = edits.iter().any(|edit| matches!(edit, isa::SpellingEdit::Target(_) | isa::SpellingEdit::Version(_)));
    let removes = |edit: &isa::SpellingEdit| {
        matches!(edit, isa::SpellingEdit::Remove { .. } | isa::SpellingEdit::RemoveOperand { .. })
    };
    // Which value an operand has is for people to say.
    let adds = edits.iter().any(|edit| matches!(edit, isa::SpellingEdit::AppendOperand { .. }));
    if raises || adds || edits.iter().all(removes) { Applicability::Unsafe } else { Applicability::Safe }
}

/// An insertion.
pub fn insert(at: usize, text: impl Into<String>) -> Edit {
    Edit { range: at..at, text: text.into() }
}

/// A replacement.
pub fn replace(range: Range<usize>, text: impl Into<String>) -> Edit {
    Edit { range, text: text.into() }
}

/// A removal.
pub fn remove(range: Range<usize>) -> Edit {
    Edit { range, text: String::new() }
}
