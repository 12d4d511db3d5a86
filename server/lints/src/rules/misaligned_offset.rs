//! Addresses that are surely no multiple of what the access needs.

use crate::flow::{Definition, DefinitionSite, Flow, FlowStep, OperandValue, Root, aligned, gcd, size};
use diagnostics::Diagnostic;
use diagnostics::registry::MISALIGNED_OFFSET;
use isa::Role;
use syntax::Declaration;

/// Looks at every atomic's address.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, legal) in flow.atomics() {
        let size = size(legal);
        let Some((operand, OperandValue::Address { offset: Some(written), .. })) = step.operand(Role::Address) else {
            continue;
        };
        let Some(place) = flow.address(step).filter(|_| size > 1) else { continue };
        let total = if place.stride == 1 { *written } else { place.base };
        let variable = match place.root {
            Root::Variable(at) if place.stride != 1 => Some(flow.declaration(at)),
            _ => None,
        };
        // What is added any number of times leaves so many of the lower bits as they are.
        let kept = |size: i64| gcd(size.unsigned_abs(), if place.stride == 1 { 0 } else { place.stride }) as i64;
        let fault = match (place.root, variable) {
            (_, Some(variable)) => {
                let written_too_small = variable.alignment.is_some_and(|bytes| bytes < size as u64);
                total.rem_euclid(kept(aligned(variable).min(size))) != 0
                    || place.offset() == Some(0) && written_too_small
            }
            // What ways bring that meet may have begun at any offset.
            (
                Root::Value(Definition {
                    site: DefinitionSite::Merge(_) | DefinitionSite::Guarded(_) | DefinitionSite::Unknown(_),
                    ..
                }),
                _,
            ) => false,
            _ => written.rem_euclid(kept(size)) != 0 && total.rem_euclid(kept(size)) != 0,
        };
        if fault {
            report(step, &operand.token.text, size, total, variable, findings);
        }
    }
}

fn report(
    step: &FlowStep,
    address: &str,
    size: i64,
    total: i64,
    variable: Option<&Declaration>,
    findings: &mut Vec<Diagnostic>,
) {
    let (message, help) = match variable {
        Some(variable) if total.rem_euclid(size) == 0 => (
            format!("`{}` is aligned to {} bytes, this access needs {size}", variable.name.text, aligned(variable)),
            format!("declare it with `.align {size}`"),
        ),
        _ => {
            let below = total - total.rem_euclid(size);
            (
                format!(
                    "`{address}` is {total} bytes from an aligned address, which is no multiple of the {size} bytes of this access"
                ),
                format!(
                    "write an offset that is a multiple of {size}, such as {below} or {}: a misaligned atomic traps or reaches its neighbour",
                    below + size
                ),
            )
        }
    };
    findings.push(Diagnostic::new(&MISALIGNED_OFFSET, step.offset_range(), message).help(help).declared(variable));
}
