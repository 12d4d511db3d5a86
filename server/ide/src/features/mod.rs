//! The features of an editor besides diagnostics. Each is a pure function of a snapshot; positions are byte offsets.
//!
//! Any offset and any text is valid.

mod actions;
mod architectures;
mod atomics;
mod calls;
mod edited_statement;
mod evaluation_hints;
mod folding;
mod format;
pub(crate) mod hover;
mod inlay;
mod kernel_checks;
mod kernel_runs;
mod links;
mod literal;
mod names;
mod navigation;
mod ranking;
mod rename;
mod selection;
mod signature;
mod source_lines;
mod statement_completion;
mod statement_prefix;
mod suppressions;
mod symbols;
mod tokens;

pub(crate) use architectures::describe_architecture;

pub use actions::{Action, ActionKind, CodeActionProvider};
pub use calls::{Call, CallHierarchyProvider, Callable};
pub use edited_statement::EditedStatementProvider;
pub use evaluation_hints::{EvaluationLens, EvaluationProvider};
pub use folding::{Fold, FoldKind, FoldingRangeProvider};
pub use format::{FormatOptions, FormattingProvider};
pub use hover::{Hover, HoverProvider};
pub use inlay::{HintOptions, InlayHint, InlayHintProvider};
pub use kernel_checks::{CheckVerdict, KernelCheck, KernelCheckProvider};
pub use kernel_runs::{KernelRunProvider, LaunchLens, RunOfKernel};
pub use links::{DocumentLinkProvider, Link};
pub use names::NameAccess;
pub use navigation::{DeclarationRange, GotoResult, Highlight, NavigationProvider, ReferenceFilter};
pub use rename::{Renamable, RenameProvider};
pub use selection::SelectionRangeProvider;
pub use signature::{Signature, SignatureHelpProvider, SignatureParameter};
pub use source_lines::{GeneratedCode, SourceLineProvider};
pub use statement_completion::{CompletionProvider, StatementCompletion, StatementCompletionKind};
pub use suppressions::SuppressionProvider;
pub use symbols::{DocumentSymbol, DocumentSymbolProvider, SymbolKind};
pub use tokens::{SemanticToken, SemanticTokensProvider, TokenKind, TokenModifier};

#[cfg(test)]
mod tests;
