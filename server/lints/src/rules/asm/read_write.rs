//! `asm-needless-read`: `+` where the register is written before anything reads it.

use diagnostics::registry::ASM_NEEDLESS_READ;
use diagnostics::{Diagnostic, replace};
use hosts::cpp::{AsmFragment, FragmentInstruction};

/// Checks operands that are said to be read and written.
pub(super) fn check(embedded: &AsmFragment, findings: &mut Vec<Diagnostic>) {
    let statement = embedded.statement;
    let unknown = statement.open || embedded.template.has_placeholder || !statement.groups.is_empty();
    // Where it goes on elsewhere or under a condition, what was there may be left.
    let straight = embedded.instructions.iter().all(|inner| !inner.guarded && !inner.text.starts_with("br"));
    if unknown || !straight || !embedded.instructions.iter().any(FragmentInstruction::is_atom) {
        return;
    }
    for (number, operand) in embedded.operands.iter().enumerate().filter(|(_, operand)| operand.output) {
        let Some(constraint) = operand.constraint.as_deref().filter(|constraint| constraint.starts_with('+')) else {
            continue;
        };
        let name = format!("%{number}");
        let uses = embedded.template.uses.iter().filter(|(_, used)| *used == number).count();
        let first =
            embedded.instructions.iter().find(|inner| inner.operands.iter().any(|written| names(written, &name)));
        let written = first.is_some_and(|inner| {
            inner.is_atom()
                && inner.operands.first() == Some(&name)
                && !inner.operands[1..].iter().any(|rest| names(rest, &name))
        });
        if uses != 1 || !written {
            continue;
        }
        let mended = constraint.replacen('+', "=", 1);
        let message = format!("`{name}` is only written, but `\"{constraint}\"` has it read too");
        let help = format!("write \"{mended}\": then nothing needs to be in the variable before");
        let found = Diagnostic::new(&ASM_NEEDLESS_READ, operand.constraint_at.clone(), message).help(help);
        let edit = replace(operand.constraint_at.clone(), format!("\"{mended}\""));
        findings.push(found.fix(format!("Write `\"{mended}\"`"), [edit]));
    }
}

/// Whether an operand is or holds a name.
fn names(operand: &str, name: &str) -> bool {
    operand.match_indices(name).any(|(at, _)| !operand[at + name.len()..].starts_with(|c: char| c.is_ascii_digit()))
}
