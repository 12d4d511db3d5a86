//! `asm-missing-volatile`: what does more than compute its outputs says so.

use super::{Effect, effects};
use diagnostics::registry::ASM_MISSING_VOLATILE;
use diagnostics::{Diagnostic, insert};
use hosts::cpp::AsmFragment;

/// Checks that a statement with outputs that also has an effect is volatile; one without outputs is so anyway.
pub(super) fn check(embedded: &AsmFragment, findings: &mut Vec<Diagnostic>) {
    let statement = embedded.statement;
    let outputs = embedded.operands.iter().any(|operand| operand.output);
    // Measured: with the clobber "memory", nvcc 13.5 keeps a statement whose outputs nobody uses.
    let clobbers = embedded.clobbers.iter().any(|clobber| clobber.name.as_deref().is_none_or(|name| name == "memory"));
    if statement.volatile || statement.open || !outputs || clobbers {
        return;
    }
    let Some((inner, effect)) = effects(embedded).next() else { return };
    let what = match effect {
        Effect::Write => "writes to memory",
        Effect::Order => "orders memory accesses",
    };
    let message = format!("`{}` {what}, but the statement is not `volatile`", inner.text);
    let help = "write `asm volatile`: else it is left out where its outputs are not used, and may be moved or merged with its like";
    let found = Diagnostic::new(&ASM_MISSING_VOLATILE, statement.keyword.clone(), message).help(help);
    let at = statement.keyword.end;
    let word = if embedded.host[statement.keyword.clone()].ends_with("__") { " __volatile__" } else { " volatile" };
    findings.push(found.fix(format!("Write{word}"), [insert(at, word)]));
}
