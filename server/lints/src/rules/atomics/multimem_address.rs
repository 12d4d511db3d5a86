//! `multimem-address`: other accesses to the address of a multimem instruction.

use analysis::values::{FunctionValues, Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::MULTIMEM_ADDRESS;
use std::collections::HashMap;

/// Checks every load, store and atomic of a function with multimem instructions.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    let multimem = flow.atomics().filter(|(_, _, legal)| legal.family.name.starts_with("multimem"));
    let mut used: HashMap<Root, _> = HashMap::new();
    for (_, instruction, _) in multimem {
        for root in flow.address_provenance(instruction).iter().flat_map(certain_roots) {
            used.entry(root).or_insert_with(|| instruction.opcode.range());
        }
    }
    if used.is_empty() {
        return;
    }
    for at in 0..flow.len() {
        if !matches!(flow.mnemonic(at), "ld" | "st" | "atom" | "red") || flow.has(at, "param") {
            continue;
        }
        let instruction = flow.instruction(at);
        let Some(range) =
            flow.address_provenance(instruction).iter().flat_map(certain_roots).find_map(|root| used.get(&root))
        else {
            continue;
        };
        let mnemonic = instruction.opcode.mnemonic();
        let message = format!("`{mnemonic}` on a multimem address has undefined behavior");
        let report = Diagnostic::new(&MULTIMEM_ADDRESS, instruction.offset_range(), message)
            .help("use `multimem.ld_reduce`, `multimem.st` or `multimem.red`, or the address of this device's copy");
        diagnostics.push(report.related(range.clone(), "multimem instruction with this address"));
    }
}

/// The roots that an address certainly belongs to. An unknown offset may lead from one device's address to another's.
fn certain_roots(provenance: &Provenance) -> impl Iterator<Item = Root> + use<> {
    let root = (provenance.stride != 1).then_some(provenance.root);
    [Some(provenance.anchor.0), root].into_iter().flatten()
}
