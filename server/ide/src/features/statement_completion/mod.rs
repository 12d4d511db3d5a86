//! Completion of everything but opcodes: directives, types, registers, symbols, labels, special registers and whole instructions.

mod header;
mod launches;
mod names;
mod operands;
mod statements;
#[cfg(test)]
mod tests;

use super::names::{NameAccess, in_comment};
use super::ranking::{ExpectedOperand, MISFITS};
use super::statement_prefix::StatementPrefix;
use crate::OpcodeCompletion;
use diagnostics::Snapshot;
use isa::directives::Directive;
use isa::reference::{directive_facts, first_sentence, further_sentences};
use launches::launch_completions;
use std::collections::BTreeSet;
use std::ops::Range;

/// The kind of a completion.
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
    /// A special register, or a component of one.
    SpecialRegister,
    /// An argument of a directive.
    Value,
    /// A whole instruction.
    Instruction,
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementCompletion {
    /// The text that the list shows and filters by.
    pub label: String,
    /// The kind.
    pub kind: StatementCompletionKind,
    /// The range that it replaces.
    pub range: Range<usize>,
    /// The inserted text.
    pub text: String,
    /// Whether `text` is an LSP snippet with `${1:placeholders}`.
    pub snippet: bool,
    /// A short text beside the label.
    pub detail: String,
    /// Markdown.
    pub documentation: String,
    /// What the instruction does with the operand at the cursor; `None` if the cursor is in no operand.
    pub access: Option<NameAccess>,
    /// Whether it has the kind and width that the operand at the cursor requires.
    pub fits: bool,
    /// Whether more members of its register range fit; further letters select them.
    pub is_truncated: bool,
}

/// Completion.
pub trait CompletionProvider {
    /// Completions of the opcode at an offset, the best first.
    fn complete(&self, _offset: usize) -> Vec<OpcodeCompletion> {
        Vec::new()
    }

    /// Other completions at an offset.
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
            return launch_completions(self, offset);
        }
        let typed = StatementPrefix::before(file, offset);
        let word = typed.word().to_owned();
        let mut list = CompletionList { snapshot: self, offset, word, access: None, assigned: None, items: Vec::new() };
        if typed.in_guard() {
            list.names(&ExpectedOperand { bits: Some(1), ..ExpectedOperand::default() });
        } else if let Some(operands) = typed.operands() {
            list.operands(&operands, offset - typed.text().len());
        } else {
            list.statement(typed.unguarded(), typed.text().starts_with('@'));
        }
        list.finish()
    }
}

/// The completions so far.
struct CompletionList<'a> {
    snapshot: &'a Snapshot,
    offset: usize,
    /// The part of the word before the cursor.
    word: String,
    /// What the instruction does with the operand at the cursor.
    access: Option<NameAccess>,
    /// The registers that are written near the cursor, if the operand is read.
    assigned: Option<BTreeSet<String>>,
    /// Each with its rank, the smallest first.
    items: Vec<(u32, StatementCompletion)>,
}

impl CompletionList<'_> {
    /// Adds a directive, a type or an option.
    fn directive(
        &mut self,
        rank: u32,
        kind: StatementCompletionKind,
        directive: &Directive,
    ) -> &mut StatementCompletion {
        let further = further_sentences(directive.summary);
        let documentation = format!("{further}\n\n{}", directive_facts(directive));
        let detail = first_sentence(directive.summary).to_owned();
        self.item(rank, kind, directive.word.to_owned(), detail, documentation.trim())
    }

    /// The completions that begin with the typed word, the best first.
    fn finish(mut self) -> Vec<StatementCompletion> {
        let word = self.word;
        self.items.retain(|(_, item)| item.label.starts_with(&word) && item.label != word);
        self.items.sort_by_key(|(rank, _)| *rank);
        self.items.into_iter().map(|(_, item)| item).collect()
    }

    /// Adds a completion that inserts its label, and returns it for changes.
    fn item(
        &mut self,
        rank: u32,
        kind: StatementCompletionKind,
        label: String,
        detail: String,
        documentation: &str,
    ) -> &mut StatementCompletion {
        let range = self.offset - self.word.len()..self.offset;
        let item = StatementCompletion {
            text: label.clone(),
            label,
            kind,
            range,
            snippet: false,
            detail,
            documentation: documentation.to_owned(),
            access: self.access,
            fits: rank < MISFITS,
            is_truncated: false,
        };
        &mut self.items.push_mut((rank, item)).1
    }
}
