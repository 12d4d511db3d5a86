//! Plain accesses to memory that multimem instructions use.

use crate::flow::{Flow, Root};
use crate::report::{With, finding};
use crate::{Finding, Related};
use std::collections::HashMap;

/// Looks at every load, store and atomic of a function that has a multimem instruction.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Finding>) {
    let multimem = flow.atomics().filter(|(_, _, legal)| legal.family.name.starts_with("multimem"));
    let used: HashMap<Root, _> =
        multimem.filter_map(|(_, step, _)| Some((flow.address(step)?.root, step.opcode.range.clone()))).collect();
    if used.is_empty() {
        return;
    }
    for at in 0..flow.len() {
        if !matches!(flow.mnemonic(at), "ld" | "st" | "atom" | "red") || flow.has(at, "param") {
            continue;
        }
        let step = flow.step(at);
        let Some(root) = flow.address(step).map(|place| place.root) else { continue };
        let Some(range) = used.get(&root) else { continue };
        let mnemonic = &step.opcode.mnemonic.text;
        let message =
            format!("a multimem instruction uses this address, and `{mnemonic}` is none: what that does is undefined");
        let mut report = finding("multimem-address", step.offset_range(), message)
            .help("use `multimem.ld_reduce`, `multimem.st` or `multimem.red`, or this device's own address of the same memory");
        report.related.push(Related { range: range.clone(), message: "the multimem instruction".to_owned() });
        findings.push(*report);
    }
}
