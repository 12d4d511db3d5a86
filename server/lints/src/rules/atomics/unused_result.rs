//! `unused-result`: `atom` instructions whose result is unused.

use analysis::values::{FunctionValues, OperandValue};
use diagnostics::registry::UNUSED_RESULT;
use diagnostics::{Diagnostic, remove, replace};
use isa::Role;

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 100_000;

/// Checks every `atom` that has an equivalent `red`.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    // A broken statement may read or declare any name.
    if flow.has_broken_statement() {
        return;
    }
    let mut budget = STEP_BUDGET;
    for (at, instruction, legal) in flow.atomics() {
        if legal.family.name != "atom" {
            continue;
        }
        let Some((operand, value)) = instruction.operand(Role::Destination) else { continue };
        let mut registers = Vec::new();
        value.registers(&mut |register| registers.push(register));
        let unsure = matches!(value, OperandValue::Other) && operand.token.text != "_";
        if unsure || registers.iter().any(|register| flow.is_read(*register, at, &mut budget)) {
            continue;
        }
        if !flow.is_legal(instruction, "red", || ("red", instruction.opcode.words())) {
            continue;
        }
        let Some(next) = instruction.operands.get(1) else { continue };
        diagnostics.push(
            Diagnostic::new(&UNUSED_RESULT, operand.token.range.clone(), "unused result of `atom`")
                .help("write `red`, which returns no value")
                .fix(
                    "Replace `atom` with `red`",
                    [
                        replace(instruction.opcode.mnemonic_range(), "red"),
                        remove(operand.token.range.start..next.token.range.start),
                    ],
                ),
        );
    }
}
