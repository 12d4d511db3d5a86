//! `asm-operand-number`: numbers behind `%` for which there is an operand.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_OPERAND_NUMBER;
use hosts::cpp::AsmFragment;

/// Checks the numbers in the template.
pub(super) fn check(embedded: &AsmFragment, findings: &mut Vec<Diagnostic>) {
    let statement = embedded.statement;
    // Where several `#if`s decide on operands, nobody knows which of them go together.
    if statement.open || statement.groups.len() > 1 {
        return;
    }
    let count = embedded.operands.len();
    for (range, number) in embedded.template.uses.iter().filter(|(_, number)| *number >= count) {
        let message = match count {
            1 => format!("there is no operand {number}: the statement has one, `%0`"),
            count => format!("there is no operand {number}: the statement has {count}, `%0` to `%{}`", count - 1),
        };
        findings.push(
            Diagnostic::new(&ASM_OPERAND_NUMBER, range.clone(), message)
                .help("add the operand, or name one that is there"),
        );
    }
}
