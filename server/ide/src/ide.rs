//! What an editor can ask of a text, whichever language it is in. All places are byte offsets into it.
//!
//! Each feature is a module of `features`, with a trait that says what is asked; a language answers what it can, and to the rest as the trait has it:
//! nothing.

use crate::features::*;
use lints::Check;

/// A trait that is the sum of others, for all that has them.
macro_rules! sum {
    ($(#[$about:meta])* $name:ident: $first:ident $(+ $other:ident)*) => {
        $(#[$about])*
        pub trait $name: $first $(+ $other)* {}

        impl<T: $first $(+ $other)*> $name for T {}
    };
}

sum! {
    /// What an editor asks of an immutable text under settings. Every answer is total: any offset gets one.
    Ide: Check
        + HoverProvider
        + CompletionProvider
        + SignatureHelpProvider
        + NavigationProvider
        + RenameProvider
        + CallHierarchyProvider
        + SemanticTokensProvider
        + InlayHintProvider
        + EvaluationProvider
        + CodeActionProvider
        + SuppressionProvider
        + FormattingProvider
        + FoldingRangeProvider
        + SelectionRangeProvider
        + DocumentLinkProvider
        + DocumentSymbolProvider
}
