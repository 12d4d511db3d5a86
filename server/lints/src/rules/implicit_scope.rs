//! `implicit-scope`: atomics without an explicit scope.

use crate::flow::Flow;
use diagnostics::registry::IMPLICIT_SCOPE;
use diagnostics::{Diagnostic, insert};
use std::collections::HashMap;

/// Checks every atomic without a scope.
pub(super) fn check(flow: &Flow, diagnostics: &mut Vec<Diagnostic>) {
    // Few spellings are repeated many times.
    let mut known: HashMap<&str, bool> = HashMap::new();
    for (at, instruction, legal) in flow.atomics() {
        let silent = legal.scope.is_some_and(|scope| scope.at.is_none());
        if !silent || !*known.entry(flow.opcode(at)).or_insert_with(|| flow.accepts(instruction, "gpu")) {
            continue;
        }
        let before =
            legal.at("sem").map_or(instruction.opcode.mnemonic.range.end, |sem| instruction.opcode.at(Some(sem)).end);
        diagnostics.push(
            Diagnostic::new(&IMPLICIT_SCOPE, instruction.opcode.mnemonic.range.clone(), "implicit `.gpu` scope")
                .help("write `.gpu`, or the intended scope")
                .fix("Insert `.gpu`", [insert(before, ".gpu")]),
        );
    }
}
