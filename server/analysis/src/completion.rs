//! Completion at a position.

use crate::Snapshot;
use std::ops::Range;

/// What kind of thing is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A mnemonic such as `atom`.
    Mnemonic,
    /// A modifier such as `.relaxed`.
    Modifier,
    /// A type such as `.u32`.
    Type,
}

/// One offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What the list shows and filters by: `relaxed`, `L2::cache_hint`.
    pub label: String,
    /// What kind of thing it is.
    pub kind: CompletionKind,
    /// The byte range that accepting it replaces, with `text`.
    pub range: Range<usize>,
    /// What then stands there.
    pub text: String,
    /// A few words beside the label; says what it needs where that is beyond the module's target or version.
    pub detail: String,
    /// Markdown.
    pub documentation: String,
    /// Whether the module's target or version does not have it; such offers come last.
    pub beyond: bool,
}

/// What may be written at a byte offset, the most fitting first.
pub fn complete(_snapshot: &Snapshot, _offset: usize) -> Vec<Completion> {
    Vec::new()
}
