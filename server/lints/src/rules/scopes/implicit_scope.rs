//! `implicit-scope`: atomics without an explicit scope.

use analysis::values::FunctionValues;
use diagnostics::registry::IMPLICIT_SCOPE;
use diagnostics::{Diagnostic, insert};

/// Checks every atomic without a scope.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, legal) in flow.atomics() {
        let silent = legal.scope.is_some_and(|scope| scope.at.is_none());
        if !silent || !flow.accepts(instruction, "gpu") {
            continue;
        }
        let before =
            legal.at("sem").map_or(instruction.opcode.mnemonic_range().end, |sem| instruction.opcode.at(Some(sem)).end);
        diagnostics.push(
            Diagnostic::new(&IMPLICIT_SCOPE, instruction.opcode.mnemonic_range(), "implicit `.gpu` scope")
                .help("write `.gpu`, or the intended scope")
                .fix("Insert `.gpu`", [insert(before, ".gpu")]),
        );
    }
}
