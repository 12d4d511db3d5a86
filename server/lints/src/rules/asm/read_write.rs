//! `asm-needless-read`: `+` where the register is written before anything reads it.

use diagnostics::registry::ASM_NEEDLESS_READ;
use diagnostics::{Diagnostic, replace};
use hosts::inline_asm::{AsmFragment, FragmentInstruction};

/// Checks operands with a read-write constraint.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let statement = fragment.statement;
    let unknown = statement.open || fragment.template.has_placeholder || !statement.groups.is_empty();
    // After a branch or a guarded write, the old value may be needed.
    let straight =
        fragment.instructions().iter().all(|instruction| !instruction.guarded && !instruction.text.starts_with("br"));
    if unknown || !straight || !fragment.instructions().iter().any(FragmentInstruction::is_atom) {
        return;
    }
    for (number, operand) in fragment.operands.iter().enumerate().filter(|(_, operand)| operand.output) {
        let Some(constraint) = operand.constraint.as_deref().filter(|constraint| constraint.starts_with('+')) else {
            continue;
        };
        let name = format!("%{number}");
        let uses = fragment.template.uses.iter().filter(|(_, used)| *used == number).count();
        let first = fragment
            .instructions()
            .iter()
            .find(|instruction| instruction.operands.iter().any(|written| names(written, &name)));
        let written = first.is_some_and(|instruction| {
            instruction.is_atom()
                && instruction.operands.first() == Some(&name)
                && !instruction.operands[1..].iter().any(|rest| names(rest, &name))
        });
        if uses != 1 || !written {
            continue;
        }
        let replacement = constraint.replacen('+', "=", 1);
        let message = format!("read-write constraint `\"{constraint}\"` on `{name}`, which is only written");
        let help = format!("write \"{replacement}\"; the variable then needs no initial value");
        let found = Diagnostic::new(&ASM_NEEDLESS_READ, operand.constraint_at.clone(), message).help(help);
        let edit = replace(operand.constraint_at.clone(), format!("\"{replacement}\""));
        diagnostics.push(found.fix(format!("Replace with `\"{replacement}\"`"), [edit]));
    }
}

/// Whether an operand contains a name.
fn names(operand: &str, name: &str) -> bool {
    operand.match_indices(name).any(|(at, _)| !operand[at + name.len()..].starts_with(|c: char| c.is_ascii_digit()))
}
