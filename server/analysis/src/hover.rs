//! Hover at a position.

use crate::Snapshot;
use std::ops::Range;

/// What is said of the thing under the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The byte range of the thing.
    pub range: Range<usize>,
    /// What is said of it, as Markdown.
    pub markdown: String,
}

/// What is known of the thing at a byte offset.
pub fn hover(_snapshot: &Snapshot, _offset: usize) -> Option<Hover> {
    None
}
