//! Atomics that do not say their scope. Style: the default is `.gpu`.

use crate::Finding;
use crate::flow::Flow;
use crate::report::{With, finding, insert};

/// Looks at every atomic without a scope.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Finding>) {
    for (_, step, legal) in flow.atomics() {
        if legal.scope.is_none_or(|scope| scope.at.is_some()) || !flow.takes(step, "gpu") {
            continue;
        }
        let before = legal.at("sem").map_or(step.opcode.mnemonic.range.end, |sem| step.opcode.at(Some(sem)).end);
        findings.push(
            *finding("implicit-scope", step.opcode.mnemonic.range.clone(), "no scope is written, which means `.gpu`")
                .help("write `.gpu`, or the scope that is meant")
                .fix("Write `.gpu`", [insert(before, ".gpu")]),
        );
    }
}
