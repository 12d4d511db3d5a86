//! What an editor asks beside findings: each a pure function of a snapshot, in byte offsets.
//!
//! Total: any offset and any text gets an answer. Must not know the protocol that asks.

mod about;
mod directives;
mod folding;
mod literal;
mod names;
mod navigation;
mod rename;
mod special;
mod symbols;

pub use about::symbol_hover;
pub use folding::{Fold, FoldKind, folding_ranges};
pub use names::Access;
pub use navigation::{Found, Highlight, Place, declaration, definition, highlights, linked_ranges, references};
pub use rename::{Renamable, prepare_rename, rename};
pub use symbols::{Symbol, SymbolKind, document_symbols};
