//! What an editor asks beside findings: each a pure function of a snapshot, in byte offsets.
//!
//! Total: any offset and any text gets an answer. Must not know the protocol that asks.

mod about;
mod actions;
mod directives;
mod folding;
mod format;
mod inlay;
mod lens;
mod links;
mod literal;
mod names;
mod navigation;
mod rename;
mod selection;
mod signature;
mod special;
mod symbols;
mod tokens;

pub use about::symbol_hover;
pub use actions::{Action, ActionKind, code_actions};
pub use folding::{Fold, FoldKind, folding_ranges};
pub use format::{FormatOptions, format, format_on_type, format_range};
pub use inlay::{HintOptions, InlayHint, inlay_hints};
pub use lens::{Lens, lenses};
pub use links::{Link, document_links};
pub use names::Access;
pub use navigation::{Found, Highlight, Place, declaration, definition, highlights, linked_ranges, references};
pub use rename::{Renamable, prepare_rename, rename};
pub use selection::selection_ranges;
pub use signature::{Signature, SignatureParameter, signature_help};
pub use symbols::{Symbol, SymbolKind, document_symbols};
pub use tokens::{SemanticToken, TokenKind, TokenModifier, semantic_tokens};
