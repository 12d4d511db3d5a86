//! What an editor can ask of a text, whichever language it is in. All places are byte offsets into it.
//!
//! A language answers what it can and leaves the rest as it is here: nothing. Must not know any language but the answers' shape.

use crate::features::{
    Action, Call, Callable, EvaluationLens, Fold, FormatOptions, Found, Highlight, HintOptions, InlayHint, Link, Offer,
    Renamable, SemanticToken, Signature, Symbol,
};
use crate::{Completion, Hover};
use diagnostics::Edit;
use evaluation::litmus::Executions;
use lints::Check;
use std::ops::Range;

/// What an editor asks of an immutable text under settings. Every answer is total: any offset gets one.
pub trait Ide: Check {
    /// The executions of the litmus test at an offset; nothing where there is none, or as soon as nobody waits for them any more.
    fn executions(&self, _offset: usize, _cancelled: &dyn Fn() -> bool) -> Option<Executions> {
        None
    }

    /// What is known of the thing at an offset.
    fn hover(&self, _offset: usize) -> Option<Hover> {
        None
    }

    /// The words of an opcode that may stand at an offset, the most fitting first.
    fn complete(&self, _offset: usize) -> Vec<Completion> {
        Vec::new()
    }

    /// Whatever else may stand at an offset.
    fn more_completions(&self, _offset: usize) -> Vec<Offer> {
        Vec::new()
    }

    /// The operands that are being typed.
    fn signature_help(&self, _offset: usize) -> Option<Signature> {
        None
    }

    /// Where the name at an offset is defined.
    fn definition(&self, _offset: usize) -> Option<Found> {
        None
    }

    /// Where the name at an offset is declared.
    fn declaration(&self, _offset: usize) -> Option<Found> {
        None
    }

    /// All places of the name at an offset.
    fn references(&self, _offset: usize, _declarations: bool) -> Vec<Range<usize>> {
        Vec::new()
    }

    /// The places of the name at an offset, and whether each reads or writes it.
    fn highlights(&self, _offset: usize) -> Vec<Highlight> {
        Vec::new()
    }

    /// The places that change together while the name at an offset is typed over.
    fn linked_ranges(&self, _offset: usize) -> Vec<Range<usize>> {
        Vec::new()
    }

    /// What a rename at an offset would rename, or why it cannot.
    fn prepare_rename(&self, _offset: usize) -> Result<Renamable, String> {
        Err("there is nothing here that can be renamed".to_owned())
    }

    /// A rename, or why it cannot be.
    fn rename(&self, offset: usize, _new: &str) -> Result<Vec<Edit>, String> {
        self.prepare_rename(offset).map(|_| Vec::new())
    }

    /// The function at an offset.
    fn callable(&self, _offset: usize) -> Option<Callable> {
        None
    }

    /// Who calls a function.
    fn incoming_calls(&self, _name: &str) -> Vec<Call> {
        Vec::new()
    }

    /// Whom a function calls.
    fn outgoing_calls(&self, _name: &str) -> Vec<Call> {
        Vec::new()
    }

    /// Colours, in the order of the text, for a part of it or all.
    fn semantic_tokens(&self, _within: Option<Range<usize>>) -> Vec<SemanticToken> {
        Vec::new()
    }

    /// What is implied but not written.
    fn inlay_hints(&self, _within: Range<usize>, _options: &HintOptions) -> Vec<InlayHint> {
        Vec::new()
    }

    /// Results of evaluations.
    fn evaluation_hints(&self, _within: Range<usize>) -> Vec<InlayHint> {
        Vec::new()
    }

    /// What can be evaluated.
    fn evaluation_lenses(&self) -> Vec<EvaluationLens> {
        Vec::new()
    }

    /// The result of an evaluation at an offset, in one line, or why there is none.
    fn evaluate_here(&self, _offset: usize, _input: &str) -> Result<String, String> {
        Err("there is nothing here that can be evaluated".to_owned())
    }

    /// Rewrites of what a range touches.
    fn code_actions(&self, _within: Range<usize>) -> Vec<Action> {
        Vec::new()
    }

    /// Edits that lay the text out.
    fn format(&self, _options: &FormatOptions) -> Vec<Edit> {
        Vec::new()
    }

    /// Edits that lay a part out.
    fn format_range(&self, _range: Range<usize>, _options: &FormatOptions) -> Vec<Edit> {
        Vec::new()
    }

    /// Edits that lay out what was just typed.
    fn format_on_type(&self, _offset: usize, _options: &FormatOptions) -> Vec<Edit> {
        Vec::new()
    }

    /// What can be folded.
    fn folding_ranges(&self) -> Vec<Fold> {
        Vec::new()
    }

    /// The ranges around an offset, innermost first, the whole text last.
    fn selection_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        let len = self.rope().len_bytes();
        let at = offset.min(len);
        [at..at, 0..len].into()
    }

    /// Links to other files.
    fn document_links(&self) -> Vec<Link> {
        Vec::new()
    }

    /// The outline.
    fn document_symbols(&self) -> Vec<Symbol> {
        Vec::new()
    }
}
