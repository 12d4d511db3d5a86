//! An `atom` whose result nobody reads: `red` says so.

use crate::flow::{Flow, OperandValue};
use diagnostics::registry::UNUSED_RESULT;
use diagnostics::{Diagnostic, remove, replace};
use isa::Role;
use std::collections::HashMap;

/// How many steps behind results are looked at in one function.
const PATIENCE: usize = 100_000;

/// Looks at every `atom` that has a `red`.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    // A broken statement may lack the name that it reads, or declare one.
    if flow.has_broken() {
        return;
    }
    // A function repeats a few spellings.
    let mut patience = PATIENCE;
    let mut known: HashMap<&str, bool> = HashMap::new();
    for (at, step, legal) in flow.atomics() {
        if legal.family.name != "atom" {
            continue;
        }
        let Some((operand, value)) = step.operand(Role::Destination) else { continue };
        let mut registers = Vec::new();
        value.registers(&mut |register| registers.push(register));
        let unsure = matches!(value, OperandValue::Other) && operand.token.text != "_";
        if unsure || registers.iter().any(|register| flow.is_read(*register, at, &mut patience)) {
            continue;
        }
        let has_red = || {
            let spelling = isa::Spelling { mnemonic: "red", modifiers: &step.opcode.words() };
            isa::is_legal(&spelling, &flow.module) == Some(true)
        };
        if !*known.entry(flow.opcode(at)).or_insert_with(has_red) {
            continue;
        }
        let Some(next) = step.operands.get(1) else { continue };
        findings.push(
            Diagnostic::new(&UNUSED_RESULT, operand.token.range.clone(), "nothing reads this result")
                .help("write `red`, which returns none: whoever reads it sees that at once, and no register is kept for it")
                .fix(
                    "Write `red`",
                    [
                        replace(step.opcode.mnemonic.range.clone(), "red"),
                        remove(operand.token.range.start..next.token.range.start),
                    ],
                ),
        );
    }
}
