//! PTX modules, as a language: each answer is a feature's.
//!
//! Must not know how any of them is found.

use crate::features::{self, *};
use crate::{Completion, Hover, Ide};
use diagnostics::{Edit, Snapshot};
use evaluation::litmus::{Executions, executions_at};
use std::ops::Range;

impl Ide for Snapshot {
    fn executions(&self, offset: usize, cancelled: &dyn Fn() -> bool) -> Option<Executions> {
        executions_at(&self.file, offset, cancelled)
    }

    fn hover(&self, offset: usize) -> Option<Hover> {
        crate::features::hover(self, offset)
    }

    fn complete(&self, offset: usize) -> Vec<Completion> {
        crate::complete(self, offset)
    }

    fn more_completions(&self, offset: usize) -> Vec<Offer> {
        features::more_completions(self, offset)
    }

    fn signature_help(&self, offset: usize) -> Option<Signature> {
        features::signature_help(self, offset)
    }

    fn definition(&self, offset: usize) -> Option<Found> {
        features::definition(self, offset)
    }

    fn declaration(&self, offset: usize) -> Option<Found> {
        features::declaration(self, offset)
    }

    fn references(&self, offset: usize, declarations: bool) -> Vec<Range<usize>> {
        features::references(self, offset, declarations)
    }

    fn highlights(&self, offset: usize) -> Vec<Highlight> {
        features::highlights(self, offset)
    }

    fn linked_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        features::linked_ranges(self, offset)
    }

    fn prepare_rename(&self, offset: usize) -> Result<Renamable, String> {
        features::prepare_rename(self, offset)
    }

    fn rename(&self, offset: usize, new: &str) -> Result<Vec<Edit>, String> {
        features::rename(self, offset, new)
    }

    fn callable(&self, offset: usize) -> Option<Callable> {
        features::callable(self, offset)
    }

    fn incoming_calls(&self, name: &str) -> Vec<Call> {
        features::incoming_calls(self, name)
    }

    fn outgoing_calls(&self, name: &str) -> Vec<Call> {
        features::outgoing_calls(self, name)
    }

    fn semantic_tokens(&self, within: Option<Range<usize>>) -> Vec<SemanticToken> {
        features::semantic_tokens(self, within)
    }

    fn inlay_hints(&self, within: Range<usize>, options: &HintOptions) -> Vec<InlayHint> {
        features::inlay_hints(self, within, options)
    }

    fn evaluation_hints(&self, within: Range<usize>) -> Vec<InlayHint> {
        features::evaluation_hints(self, within)
    }

    fn evaluation_lenses(&self) -> Vec<EvaluationLens> {
        features::evaluation_lenses(self)
    }

    fn evaluate_here(&self, offset: usize, input: &str) -> Result<String, String> {
        features::evaluate_here(self, offset, input)
    }

    fn code_actions(&self, within: Range<usize>) -> Vec<Action> {
        features::code_actions(self, within)
    }

    fn format(&self, options: &FormatOptions) -> Vec<Edit> {
        features::format(self, options)
    }

    fn format_range(&self, range: Range<usize>, options: &FormatOptions) -> Vec<Edit> {
        features::format_range(self, range, options)
    }

    fn format_on_type(&self, offset: usize, options: &FormatOptions) -> Vec<Edit> {
        features::format_on_type(self, offset, options)
    }

    fn folding_ranges(&self) -> Vec<Fold> {
        features::folding_ranges(self)
    }

    fn selection_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        features::selection_ranges(self, offset)
    }

    fn document_links(&self) -> Vec<Link> {
        features::document_links(self)
    }

    fn document_symbols(&self) -> Vec<Symbol> {
        features::document_symbols(self)
    }
}
