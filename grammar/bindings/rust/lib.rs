//! The tree-sitter grammar of PTX, as a Rust crate.
//!
//! It hands out the generated parser and the queries beside it and knows nothing of what instructions mean: an opcode
//! is one leaf. The one place of the workspace with `unsafe`.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_ptx() -> *const ();
}

/// The language, for `tree_sitter::Parser::set_language(&LANGUAGE.into())`.
// SAFETY: the generated parser defines `tree_sitter_ptx`; it returns a pointer to a static, immutable language.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_ptx) };

/// What node kinds exist, with their fields and supertypes, in tree-sitter's `node-types.json` format.
pub const NODE_TYPES: &str = include_str!("../../ptx/src/node-types.json");
