//! `misaligned-offset`: addresses that are not a multiple of the access size.

use analysis::values::{
    DecodedInstruction, Definition, DefinitionSite, FunctionValues, OperandValue, Root, access_size, alignment, gcd,
};
use diagnostics::Diagnostic;
use diagnostics::registry::MISALIGNED_OFFSET;
use isa::Role;
use syntax::{Declaration, readable};

/// Checks the address of every atomic.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, legal) in flow.atomics() {
        let size = access_size(legal);
        let Some((operand, OperandValue::Address { offset: Some(written), .. })) = instruction.operand(Role::Address)
        else {
            continue;
        };
        let Some(provenance) = flow.address_provenance(instruction).filter(|_| size > 1) else { continue };
        let total = if provenance.stride == 1 { *written } else { provenance.base };
        let variable = match provenance.root {
            Root::Variable(at) if provenance.stride != 1 => Some(flow.declaration(at)),
            _ => None,
        };
        // Adding a multiple of the stride preserves the low bits.
        let known_alignment =
            |size: i64| gcd(size.unsigned_abs(), if provenance.stride == 1 { 0 } else { provenance.stride }) as i64;
        let is_misaligned = match (provenance.root, variable) {
            (_, Some(variable)) => {
                let alignment_is_too_small = variable.alignment.is_some_and(|bytes| bytes < size as u64);
                total.rem_euclid(known_alignment(alignment(variable).min(size))) != 0
                    || provenance.offset() == Some(0) && alignment_is_too_small
            }
            // The values of a merge may start at any offset.
            (
                Root::Value(Definition {
                    site: DefinitionSite::Merge(_) | DefinitionSite::Guarded(_) | DefinitionSite::Unknown(_),
                    ..
                }),
                _,
            ) => false,
            // What was added may be known but for a statement with a syntax error.
            (Root::Value(Definition { site: DefinitionSite::Instruction(writer), .. }), _)
                if flow.has_broken_statement() && matches!(flow.mnemonic(writer), "add" | "sub" | "mad") =>
            {
                false
            }
            _ => written.rem_euclid(known_alignment(size)) != 0 && total.rem_euclid(known_alignment(size)) != 0,
        };
        if is_misaligned {
            report(instruction, &operand.token.text, size, total, variable, diagnostics);
        }
    }
}

fn report(
    instruction: &DecodedInstruction,
    address: &str,
    size: i64,
    total: i64,
    variable: Option<&Declaration>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (message, help) = match variable {
        Some(variable) if total.rem_euclid(size) == 0 => (
            format!(
                "`{}` is aligned to {} bytes, but this access requires {size}",
                readable(&variable.name.text),
                alignment(variable)
            ),
            format!("declare the variable with `.align {size}`"),
        ),
        _ => {
            let below = total - total.rem_euclid(size);
            let above = below.checked_add(size).map_or_else(String::new, |above| format!(" or {above}"));
            (
                format!(
                    "misaligned address `{address}`: offset {total} is not a multiple of the access size, {size} bytes"
                ),
                format!(
                    "use a multiple of {size}, such as {below}{above}; a misaligned atomic traps or accesses the adjacent element"
                ),
            )
        }
    };
    diagnostics
        .push(Diagnostic::new(&MISALIGNED_OFFSET, instruction.offset_range(), message).help(help).declared(variable));
}
