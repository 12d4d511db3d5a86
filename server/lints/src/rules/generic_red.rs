//! A `red` without a space: it becomes an ATOM, whose result comes all the way back to be thrown away.

use crate::flow::{Flow, PointedSpace};
use diagnostics::registry::GENERIC_RED;
use diagnostics::{Diagnostic, insert};
use isa::types;

/// Looks at every `red` with a generic address whose memory is known.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, legal) in flow.atomics() {
        if legal.family.name != "red" || legal.space.value != types::Space::Generic {
            continue;
        }
        let global = flow.address(step).is_some_and(|place| place.space == Some(PointedSpace::Global));
        if !global || !flow.takes(step, "global") {
            continue;
        }
        let message = "this address lies in `.global` memory, but without a space `red` becomes the slower ATOM";
        findings.push(
            Diagnostic::new(&GENERIC_RED, step.opcode.mnemonic.range.clone(), message)
                .help("write `.global`: then it is a RED, and nothing has to come back")
                .fix("Write `.global`", [insert(step.opcode.mnemonic.range.end, ".global")]),
        );
    }
}
