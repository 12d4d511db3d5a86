//! Comments of a host text, for directive comments.

use std::ops::Range;

/// A comment of the host text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostComment {
    /// Its text with the delimiters.
    pub range: Range<usize>,
    /// Whether only comments precede it.
    pub leads: bool,
    /// The start of the next token.
    pub next: usize,
}
