//! `offset-outside`: accesses that are out of bounds of a variable.

use analysis::values::{FunctionValues, Root, access_size, byte_size};
use diagnostics::Diagnostic;
use diagnostics::registry::OFFSET_OUTSIDE;
use syntax::readable;

/// Checks every atomic whose address is a variable plus a known offset.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, legal) in flow.atomics() {
        let Some(provenance) = flow.address_provenance(instruction) else { continue };
        let (Root::Variable(at), Some(offset)) = (provenance.root, provenance.offset()) else { continue };
        let variable = flow.declaration(at);
        let Some(bytes) = byte_size(variable) else { continue };
        let size = access_size(legal);
        if offset >= 0 && offset.checked_add(size).is_some_and(|end| end <= bytes) {
            continue;
        }
        let name = readable(&variable.name.text);
        let message = if offset < 0 {
            format!("access at {} bytes before `{name}` is out of bounds (size {bytes})", offset.unsigned_abs())
        } else {
            let end = offset.saturating_add(size);
            format!("access to bytes {offset}..{end} of `{name}` is out of bounds (size {bytes})")
        };
        let help = if size <= bytes {
            format!("use an offset from 0 to {}, or declare a larger variable", bytes - size)
        } else {
            format!("declare `{name}` with at least {size} bytes")
        };
        diagnostics.push(
            Diagnostic::new(&OFFSET_OUTSIDE, instruction.offset_range(), message).help(help).declared(Some(variable)),
        );
    }
}
