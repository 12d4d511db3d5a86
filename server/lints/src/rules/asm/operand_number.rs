//! `asm-operand-number`: numbers after `%` without an operand.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_OPERAND_NUMBER;
use hosts::inline_asm::AsmFragment;

/// Checks the numbers in the template.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let statement = fragment.statement;
    // If several `#if`s select operands, the number of operands is unknown.
    if statement.open || statement.groups.len() > 1 {
        return;
    }
    let count = fragment.operands.len();
    for (range, number) in fragment.template.uses.iter().filter(|(_, number)| *number >= count) {
        let message = match count {
            1 => format!("unknown operand {number}: the statement has 1 operand, `%0`"),
            count => format!("unknown operand {number}: the statement has {count} operands, `%0` to `%{}`", count - 1),
        };
        diagnostics.push(
            Diagnostic::new(&ASM_OPERAND_NUMBER, range.clone(), message)
                .help("add the operand, or use an existing one"),
        );
    }
}
