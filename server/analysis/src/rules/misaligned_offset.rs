//! Addresses that are surely no multiple of what the access needs.

use crate::Finding;
use crate::flow::{Flow, Root, Step, Value, aligned, size};
use crate::report::{With, finding};
use isa::Role;
use syntax::Declaration;

/// Looks at every atomic's address.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Finding>) {
    for (_, step, legal) in flow.atomics() {
        let size = size(legal);
        let Some((operand, Value::Address { offset: Some(written), .. })) = step.operand(Role::Address) else {
            continue;
        };
        let Some(place) = flow.address(step).filter(|_| size > 1) else { continue };
        let total = place.offset.unwrap_or(*written);
        let fault = match (place.root, place.offset) {
            (Root::Variable(at), Some(_)) => {
                let variable = flow.declaration(at);
                let sure = aligned(variable).min(size);
                let written_too_small = variable.alignment.is_some_and(|bytes| bytes < size as u64);
                total.rem_euclid(sure) != 0 || total == 0 && written_too_small
            }
            // What a loop moves on may have begun at any offset.
            (Root::Register(register), _) if flow.writes(register) > 1 => false,
            _ => written.rem_euclid(size) != 0 && total.rem_euclid(size) != 0,
        };
        if fault {
            let variable = match (place.root, place.offset) {
                (Root::Variable(at), Some(_)) => Some(flow.declaration(at)),
                _ => None,
            };
            report(step, &operand.token.text, size, total, variable, findings);
        }
    }
}

fn report(
    step: &Step,
    address: &str,
    size: i64,
    total: i64,
    variable: Option<&Declaration>,
    findings: &mut Vec<Finding>,
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
    findings.push(*finding("misaligned-offset", step.offset_range(), message).help(help).declared(variable));
}
