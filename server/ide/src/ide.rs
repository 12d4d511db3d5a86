//! The features of a text for editors, for all languages. All places are byte offsets into the text.
//!
//! Each feature is a module of `features` with a trait. A language implements what it supports; the default methods return nothing.

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
        + SourceLineProvider
        + RenameProvider
        + CallHierarchyProvider
        + SemanticTokensProvider
        + InlayHintProvider
        + EvaluationProvider
        + KernelCheckProvider
        + KernelRunProvider
        + CodeActionProvider
        + SuppressionProvider
        + FormattingProvider
        + FoldingRangeProvider
        + SelectionRangeProvider
        + EditedStatementProvider
        + DocumentLinkProvider
        + DocumentSymbolProvider
}
