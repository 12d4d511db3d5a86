//! `asm-missing-memory` and `asm-hidden-write`: who orders accesses or writes to memory says so to the compiler.

use super::{Effect, effects, finding};
use crate::cuda::{Embedded, Inner};
use crate::{Edit, Finding, Fix};

/// Checks that the clobber is there where it is needed: for order first, which is for nothing without it.
pub(super) fn check(embedded: &Embedded, findings: &mut Vec<Finding>) {
    let statement = embedded.statement;
    let unknown = statement.open || embedded.clobbers.iter().any(|clobber| clobber.name.is_none());
    if unknown || embedded.clobbers.iter().any(|clobber| clobber.name.as_deref() == Some("memory")) {
        return;
    }
    let first = |wanted: Effect| effects(embedded).find(|(_, effect)| *effect == wanted).map(|(inner, _)| inner);
    let found = match (first(Effect::Order), first(Effect::Write)) {
        (Some(inner), _) => report(embedded, inner, Effect::Order),
        (None, Some(inner)) => report(embedded, inner, Effect::Write),
        (None, None) => None,
    };
    findings.extend(found);
}

/// What is said of an instruction.
fn report(embedded: &Embedded, inner: &Inner, effect: Effect) -> Option<Finding> {
    let range = embedded.template.region.outward(&inner.opcode)?;
    let (code, message, help) = match effect {
        Effect::Order => (
            "asm-missing-memory",
            format!("`{}` orders memory accesses, but \"memory\" is not clobbered", inner.text),
            "add the clobber \"memory\": without it the compiler may move loads and stores across the statement",
        ),
        Effect::Write => (
            "asm-hidden-write",
            format!("`{}` writes to memory, but \"memory\" is not clobbered", inner.text),
            "add the clobber \"memory\" if the code around it accesses the same memory",
        ),
    };
    let mut found = finding(code, &range, message, help);
    found.fixes.extend(addition(embedded));
    Some(found)
}

/// Writes the clobber behind what is there.
fn addition(embedded: &Embedded) -> Option<Fix> {
    let statement = embedded.statement;
    let end = statement.range.end.checked_sub(1).filter(|_| statement.groups.is_empty() && statement.finished)?;
    let text = match (statement.colons.len(), embedded.clobbers.is_empty()) {
        (0, _) => " ::: \"memory\"",
        (1, _) => " :: \"memory\"",
        (2, _) => " : \"memory\"",
        (3, true) => " \"memory\"",
        _ => return None,
    };
    let before = embedded.host[..end].trim_end();
    let at = before.len();
    // Behind a comment to the end of the line, or a continued line, it would be lost.
    let line = &embedded.host[before.rfind('\n').map_or(0, |line| line + 1)..at];
    let plain = !line.contains("//") && !line.ends_with('\\');
    let edits = vec![Edit { range: at..at, text: text.to_owned() }];
    plain.then(|| Fix { title: "Add the clobber \"memory\"".to_owned(), edits })
}
