//! What the engine says about a text: findings, related places and fixes.
//!
//! Ranges are byte offsets into the snapshot's text. Must not know lines, columns, protocols or severities that a user configured.

use std::ops::Range;

/// How bad a finding is. An error is what the assembler rejects, no more and no less; beside that, only an expectation
/// that the text itself states and that does not hold (`evaluation-mismatch`, `evaluation-unreadable`, `outcome-allowed` and their like).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The assembler's check rejects it, or an expectation in the text is false.
    Error,
    /// The assembler accepts it, but it is a mistake.
    Warning,
    /// Worth knowing.
    Info,
    /// A matter of taste.
    Hint,
}

impl Severity {
    /// The word for it in reports: `error`, `warning`, `info`, `hint`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        }
    }
}

/// Another place that a finding speaks of, such as the `.target` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Byte range in the same text.
    pub range: Range<usize>,
    /// What is to be seen there.
    pub message: String,
}

/// A replacement of a byte range by new text; an empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte range in the same text.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

/// A way to mend a finding: all of its edits together, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// An imperative for a menu: ``replace `.u32` by `.b32` ``.
    pub title: String,
    /// Edits that do not overlap, in the order of their ranges.
    pub edits: Vec<Edit>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable kebab-case name; [`crate::rules::page`] has its documentation.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The very token at fault.
    pub range: Range<usize>,
    /// What is wrong and why, one sentence without a full stop.
    pub message: String,
    /// What to write instead; empty where nothing can be said.
    pub help: String,
    /// Other places that matter.
    pub related: Vec<Related>,
    /// Ways to mend it, the best first.
    pub fixes: Vec<Fix>,
}

impl Finding {
    /// The order of reports: by position, then code.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let key = |finding: &Self| (finding.range.start, finding.range.end, finding.code);
        key(self).cmp(&key(other))
    }
}
