//! Plain accesses to memory that multimem instructions use.

use crate::flow::{Flow, KnownAddress, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::MULTIMEM_ADDRESS;
use std::collections::HashMap;

/// Looks at every load, store and atomic of a function that has a multimem instruction.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    let multimem = flow.atomics().filter(|(_, _, legal)| legal.family.name.starts_with("multimem"));
    let mut used: HashMap<Root, _> = HashMap::new();
    for (_, step, _) in multimem {
        for root in flow.address(step).iter().flat_map(sure) {
            used.entry(root).or_insert_with(|| step.opcode.range.clone());
        }
    }
    if used.is_empty() {
        return;
    }
    for at in 0..flow.len() {
        if !matches!(flow.mnemonic(at), "ld" | "st" | "atom" | "red") || flow.has(at, "param") {
            continue;
        }
        let step = flow.step(at);
        let Some(range) = flow.address(step).iter().flat_map(sure).find_map(|root| used.get(&root)) else { continue };
        let mnemonic = &step.opcode.mnemonic.text;
        let message =
            format!("a multimem instruction uses this address, and `{mnemonic}` is none: what that does is undefined");
        let report = Diagnostic::new(&MULTIMEM_ADDRESS, step.offset_range(), message)
            .help("use `multimem.ld_reduce`, `multimem.st` or `multimem.red`, or this device's own address of the same memory");
        findings.push(report.related(range.clone(), "the multimem instruction"));
    }
}

/// What an address surely is a part of: a distance of which nothing is known may lead from one device's address to another's.
fn sure(place: &KnownAddress) -> impl Iterator<Item = Root> + use<> {
    let far = (place.stride != 1).then_some(place.root);
    [Some(place.anchor.0), far].into_iter().flatten()
}
