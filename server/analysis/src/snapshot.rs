//! The immutable state that every feature is a function of.

use crate::{Finding, rules};
use syntax::SourceFile;

/// What a user configured beside the text itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Overrides the module's `.target`; a name such as `sm_90a` that [`isa`] knows.
    pub target: Option<String>,
    /// Overrides the module's `.version`, such as `8.1`.
    pub version: Option<String>,
}

/// A text with its tree and the settings that apply to it. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The text and its tree.
    pub file: SourceFile,
    /// The settings that apply.
    pub settings: Settings,
}

impl Snapshot {
    /// A snapshot of a text under settings.
    pub fn new(file: SourceFile, settings: Settings) -> Self {
        Snapshot { file, settings }
    }

    /// All findings, ordered by position, then code.
    pub fn findings(&self) -> Vec<Finding> {
        rules::check(self)
    }
}
