//! The tree-sitter grammar of SASS, the machine code of the GPU, as disassemblers print it.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_sass() -> *const ();
}

/// The language, for `tree_sitter::Parser::set_language(&LANGUAGE.into())`.
// SAFETY: the generated parser defines `tree_sitter_sass`; it returns a pointer to a static, immutable language.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_sass) };

/// What node kinds exist, with their fields and supertypes, in tree-sitter's `node-types.json` format.
pub const NODE_TYPES: &str = include_str!("../../sass/src/node-types.json");

/// Captures for colours: `queries/highlights.scm`.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../sass/queries/highlights.scm");

/// What can be folded away: `queries/folds.scm`.
pub const FOLDS_QUERY: &str = include_str!("../../sass/queries/folds.scm");

/// Definitions, for code navigation: `queries/tags.scm`.
pub const TAGS_QUERY: &str = include_str!("../../sass/queries/tags.scm");
