//! `asm-missing-memory`: who writes to memory or orders accesses says so to the compiler.

use super::{effect, finding};
use crate::cuda::Embedded;
use crate::{Edit, Finding, Fix};

/// Checks that the clobber is there where it is needed.
pub(super) fn check(embedded: &Embedded, findings: &mut Vec<Finding>) {
    let statement = embedded.statement;
    let unknown = statement.open || embedded.clobbers.iter().any(|clobber| clobber.name.is_none());
    if unknown || embedded.clobbers.iter().any(|clobber| clobber.name.as_deref() == Some("memory")) {
        return;
    }
    let effects = embedded.instructions.iter().filter_map(|inner| Some((inner, effect(inner)?)));
    let Some((inner, what)) = effects.into_iter().next() else { return };
    let Some(range) = embedded.template.region.outward(&inner.opcode) else { return };
    let message = format!("`{}` {what}, and the compiler does not know of it", inner.text);
    let help = "add the clobber \"memory\", so that no access is moved across it or kept in a register";
    let mut found = finding("asm-missing-memory", &range, message, help);
    found.fixes.extend(addition(embedded));
    findings.push(found);
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
