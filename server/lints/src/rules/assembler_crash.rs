//! Forms that the assembler's check accepts and its code generator crashes on. Measured: a vector register as destination.

use crate::flow::{Flow, OperandValue};
use diagnostics::registry::ASSEMBLER_CRASH;
use diagnostics::{Diagnostic, replace};
use isa::Role;

/// Looks at every vector atomic for a vector register that stands for a braced list of destinations.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, legal) in flow.atomics().filter(|(_, _, legal)| legal.lanes > 1 && legal.family.name == "atom") {
        let Some((operand, OperandValue::Register(register))) = step.operand(Role::Destination) else { continue };
        let declaration = flow.declaration(*register);
        if declaration.vector.text.is_empty() {
            continue;
        }
        let name = &operand.token.text;
        let elements: Vec<_> = ["x", "y", "z", "w"].iter().map(|element| format!("{name}.{element}")).collect();
        let message =
            format!("the assembler's check takes the vector register `{name}` here, but generating code then crashes");
        let mut report =
            Diagnostic::new(&ASSEMBLER_CRASH, operand.token.range.clone(), message).declared(Some(declaration));
        report = match elements.get(..usize::from(legal.lanes)) {
            Some(elements) => {
                let list = format!("{{{}}}", elements.join(", "));
                let edit = replace(operand.token.range.clone(), list.clone());
                report.help(format!("name its elements: `{list}`")).fix(format!("Write `{list}`"), [edit])
            }
            None => report.help("name registers one by one, in braces"),
        };
        findings.push(report);
    }
}
