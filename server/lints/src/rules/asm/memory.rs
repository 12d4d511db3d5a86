//! `asm-missing-memory`, `asm-hidden-order` and `asm-hidden-write`: statements that order or write memory without the clobber "memory".

use crate::rules::asm::{Effect, effects, order};
use diagnostics::registry::{ASM_HIDDEN_ORDER, ASM_HIDDEN_WRITE, ASM_MISSING_MEMORY};
use diagnostics::{Diagnostic, Edit, insert};
use hosts::inline_asm::{AsmFragment, FragmentInstruction};

/// Checks whether a statement needs the clobber. Ordering takes precedence over writing.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let statement = fragment.statement;
    let unknown = statement.open || fragment.clobbers.iter().any(|clobber| clobber.name.is_none());
    if unknown || fragment.clobbers.iter().any(|clobber| clobber.name.as_deref() == Some("memory")) {
        return;
    }
    let first =
        |wanted: Effect| effects(fragment).find(|(_, effect)| *effect == wanted).map(|(instruction, _)| instruction);
    let found = match (first(Effect::Order), first(Effect::Write)) {
        (Some(_), _) if order::is_kept(fragment) => None,
        (Some(instruction), _) => report(fragment, instruction, Effect::Order),
        (None, Some(instruction)) => report(fragment, instruction, Effect::Write),
        (None, None) => None,
    };
    diagnostics.extend(found);
}

/// The diagnostic for an instruction.
fn report(fragment: &AsmFragment, instruction: &FragmentInstruction, effect: Effect) -> Option<Diagnostic> {
    let range = fragment.template.region.to_host(&instruction.opcode)?;
    let not_ordered = || format!("`{}` orders memory accesses, but \"memory\" is not clobbered", instruction.text);
    let (rule, message, help) = match effect {
        Effect::Order if order::may_move(fragment) => (
            &ASM_MISSING_MEMORY,
            not_ordered(),
            "add the clobber \"memory\"; without it, the compiler moves loads and stores across the statement",
        ),
        Effect::Order => (
            &ASM_HIDDEN_ORDER,
            not_ordered(),
            "add the clobber \"memory\"; nothing else promises that loads and stores stay on their side of the statement",
        ),
        Effect::Write => (
            &ASM_HIDDEN_WRITE,
            format!("`{}` writes to memory, but \"memory\" is not clobbered", instruction.text),
            "add the clobber \"memory\" if the code around it accesses the same memory",
        ),
    };
    Some(Diagnostic::new(rule, range, message).help(help).fix("Add the clobber \"memory\"", addition(fragment)))
}

/// The edit that adds the clobber.
fn addition(fragment: &AsmFragment) -> Option<Edit> {
    let statement = fragment.statement;
    let end = statement.range.end.checked_sub(1).filter(|_| statement.groups.is_empty() && statement.finished)?;
    let text = match (statement.colons.len(), fragment.clobbers.is_empty()) {
        (0, _) => " ::: \"memory\"",
        (1, _) => " :: \"memory\"",
        (2, _) => " : \"memory\"",
        (3, true) => " \"memory\"",
        _ => return None,
    };
    let start = statement.range.start;
    let before = fragment.host[start..end].trim_end();
    let at = start + before.len();
    // After a line comment or a line continuation, the clobber would be lost.
    let line = before.rsplit('\n').next().unwrap_or_default();
    let plain = !line.contains("//") && !line.ends_with('\\');
    plain.then(|| insert(at, text))
}
