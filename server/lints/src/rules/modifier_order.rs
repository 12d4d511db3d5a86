//! Modifiers in another order than the one that is printed everywhere. Style: the assembler takes any order.

use diagnostics::registry::MODIFIER_ORDER;
use diagnostics::{Diagnostic, replace};
use isa::ResolvedInstruction;
use syntax::Opcode;

/// Offers the conventional order of a legal instruction.
pub(crate) fn check(opcode: &Opcode, resolved: &ResolvedInstruction, findings: &mut Vec<Diagnostic>) {
    let order = resolved.canonical_order();
    let Some(first) = order.iter().enumerate().position(|(place, at)| place != *at) else { return };
    let words: Vec<&str> = order.iter().map(|at| &*opcode.modifiers[*at].text).collect();
    let conventional = format!("{}.{}", opcode.mnemonic.text, words.join("."));
    let range = opcode.at(Some(first)).start..opcode.range.end;
    findings.push(
        Diagnostic::new(&MODIFIER_ORDER, range, "these modifiers are usually written in another order")
            .help(format!("write `{conventional}`; both mean the same"))
            .fix(format!("write `{conventional}`"), [replace(opcode.range.clone(), conventional)]),
    );
}
