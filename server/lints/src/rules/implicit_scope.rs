//! Atomics that do not say their scope. Style: the default is `.gpu`.

use crate::flow::Flow;
use diagnostics::registry::IMPLICIT_SCOPE;
use diagnostics::{Diagnostic, insert};
use std::collections::HashMap;

/// Looks at every atomic without a scope.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    // A function repeats a few spellings.
    let mut known: HashMap<&str, bool> = HashMap::new();
    for (at, step, legal) in flow.atomics() {
        let silent = legal.scope.is_some_and(|scope| scope.at.is_none());
        if !silent || !*known.entry(flow.opcode(at)).or_insert_with(|| flow.takes(step, "gpu")) {
            continue;
        }
        let before = legal.at("sem").map_or(step.opcode.mnemonic.range.end, |sem| step.opcode.at(Some(sem)).end);
        findings.push(
            Diagnostic::new(
                &IMPLICIT_SCOPE,
                step.opcode.mnemonic.range.clone(),
                "no scope is written, which means `.gpu`",
            )
            .help("write `.gpu`, or the scope that is meant")
            .fix("Write `.gpu`", [insert(before, ".gpu")]),
        );
    }
}
