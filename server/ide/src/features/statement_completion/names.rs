//! Completions of the names in scope.

use super::{CompletionList, StatementCompletionKind};
use crate::features::names::in_scope;
use crate::features::ranking::{ExpectedOperand, UNASSIGNED, rank, wanted_kinds};
use std::collections::BTreeSet;
use syntax::{DeclarationKind, Scopes, Symbol, demangle, is_name_char};

/// The most members of one register range.
const MAX_MEMBERS: usize = 64;
/// The most characters after the cursor that are read for a label.
const LONGEST_LABEL: usize = 1024;

impl CompletionList<'_> {
    /// Adds the names in scope, ranked.
    pub(super) fn names(&mut self, wanted: &ExpectedOperand) {
        let snapshot = self.snapshot;
        let here = self.offset..self.offset;
        let scopes = Scopes::of_kinds(&snapshot.file, here, wanted_kinds(wanted), &self.word);
        for symbol in scopes.symbols() {
            let around = symbol.global || (symbol.scope.start < self.offset && self.offset <= symbol.scope.end);
            if around
                && !(wanted.functions && self.is_kernel(symbol))
                && let Some(rank) = rank(symbol, wanted)
            {
                self.symbol(&scopes, symbol, rank);
            }
        }
        if wanted.labels {
            self.next_label();
        }
    }

    /// Adds the label that follows the cursor on a later line. Behind an unfinished branch the tree takes its name for the target.
    fn next_label(&mut self) {
        let rope = self.snapshot.file.text();
        let rest = rope.byte_slice(self.offset..rope.len_bytes());
        let behind: String = rest.chars().take(LONGEST_LABEL).collect();
        let line = behind.trim_start();
        let is_later = behind[..behind.len() - line.len()].contains('\n');
        let end = line.find(|c: char| !is_name_char(c)).unwrap_or(line.len());
        let (name, after) = line.split_at(end);
        let is_label = after.trim_start().strip_prefix(':').is_some_and(|after| !after.starts_with(':'));
        let is_known = self.items.iter().any(|(_, item)| item.label == name);
        if is_later && is_label && !name.is_empty() && !is_known {
            self.item(0, StatementCompletionKind::Label, name.to_owned(), "label".to_owned(), "");
        }
    }

    /// Whether a function is a kernel, which cannot be called.
    fn is_kernel(&self, symbol: &Symbol) -> bool {
        let rope = self.snapshot.file.text();
        let name = symbol.first().name.range.start;
        let line = rope.line_to_byte(rope.byte_to_line(name));
        symbol.kind() == DeclarationKind::Function && rope.byte_slice(line..name).to_string().contains(".entry")
    }

    /// What is added to the rank of a name: registers that nothing writes come later where they are read.
    fn unassigned(&self, kind: StatementCompletionKind, name: &str) -> u32 {
        // The operands of an `asm` statement are assigned outside of it.
        let is_outside = self.snapshot.fragment && is_asm_operand(name);
        let is_unassigned = |assigned: &BTreeSet<String>| !assigned.contains(name) && !is_outside;
        let is_late = kind == StatementCompletionKind::Register && self.assigned.as_ref().is_some_and(is_unassigned);
        if is_late { UNASSIGNED } else { 0 }
    }

    fn symbol(&mut self, scopes: &Scopes, symbol: &Symbol, rank: u32) {
        let declaration = symbol.first();
        // Names that are declared after the cursor, or hidden by an inner name, are excluded.
        let offset = self.offset;
        let meant = |name: &str| {
            in_scope(scopes, name, offset).map(|found| scopes.symbols()[found.symbol].first().name.range.start)
        };
        let mine = Some(declaration.name.range.start);
        let later = symbol.kind() != DeclarationKind::Label && declaration.name.range.start > self.offset;
        let kind = match symbol.kind() {
            DeclarationKind::Register => StatementCompletionKind::Register,
            DeclarationKind::Variable if declaration.space.text == ".param" => StatementCompletionKind::Parameter,
            DeclarationKind::Variable => StatementCompletionKind::Variable,
            DeclarationKind::Function => StatementCompletionKind::Function,
            DeclarationKind::Label => StatementCompletionKind::Label,
        };
        let detail = match symbol.kind() {
            DeclarationKind::Function => {
                demangle(symbol.name()).map_or_else(|| "function".to_owned(), |name| name.full)
            }
            DeclarationKind::Label => "label".to_owned(),
            _ => format!("{} {}", declaration.space.text, declaration.ty.text).trim().to_owned(),
        };
        let name = symbol.name();
        match declaration.count {
            None if !later && meant(name) == mine => {
                let rank = rank + self.unassigned(kind, name);
                self.item(rank, kind, name.to_owned(), detail, "");
            }
            None => {}
            Some(_) if later => {}
            Some(count) => {
                // The digits before the cursor select members.
                let digits = self.word.strip_prefix(name).unwrap_or_default().to_owned();
                let starts = |index: &u64| index.to_string().starts_with(&digits);
                let mut members: Vec<u64> = (0..count.min(1 << 16)).filter(starts).take(MAX_MEMBERS + 1).collect();
                let is_truncated = members.len() > MAX_MEMBERS;
                members.truncate(MAX_MEMBERS);
                for member in members {
                    let label = format!("{name}{member}");
                    if meant(&label) == mine {
                        let rank = rank + self.unassigned(kind, &label);
                        self.item(rank, kind, label, detail.clone(), "").is_truncated = is_truncated;
                    }
                }
            }
        }
    }
}

/// Whether a name is that of an operand of an `asm` statement, as `%0` and `$0`.
fn is_asm_operand(name: &str) -> bool {
    let number = name.strip_prefix(['%', '$']);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
