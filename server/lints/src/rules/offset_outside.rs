//! Accesses that lie outside the variable that their address starts from.

use crate::flow::{Flow, Root, bytes, size};
use diagnostics::Diagnostic;
use diagnostics::registry::OFFSET_OUTSIDE;

/// Looks at every atomic whose address is a variable and a known number of bytes.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, legal) in flow.atomics() {
        let Some(place) = flow.address(step) else { continue };
        let (Root::Variable(at), Some(offset)) = (place.root, place.offset()) else { continue };
        let variable = flow.declaration(at);
        let Some(bytes) = bytes(variable) else { continue };
        let size = size(legal);
        if offset >= 0 && offset.checked_add(size).is_some_and(|end| end <= bytes) {
            continue;
        }
        let name = &variable.name.text;
        let message = match offset < 0 {
            true => format!("this address lies {} bytes before `{name}`", offset.unsigned_abs()),
            false => {
                let last = offset.saturating_add(size - 1);
                format!("this access covers bytes {offset} to {last} of `{name}`, which has {bytes}")
            }
        };
        let help = match size <= bytes {
            true => format!(
                "write an offset from 0 to {}, or declare more elements: what lies there belongs to somebody else",
                bytes - size
            ),
            false => format!("declare `{name}` with at least {size} bytes"),
        };
        findings
            .push(Diagnostic::new(&OFFSET_OUTSIDE, step.offset_range(), message).help(help).declared(Some(variable)));
    }
}
