//! An opcode as it is written.

use std::iter;

/// An opcode as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spelling<'a> {
    /// The text before the first dot: `atom`, `multimem`.
    pub mnemonic: &'a str,
    /// The words after it, in written order: `["global", "add", "L2::cache_hint", "u32"]`.
    pub modifiers: &'a [&'a str],
}

impl<'a> Spelling<'a> {
    /// The words, the mnemonic first.
    pub fn words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        iter::once(self.mnemonic).chain(self.modifiers.iter().copied())
    }

    /// The words, joined with dots.
    pub fn text(&self) -> String {
        self.words().collect::<Vec<_>>().join(".")
    }
}
