//! The immutable state that every answer is a function of.

use crate::Settings;
use syntax::SourceFile;

/// A text with its tree and the settings that apply to it. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The text and its tree.
    pub file: SourceFile,
    /// The settings that apply.
    pub settings: Settings,
    /// Whether it is a part of something larger, in which names may be declared that this does not show.
    pub fragment: bool,
}

impl Snapshot {
    /// A snapshot of a text under settings.
    pub fn new(file: SourceFile, settings: Settings) -> Self {
        Snapshot { file, settings, fragment: false }
    }

    /// A part of something larger: that a name is not declared in it means nothing.
    pub fn fragment(file: SourceFile, settings: Settings) -> Self {
        Snapshot { file, settings, fragment: true }
    }
}
