//! Snapshots: a text, its tree and its settings.

use crate::Settings;
use syntax::{LintFile, SourceFile};

/// An immutable text with its tree and settings. Cloning is cheap.
///
/// Checks take a `Snapshot<LintFile>`, which may be parsed only partially. Editor features need a full parse.
#[derive(Clone, Debug)]
pub struct Snapshot<F = SourceFile> {
    /// The text and its tree.
    pub file: F,
    /// The settings that apply.
    pub settings: Settings,
    /// Whether the text is a fragment of a module, which may declare other names.
    pub fragment: bool,
}

impl<F> Snapshot<F> {
    /// A snapshot of a module.
    pub fn new(file: F, settings: Settings) -> Self {
        Snapshot { file, settings, fragment: false }
    }

    /// A snapshot of a fragment, in which undeclared names are not errors.
    pub fn fragment(file: F, settings: Settings) -> Self {
        Snapshot { file, settings, fragment: true }
    }
}

impl<F: AsRef<LintFile>> Snapshot<F> {
    /// The snapshot for a check.
    pub fn for_lint(&self) -> Snapshot<LintFile> {
        Snapshot { file: self.file.as_ref().clone(), settings: self.settings.clone(), fragment: self.fragment }
    }
}

impl Snapshot<LintFile> {
    /// The snapshot with the whole tree. May parse the text again.
    pub fn whole(&self) -> Snapshot {
        Snapshot { file: self.file.whole().clone(), settings: self.settings.clone(), fragment: self.fragment }
    }
}
