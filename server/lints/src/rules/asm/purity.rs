//! `asm-missing-volatile` in Python: calls with side effects that are declared pure.

use super::{clobbers_memory, effects};
use diagnostics::registry::ASM_MISSING_VOLATILE;
use diagnostics::{Diagnostic, replace};
use hosts::inline_asm::AsmFragment;

/// Checks a call that says that it has no side effects.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let Some(pure) = &fragment.statement.pure else { return };
    // LLVM keeps a call that clobbers memory.
    if clobbers_memory(fragment) {
        return;
    }
    let Some((instruction, effect)) = effects(fragment).next() else { return };
    let what = effect.description();
    let message = format!("`{}` {what}, but the call is declared to have no side effects", instruction.text);
    let other = if &fragment.host[pure.clone()] == "True" { "False" } else { "True" };
    let help = format!(
        "write `{other}`; otherwise the compiler removes the call if its result is unused, and may move it or merge it with an identical one"
    );
    let found = Diagnostic::new(&ASM_MISSING_VOLATILE, pure.clone(), message).help(help);
    diagnostics.push(found.fix(format!("Replace with `{other}`"), [replace(pure.clone(), other)]));
}
