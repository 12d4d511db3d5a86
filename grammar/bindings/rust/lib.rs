//! The tree-sitter grammars of PTX and, in [`sass`], of SASS, as a Rust crate.
//!
//! It hands out the generated parsers and the queries beside them and knows nothing of what instructions mean: an opcode
//! is one leaf. The one place of the workspace with `unsafe`.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_ptx() -> *const ();
}

pub mod sass;

/// Returns freed memory to the system. glibc keeps it otherwise, and freed trees are large.
pub fn release_unused_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> i32;
        }
        // SAFETY: `malloc_trim` may be called at any time from any thread.
        unsafe { malloc_trim(0) };
    }
}

/// Lets all threads allocate from one heap, from here on. glibc gives each thread its own, and none takes what another has freed:
/// a text that one thread after another reads and checks would be paid for by each.
pub fn share_one_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// `M_ARENA_MAX` of `malloc.h`.
        const MOST_HEAPS: i32 = -8;
        unsafe extern "C" {
            fn mallopt(parameter: i32, value: i32) -> i32;
        }
        // SAFETY: `mallopt` may be called at any time; it locks the allocator.
        unsafe { mallopt(MOST_HEAPS, 1) };
    }
}

/// The language, for `tree_sitter::Parser::set_language(&LANGUAGE.into())`.
// SAFETY: the generated parser defines `tree_sitter_ptx`; it returns a pointer to a static, immutable language.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_ptx) };

/// What node kinds exist, with their fields and supertypes, in tree-sitter's `node-types.json` format.
pub const NODE_TYPES: &str = include_str!("../../ptx/src/node-types.json");

/// Captures for colours: `queries/highlights.scm`.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../ptx/queries/highlights.scm");

/// Scopes, definitions and references: `queries/locals.scm`.
pub const LOCALS_QUERY: &str = include_str!("../../ptx/queries/locals.scm");

/// What can be folded away: `queries/folds.scm`.
pub const FOLDS_QUERY: &str = include_str!("../../ptx/queries/folds.scm");

/// Indentation, with the captures of nvim-treesitter: `queries/indents.scm`.
pub const INDENTS_QUERY: &str = include_str!("../../ptx/queries/indents.scm");

/// Other languages inside PTX: `queries/injections.scm`.
pub const INJECTIONS_QUERY: &str = include_str!("../../ptx/queries/injections.scm");

/// Definitions and calls, for code navigation: `queries/tags.scm`.
pub const TAGS_QUERY: &str = include_str!("../../ptx/queries/tags.scm");

/// Objects to select and to move by: `queries/textobjects.scm`.
pub const TEXTOBJECTS_QUERY: &str = include_str!("../../ptx/queries/textobjects.scm");
