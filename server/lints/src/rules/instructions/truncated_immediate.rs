//! `truncated-immediate`: integer constants that do not fit into the type of the instruction.

use analysis::values::{FunctionValues, is_constant, number};
use diagnostics::registry::TRUNCATED_IMMEDIATE;
use diagnostics::{Diagnostic, replace};
use isa::Role;
use isa::types::TypeKind;

/// Checks the constant operands of every atomic.
pub fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, legal) in flow.atomics() {
        for (wanted, written) in legal.operands().zip(&instruction.operands) {
            let value = matches!(wanted.role, Role::Value | Role::Compare) && wanted.lanes == 1;
            let bits = wanted.ty.bits();
            if !value || !is_constant(written) || wanted.ty.kind() == TypeKind::Float || bits > 64 {
                continue;
            }
            let Some(given) = number(&written.token) else { continue };
            if (-(1i128 << (bits - 1))..=(1i128 << bits) - 1).contains(&given) {
                continue;
            }
            let truncated = format!("{:#x}", given.rem_euclid(1i128 << bits));
            let message = format!(
                "`{}` does not fit into `.{}`; it is truncated to {truncated} ({bits} bits)",
                written.token.text,
                wanted.ty.word()
            );
            diagnostics.push(
                Diagnostic::new(&TRUNCATED_IMMEDIATE, written.token.range.clone(), message)
                    .help(format!("write the intended value; the instruction uses `{truncated}`"))
                    .fix(format!("Replace with `{truncated}`"), [replace(written.token.range.clone(), truncated)]),
            );
        }
    }
}
