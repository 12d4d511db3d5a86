//! The editor features of SASS: the output of disassemblers, and handwritten `RED` of Maxwell.
//!

mod completion;
mod hover;
mod navigation;
mod outline;

use crate::OpcodeCompletion;
use crate::features::*;
use lints::sass::Disassembly;
use std::ops::Range;

impl HoverProvider for Disassembly {
    fn hover(&self, offset: usize) -> Option<Hover> {
        hover::hover(self, offset)
    }
}

impl CompletionProvider for Disassembly {
    fn complete(&self, offset: usize) -> Vec<OpcodeCompletion> {
        completion::complete(self, offset)
    }
}

impl NavigationProvider for Disassembly {
    fn definition(&self, offset: usize) -> Option<GotoResult> {
        navigation::definition(&self.listing, offset)
    }

    fn declaration(&self, offset: usize) -> Option<GotoResult> {
        navigation::definition(&self.listing, offset)
    }

    fn references(&self, offset: usize, filter: ReferenceFilter) -> Vec<Range<usize>> {
        navigation::references(&self.listing, offset, filter)
    }

    fn highlights(&self, offset: usize) -> Vec<Highlight> {
        navigation::highlights(&self.listing, offset)
    }
}

impl SemanticTokensProvider for Disassembly {
    fn semantic_tokens(&self, within: Option<Range<usize>>) -> Vec<SemanticToken> {
        outline::semantic_tokens(&self.listing, within)
    }
}

impl FoldingRangeProvider for Disassembly {
    fn folding_ranges(&self) -> Vec<Fold> {
        outline::folding_ranges(&self.listing)
    }
}

impl SelectionRangeProvider for Disassembly {
    fn selection_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        self.listing.around(offset)
    }
}

impl DocumentSymbolProvider for Disassembly {
    fn document_symbols(&self) -> Vec<DocumentSymbol> {
        outline::document_symbols(&self.listing)
    }
}

// Features that SASS does not have.
impl SignatureHelpProvider for Disassembly {}
impl RenameProvider for Disassembly {}
impl CallHierarchyProvider for Disassembly {}
impl InlayHintProvider for Disassembly {}
impl EvaluationProvider for Disassembly {}
impl KernelRunProvider for Disassembly {}
impl KernelCheckProvider for Disassembly {}
impl CodeActionProvider for Disassembly {}
impl FormattingProvider for Disassembly {}
impl EditedStatementProvider for Disassembly {}
impl DocumentLinkProvider for Disassembly {}
impl SourceLineProvider for Disassembly {}

#[cfg(test)]
mod tests;
