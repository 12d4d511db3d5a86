//! `assembler-crash`: vector registers as destinations, which crash the code generator of `ptxas`.

use analysis::values::{FunctionValues, OperandValue};
use diagnostics::registry::ASSEMBLER_CRASH;
use diagnostics::{Diagnostic, replace};
use isa::Role;

/// Checks the destination of every vector atomic.
pub fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, legal) in flow.atomics().filter(|(_, _, legal)| legal.lanes > 1 && legal.family.name == "atom")
    {
        let Some((operand, OperandValue::Register(register))) = instruction.operand(Role::Destination) else {
            continue;
        };
        let declaration = flow.declaration(*register);
        if declaration.vector.text.is_empty() {
            continue;
        }
        let name = &operand.token.text;
        let elements: Vec<_> = ["x", "y", "z", "w"].iter().map(|element| format!("{name}.{element}")).collect();
        let message = format!("vector register `{name}` as destination crashes the assembler during code generation");
        let mut report =
            Diagnostic::new(&ASSEMBLER_CRASH, operand.token.range.clone(), message).declared(Some(declaration));
        report = match elements.get(..usize::from(legal.lanes)) {
            Some(elements) => {
                let list = format!("{{{}}}", elements.join(", "));
                let edit = replace(operand.token.range.clone(), list.clone());
                report.help(format!("list its elements: `{list}`")).fix(format!("Replace with `{list}`"), [edit])
            }
            None => report.help("list the registers in braces"),
        };
        diagnostics.push(report);
    }
}
