//! Forms that the assembler's check accepts and its code generator crashes on.

use crate::Finding;
use crate::flow::{Flow, Value};
use crate::report::{With, finding};
use isa::Role;

/// Looks at every vector atomic for a vector register that stands for a braced list.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Finding>) {
    for (_, step, legal) in flow.atomics().filter(|(_, _, legal)| legal.lanes > 1) {
        for (wanted, (operand, value)) in legal.operands().zip(step.operands.iter().zip(&step.values)) {
            let Value::Register(register) = value else { continue };
            let declaration = flow.declaration(*register);
            if wanted.role == Role::Address || declaration.vector.text.is_empty() {
                continue;
            }
            let name = &operand.token.text;
            let message = format!(
                "the assembler's check takes the vector register `{name}` here, but generating code from it crashes"
            );
            findings.push(
                *finding("assembler-crash", operand.token.range.clone(), message)
                    .help(format!("name its elements: `{{{name}.x, {name}.y}}`, and so on"))
                    .declared(Some(declaration)),
            );
        }
    }
}
