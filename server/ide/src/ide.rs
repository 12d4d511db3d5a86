//! What an editor can ask of a text, whichever language it is in. All places are byte offsets into it.
//!
//! Each feature is a module of `features`, with a trait that says what is asked; a language answers what it can, and to the rest as the trait has it:
//! nothing.

use crate::features::*;
use lints::Check;

/// What an editor asks of an immutable text under settings. Every answer is total: any offset gets one.
pub trait Ide:
    Check
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
    + FormattingProvider
    + FoldingRangeProvider
    + SelectionRangeProvider
    + DocumentLinkProvider
    + DocumentSymbolProvider
{
}

impl<T> Ide for T where
    T: Check
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
        + FormattingProvider
        + FoldingRangeProvider
        + SelectionRangeProvider
        + DocumentLinkProvider
        + DocumentSymbolProvider
{
}
