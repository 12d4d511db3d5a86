//! `asm-unused-operand` and `asm-unused-input`: operands that the template does not use.

use diagnostics::Diagnostic;
use diagnostics::registry::{ASM_UNUSED_INPUT, ASM_UNUSED_OPERAND};
use hosts::inline_asm::{AsmFragment, AsmOperand};

/// Checks that every operand is used. Templates without instructions are skipped: their operands keep values alive.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let statement = fragment.statement;
    let unknown = statement.open || fragment.template.has_placeholder || !statement.groups.is_empty();
    if unknown || fragment.instructions().is_empty() {
        return;
    }
    // A wait that uses no operand holds the values that an earlier instruction writes.
    let is_held = |operand: &&AsmOperand| operand.constraint.as_deref().is_some_and(|letters| letters.starts_with('+'));
    if fragment.template.uses.is_empty() && fragment.operands.iter().all(is_held) {
        return;
    }
    for (number, operand) in fragment.operands.iter().enumerate() {
        let used = fragment.template.uses.iter().any(|(_, used)| *used == number);
        // A dummy memory input orders accesses and is intentionally unused.
        if used || !operand.output && matches!(operand.letter(), Some('m') | None) {
            continue;
        }
        // An operand with `"+"` keeps its value.
        let is_undefined = operand.constraint.as_deref().is_some_and(|letters| letters.starts_with('='));
        let (rule, help) = match is_undefined {
            true => (&ASM_UNUSED_OPERAND, "write the result to it in the template; its value is undefined"),
            false => (&ASM_UNUSED_INPUT, "use it in the template, or remove it and renumber the operands after it"),
        };
        let kind = if operand.output { "output" } else { "input" };
        let message = format!("unused {kind} operand `%{number}`");
        diagnostics.push(Diagnostic::new(rule, operand.range().clone(), message).help(help));
    }
}

/// Checks that a template of LLVM uses every output. In an elementwise call, a result is needed and often meaningless.
pub(super) fn check_outputs(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let statement = fragment.statement;
    let unknown = statement.open || fragment.template.has_placeholder || !statement.groups.is_empty();
    if unknown || statement.elementwise || fragment.instructions().is_empty() {
        return;
    }
    for (number, operand) in fragment.operands.iter().enumerate().filter(|(_, operand)| operand.output) {
        let is_used = fragment.template.uses.iter().any(|(_, used)| *used == number);
        let is_tied = || fragment.operands.iter().any(|other| other.constraint == Some(number.to_string()));
        if !is_used && !is_tied() {
            let message = format!("unused output operand `${number}`");
            let help = "write the result to it in the template; its value is undefined";
            diagnostics.push(Diagnostic::new(&ASM_UNUSED_OPERAND, operand.constraint_at.clone(), message).help(help));
        }
    }
}
