//! Integer constants that do not fit the type: the assembler drops their upper bits without a word.

use crate::flow::{Flow, is_constant, number};
use diagnostics::registry::TRUNCATED_IMMEDIATE;
use diagnostics::{Diagnostic, replace};
use isa::Role;
use isa::types::TypeKind;

/// Looks at every value of every atomic.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, legal) in flow.atomics() {
        for (wanted, written) in legal.operands().zip(&step.operands) {
            let value = matches!(wanted.role, Role::Value | Role::Compare) && wanted.lanes == 1;
            let bits = wanted.ty.bits();
            if !value || !is_constant(written) || wanted.ty.kind() == TypeKind::Float || bits > 64 {
                continue;
            }
            let Some(given) = number(&written.token) else { continue };
            if (-(1i128 << (bits - 1))..=(1i128 << bits) - 1).contains(&given) {
                continue;
            }
            let kept = format!("{:#x}", given.rem_euclid(1i128 << bits));
            let message = format!(
                "`{}` does not fit `.{}`: the assembler keeps the lower {bits} bits, {kept}",
                written.token.text,
                wanted.ty.word()
            );
            findings.push(
                Diagnostic::new(&TRUNCATED_IMMEDIATE, written.token.range.clone(), message)
                    .help(format!("write the value that is meant; `{kept}` is what this computes with"))
                    .fix(format!("Write `{kept}`"), [replace(written.token.range.clone(), kept)]),
            );
        }
    }
}
