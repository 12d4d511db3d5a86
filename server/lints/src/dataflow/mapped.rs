//! Addresses in the shared memory of another CTA.

use crate::flow::{Definition, DefinitionSite, Flow, OperandValue, Provenance, Root};

/// Whether an address comes from `mapa` with a rank that may be that of another CTA.
pub(crate) fn is_of_other_cta(flow: &Flow, address: &Provenance) -> bool {
    match address.root {
        Root::Value(Definition { site: DefinitionSite::Instruction(at), .. }) => {
            flow.mnemonic(at) == "mapa" && !has_own_rank(flow, at)
        }
        _ => false,
    }
}

/// Whether a `mapa` has the rank of the CTA that executes it.
fn has_own_rank(flow: &Flow, mapa: usize) -> bool {
    const OWN_RANK: &str = "%cluster_ctarank";
    let instruction = flow.instruction(mapa);
    let is_rank = |at: usize, operand: usize| {
        flow.instruction(at).operands.get(operand).is_some_and(|operand| operand.token.text.trim() == OWN_RANK)
    };
    match instruction.values.get(2) {
        Some(OperandValue::Register(rank)) => match flow.reaching(*rank, mapa).site {
            DefinitionSite::Instruction(at) => flow.mnemonic(at) == "mov" && is_rank(at, 1),
            _ => false,
        },
        _ => is_rank(mapa, 2),
    }
}
