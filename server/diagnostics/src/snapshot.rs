//! The immutable state that every answer is a function of.

use crate::Settings;
use syntax::{LintFile, SourceFile};

/// A text with its tree and the settings that apply to it. Cloning is cheap.
///
/// A check asks for a `Snapshot<LintFile>`, which does not know all that an editor asks for.
#[derive(Clone, Debug)]
pub struct Snapshot<F = SourceFile> {
    /// The text and its tree.
    pub file: F,
    /// The settings that apply.
    pub settings: Settings,
    /// Whether it is a part of something larger, in which names may be declared that this does not show.
    pub fragment: bool,
}

impl<F> Snapshot<F> {
    /// A snapshot of a text under settings.
    pub fn new(file: F, settings: Settings) -> Self {
        Snapshot { file, settings, fragment: false }
    }

    /// A part of something larger: that a name is not declared in it means nothing.
    pub fn fragment(file: F, settings: Settings) -> Self {
        Snapshot { file, settings, fragment: true }
    }
}

impl<F: AsRef<LintFile>> Snapshot<F> {
    /// What a check needs of it.
    pub fn for_lint(&self) -> Snapshot<LintFile> {
        Snapshot { file: self.file.as_ref().clone(), settings: self.settings.clone(), fragment: self.fragment }
    }
}

impl Snapshot<LintFile> {
    /// The same with the whole tree, for which the text may be parsed once more.
    pub fn whole(&self) -> Snapshot {
        Snapshot { file: self.file.whole().clone(), settings: self.settings.clone(), fragment: self.fragment }
    }
}
