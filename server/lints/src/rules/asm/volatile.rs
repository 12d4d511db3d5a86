//! `asm-missing-volatile`: statements with side effects that are not `volatile`.

use crate::rules::asm::{clobbers_memory, effects};
use diagnostics::registry::ASM_MISSING_VOLATILE;
use diagnostics::{Diagnostic, insert};
use hosts::inline_asm::AsmFragment;

/// Checks statements with outputs and a side effect. Statements without outputs are implicitly volatile.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let statement = fragment.statement;
    let outputs = fragment.operands.iter().any(|operand| operand.output);
    // Measured: with the clobber "memory", nvcc 13.5 keeps a statement whose outputs are unused.
    if statement.volatile || statement.open || !outputs || clobbers_memory(fragment) {
        return;
    }
    let Some((instruction, effect)) = effects(fragment).next() else { return };
    let what = effect.description();
    let message = format!("`{}` {what}, but the statement is not `volatile`", instruction.text);
    let help = "write `asm volatile`; otherwise the compiler removes the statement if its outputs are unused, and may move it or merge it with an identical one";
    let found = Diagnostic::new(&ASM_MISSING_VOLATILE, statement.keyword.clone(), message).help(help);
    let at = statement.keyword.end;
    let word = if fragment.host[statement.keyword.clone()].ends_with("__") { " __volatile__" } else { " volatile" };
    diagnostics.push(found.fix(format!("Insert `{}`", word.trim()), [insert(at, word)]));
}
