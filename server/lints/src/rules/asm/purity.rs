//! `asm-missing-volatile` of LLVM: calls with side effects that are declared pure, or pure by default.

use crate::rules::asm::{clobbers_memory, effects};
use diagnostics::registry::ASM_MISSING_VOLATILE;
use diagnostics::{Diagnostic, replace};
use hosts::inline_asm::AsmFragment;

const CONSEQUENCE: &str = "otherwise the compiler removes the call if its result is unused, and may move it or merge it with an identical one";

/// Checks a call that says that it has no side effects, or does not say that it has some.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let statement = fragment.statement;
    // LLVM keeps a call that clobbers memory.
    if statement.pure.is_none() && statement.missing_effects.is_none() || clobbers_memory(fragment) {
        return;
    }
    let Some((instruction, effect)) = effects(fragment).next() else { return };
    let what = effect.description();
    let Some(pure) = &statement.pure else {
        // LLVM keeps a call without results.
        if let Some(missing) =
            statement.missing_effects.filter(|_| fragment.operands.iter().any(|operand| operand.output))
        {
            let message = format!("`{}` {what}, but the call has no side effects by default", instruction.text);
            let help = format!("add {missing}; {CONSEQUENCE}");
            diagnostics.push(Diagnostic::new(&ASM_MISSING_VOLATILE, statement.keyword.clone(), message).help(help));
        }
        return;
    };
    let message = format!("`{}` {what}, but the call is declared to have no side effects", instruction.text);
    let other = if &fragment.host[pure.clone()] == "True" { "False" } else { "True" };
    let help = format!("write `{other}`; {CONSEQUENCE}");
    let found = Diagnostic::new(&ASM_MISSING_VOLATILE, pure.clone(), message).help(help);
    diagnostics.push(found.fix(format!("Replace with `{other}`"), [replace(pure.clone(), other)]));
}
