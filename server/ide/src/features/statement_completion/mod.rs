//! OpcodeCompletion beside opcodes: directives, types, registers, symbols, labels, special registers and whole instructions.

mod names;
mod operands;
mod statements;
#[cfg(test)]
mod tests;

use super::names::in_comment;
use super::ranking::ExpectedOperand;
use super::statement_prefix::StatementPrefix;
use crate::OpcodeCompletion;
use diagnostics::Snapshot;
use std::ops::Range;

/// What is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementCompletionKind {
    /// A directive.
    Directive,
    /// A type.
    Type,
    /// A register.
    Register,
    /// A variable in a state space.
    Variable,
    /// A parameter.
    Parameter,
    /// A function.
    Function,
    /// A label.
    Label,
    /// A special register, or a part of one.
    SpecialRegister,
    /// A whole instruction.
    Instruction,
}

/// One offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementCompletion {
    /// What the list shows and filters by.
    pub label: String,
    /// What it is.
    pub kind: StatementCompletionKind,
    /// What accepting it replaces.
    pub range: Range<usize>,
    /// What then stands there.
    pub text: String,
    /// Whether `text` is a snippet of the protocol, with `${1:places}` to fill in.
    pub snippet: bool,
    /// A few words beside the label.
    pub detail: String,
    /// Markdown.
    pub documentation: String,
}

/// What may be typed at a place.
pub trait CompletionProvider {
    /// The words of an opcode that may stand at an offset, the most fitting first.
    fn complete(&self, _offset: usize) -> Vec<OpcodeCompletion> {
        Vec::new()
    }

    /// Whatever else may stand at an offset.
    fn complete_statement(&self, _offset: usize) -> Vec<StatementCompletion> {
        Vec::new()
    }
}

impl CompletionProvider for Snapshot {
    fn complete(&self, offset: usize) -> Vec<OpcodeCompletion> {
        crate::opcode_completion::complete(self, offset)
    }

    fn complete_statement(&self, offset: usize) -> Vec<StatementCompletion> {
        let file = &self.file;
        let offset = file.clamp(offset);
        if in_comment(file, offset) {
            return Vec::new();
        }
        let typed = StatementPrefix::before(file, offset);
        let mut list = CompletionList { snapshot: self, offset, word: typed.word().to_owned(), offers: Vec::new() };
        if typed.in_guard() {
            list.names(&ExpectedOperand { bits: Some(1), ..ExpectedOperand::default() });
        } else if let Some(operands) = typed.operands() {
            list.operands(&operands);
        } else {
            list.statement(typed.unguarded(), typed.text().starts_with('@'));
        }
        list.finish()
    }
}

/// The offers so far.
struct CompletionList<'a> {
    snapshot: &'a Snapshot,
    offset: usize,
    /// What of it is typed already.
    word: String,
    /// Each with its rank, the smallest first.
    offers: Vec<(u32, StatementCompletion)>,
}

impl CompletionList<'_> {
    /// Those that go on with what is typed, the most fitting first.
    fn finish(mut self) -> Vec<StatementCompletion> {
        let word = self.word;
        self.offers.retain(|(_, offer)| offer.label.starts_with(&word) && offer.label != word);
        self.offers.sort_by_key(|(rank, _)| *rank);
        self.offers.into_iter().map(|(_, offer)| offer).collect()
    }

    /// Adds an offer, which may be changed; what it writes is its label.
    fn offer(
        &mut self,
        rank: u32,
        kind: StatementCompletionKind,
        label: String,
        detail: String,
        documentation: &str,
    ) -> &mut StatementCompletion {
        let range = self.offset - self.word.len()..self.offset;
        let offer = StatementCompletion {
            text: label.clone(),
            label,
            kind,
            range,
            snippet: false,
            detail,
            documentation: documentation.to_owned(),
        };
        &mut self.offers.push_mut((rank, offer)).1
    }
}
