//! An opcode as somebody wrote it.

/// An opcode as somebody wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spelling<'a> {
    /// What stands before the first dot: `atom`, `multimem`.
    pub mnemonic: &'a str,
    /// What stands between and after the dots, in written order: `["global", "add", "L2::cache_hint", "u32"]`.
    pub modifiers: &'a [&'a str],
}
