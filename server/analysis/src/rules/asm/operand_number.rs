//! `asm-operand-number`: numbers behind `%` for which there is an operand.

use super::finding;
use crate::Finding;
use crate::cuda::Embedded;

/// Checks the numbers in the template.
pub(super) fn check(embedded: &Embedded, findings: &mut Vec<Finding>) {
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
        findings.push(finding("asm-operand-number", range, message, "add the operand, or name one that is there"));
    }
}
