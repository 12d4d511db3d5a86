//! What an editor asks beside findings: each a pure function of a snapshot, in byte offsets.
//!
//! Total: any offset and any text gets an answer. Must not know the protocol that asks.

mod actions;
mod atomics;
mod calls;
mod directives;
mod evaluation_hints;
mod fit;
mod folding;
mod format;
pub(crate) mod hover;
mod inlay;
mod links;
mod literal;
mod names;
mod navigation;
mod offers;
mod rename;
mod selection;
mod signature;
mod symbols;
mod tokens;
mod typed;

pub use actions::{Action, ActionKind, code_actions};
pub use calls::{Call, Callable, callable, incoming_calls, outgoing_calls};
pub use evaluation_hints::{EvaluationLens, evaluate_here, evaluation_hints, evaluation_lenses};
pub use folding::{Fold, FoldKind, folding_ranges};
pub use format::{FormatOptions, format, format_on_type, format_range};
pub use hover::{Hover, hover};
pub use inlay::{HintOptions, InlayHint, inlay_hints};
pub use links::{Link, document_links};
pub use names::Access;
pub use navigation::{Found, Highlight, Place, declaration, definition, highlights, linked_ranges, references};
pub use offers::{Offer, OfferKind, more_completions};
pub use rename::{Renamable, prepare_rename, rename};
pub use selection::selection_ranges;
pub use signature::{Signature, SignatureParameter, signature_help};
pub use symbols::{Symbol, SymbolKind, document_symbols};
pub use tokens::{SemanticToken, TokenKind, TokenModifier, semantic_tokens};

#[cfg(test)]
mod tests;
