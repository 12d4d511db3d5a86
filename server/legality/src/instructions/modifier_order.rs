//! `modifier-order`: modifiers in an unconventional order.

use diagnostics::registry::MODIFIER_ORDER;
use diagnostics::{Diagnostic, replace};
use isa::ResolvedInstruction;
use syntax::Opcode;

/// Checks the order of the modifiers of a legal instruction.
pub fn check(opcode: &Opcode, resolved: &ResolvedInstruction, diagnostics: &mut Vec<Diagnostic>) {
    let order = resolved.canonical_order();
    let Some(first) = order.iter().enumerate().position(|(place, at)| place != *at) else { return };
    let words: Vec<&str> = order.iter().map(|at| &*opcode.modifiers[*at].text).collect();
    let conventional = format!("{}.{}", opcode.mnemonic.text, words.join("."));
    let range = opcode.at(Some(first)).start..opcode.range.end;
    diagnostics.push(
        Diagnostic::new(&MODIFIER_ORDER, range, "unconventional modifier order")
            .help(format!("write `{conventional}`, which is equivalent"))
            .fix(format!("Replace with `{conventional}`"), [replace(opcode.range.clone(), conventional)]),
    );
}
