//! SASS, as a language: disassembly as it is printed, and Maxwell's `RED` as people write it.
//!
//! Knows listings and the tables of SASS. Must not know PTX text.

mod hover;
mod navigation;
mod offers;
mod outline;

use crate::features::{Fold, Found, Highlight, SemanticToken, Symbol};
use crate::{Completion, Hover, Ide};
use lints::sass::Disassembly;
use std::ops::Range;

impl Ide for Disassembly {
    fn hover(&self, offset: usize) -> Option<Hover> {
        hover::hover(self, offset)
    }

    fn complete(&self, offset: usize) -> Vec<Completion> {
        offers::complete(self, offset)
    }

    fn definition(&self, offset: usize) -> Option<Found> {
        navigation::definition(&self.listing, offset)
    }

    fn declaration(&self, offset: usize) -> Option<Found> {
        navigation::definition(&self.listing, offset)
    }

    fn references(&self, offset: usize, declarations: bool) -> Vec<Range<usize>> {
        navigation::references(&self.listing, offset, declarations)
    }

    fn highlights(&self, offset: usize) -> Vec<Highlight> {
        navigation::highlights(&self.listing, offset)
    }

    fn semantic_tokens(&self, within: Option<Range<usize>>) -> Vec<SemanticToken> {
        outline::semantic_tokens(&self.listing, within)
    }

    fn folding_ranges(&self) -> Vec<Fold> {
        outline::folding_ranges(&self.listing)
    }

    fn selection_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        self.listing.around(offset)
    }

    fn document_symbols(&self) -> Vec<Symbol> {
        outline::document_symbols(&self.listing)
    }
}

#[cfg(test)]
mod tests;
