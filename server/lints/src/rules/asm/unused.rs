//! `asm-unused-operand`: operands that the text does not name.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_UNUSED_OPERAND;
use hosts::cpp::AsmFragment;

/// Checks that every operand is named. One that keeps a value alive is none to the text: a text without instructions is passed over.
pub(super) fn check(embedded: &AsmFragment, findings: &mut Vec<Diagnostic>) {
    let statement = embedded.statement;
    let unknown = statement.open || embedded.template.has_placeholder || !statement.groups.is_empty();
    if unknown || embedded.instructions.is_empty() {
        return;
    }
    for (number, operand) in embedded.operands.iter().enumerate() {
        let used = embedded.template.uses.iter().any(|(_, used)| *used == number);
        // A dummy input such as the memory behind a pointer orders accesses, and is not meant to be named.
        if used || !operand.output && matches!(operand.letter(), Some('m') | None) {
            continue;
        }
        let what = if operand.output { "nothing writes to it" } else { "nothing reads it" };
        let message = format!("`%{number}` is not named in the text: {what}");
        let help = "name it, or take it away; the numbers of those behind it change then";
        findings.push(Diagnostic::new(&ASM_UNUSED_OPERAND, operand.range().clone(), message).help(help));
    }
}
