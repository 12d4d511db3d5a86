//! `generic-red`: `red` instructions without a state space on global memory, which compile to ATOM.

use analysis::values::{FunctionValues, PointedSpace};
use diagnostics::registry::GENERIC_RED;
use diagnostics::{Diagnostic, insert};
use isa::types;

/// Checks every `red` with a generic address.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, legal) in flow.atomics() {
        if legal.family.name != "red" || legal.space.value != types::Space::Generic {
            continue;
        }
        let global = flow
            .address_provenance(instruction)
            .is_some_and(|provenance| provenance.space == Some(PointedSpace::Global));
        if !global || !flow.accepts(instruction, "global") {
            continue;
        }
        let message = "generic `red` on a `.global` address compiles to the slower ATOM";
        diagnostics.push(
            Diagnostic::new(&GENERIC_RED, instruction.opcode.mnemonic_range(), message)
                .help("write `.global`, which compiles to RED")
                .fix("Insert `.global`", [insert(instruction.opcode.mnemonic_range().end, ".global")]),
        );
    }
}
