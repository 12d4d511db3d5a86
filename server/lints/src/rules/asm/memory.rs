//! `asm-missing-memory` and `asm-hidden-write`: who orders accesses or writes to memory says so to the compiler.

use super::{Effect, effects, order};
use diagnostics::registry::{ASM_HIDDEN_WRITE, ASM_MISSING_MEMORY};
use diagnostics::{Diagnostic, Edit, insert};
use hosts::cpp::{AsmFragment, FragmentInstruction};

/// Checks that the clobber is there where it is needed: for order first, which is for nothing without it.
pub(super) fn check(embedded: &AsmFragment, findings: &mut Vec<Diagnostic>) {
    let statement = embedded.statement;
    let unknown = statement.open || embedded.clobbers.iter().any(|clobber| clobber.name.is_none());
    if unknown || embedded.clobbers.iter().any(|clobber| clobber.name.as_deref() == Some("memory")) {
        return;
    }
    let first = |wanted: Effect| effects(embedded).find(|(_, effect)| *effect == wanted).map(|(inner, _)| inner);
    let found = match (first(Effect::Order), first(Effect::Write)) {
        (Some(_), _) if order::is_kept(embedded) => None,
        (Some(inner), _) => report(embedded, inner, Effect::Order),
        (None, Some(inner)) => report(embedded, inner, Effect::Write),
        (None, None) => None,
    };
    findings.extend(found);
}

/// What is said of an instruction.
fn report(embedded: &AsmFragment, inner: &FragmentInstruction, effect: Effect) -> Option<Diagnostic> {
    let range = embedded.template.region.to_host(&inner.opcode)?;
    let (rule, message, help) = match effect {
        Effect::Order => (
            &ASM_MISSING_MEMORY,
            format!("`{}` orders memory accesses, but \"memory\" is not clobbered", inner.text),
            "add the clobber \"memory\": without it the compiler may move loads and stores across the statement",
        ),
        Effect::Write => (
            &ASM_HIDDEN_WRITE,
            format!("`{}` writes to memory, but \"memory\" is not clobbered", inner.text),
            "add the clobber \"memory\" if the code around it accesses the same memory",
        ),
    };
    Some(Diagnostic::new(rule, range, message).help(help).fix("Add the clobber \"memory\"", addition(embedded)))
}

/// Writes the clobber behind what is there.
fn addition(embedded: &AsmFragment) -> Option<Edit> {
    let statement = embedded.statement;
    let end = statement.range.end.checked_sub(1).filter(|_| statement.groups.is_empty() && statement.finished)?;
    let text = match (statement.colons.len(), embedded.clobbers.is_empty()) {
        (0, _) => " ::: \"memory\"",
        (1, _) => " :: \"memory\"",
        (2, _) => " : \"memory\"",
        (3, true) => " \"memory\"",
        _ => return None,
    };
    let start = statement.range.start;
    let before = embedded.host[start..end].trim_end();
    let at = start + before.len();
    // Behind a comment to the end of the line, or a continued line, it would be lost. What stands before the statement holds neither.
    let line = before.rsplit('\n').next().unwrap_or_default();
    let plain = !line.contains("//") && !line.ends_with('\\');
    plain.then(|| insert(at, text))
}
