//! Addresses in the shared memory of another CTA.

use crate::values::{Definition, DefinitionSite, FunctionValues, OperandValue, Provenance, Root};

/// Whether an address comes from `mapa` with a rank that may be that of another CTA.
pub fn is_of_other_cta(flow: &FunctionValues, address: &Provenance) -> bool {
    match address.root {
        Root::Value(Definition { site: DefinitionSite::Instruction(at), .. }) => {
            flow.mnemonic(at) == "mapa" && !has_own_rank(flow, at)
        }
        _ => false,
    }
}

/// Whether nothing in a function says that its clusters have several CTAs. An address of rank 0 is then that of the CTA itself, as in kernels that can be
/// compiled for clusters of any size; those read their rank, too, but compare it with nothing.
pub fn may_be_alone(flow: &FunctionValues) -> bool {
    let is_of_cluster = |at: usize| {
        let instruction = flow.instruction(at);
        let is_size = |text: &str| text.starts_with("%cluster_nctarank") || text.starts_with("%cluster_nctaid");
        instruction.operands.iter().any(|operand| is_size(operand.token.text.trim()))
            || flow.has(at, "cluster") && flow.mnemonic(at) == "barrier"
            || flow.has(at, "multicast::cluster")
            || flow.mnemonic(at) == "mapa" && !has_rank_zero(flow, at) && !has_own_rank(flow, at)
            || flow.mnemonic(at) == "setp" && (1..3).any(|operand| is_own_rank(flow, at, operand))
    };
    !flow.cta_shape().is_in_cluster && !(0..flow.len()).any(is_of_cluster)
}

/// Whether a `mapa` has the rank 0.
fn has_rank_zero(flow: &FunctionValues, mapa: usize) -> bool {
    let rank = flow.instruction(mapa).values.get(2);
    rank.and_then(|rank| flow.constant(rank, mapa)) == Some(0)
}

/// Whether a `mapa` has the rank of the CTA that executes it.
fn has_own_rank(flow: &FunctionValues, mapa: usize) -> bool {
    is_own_rank(flow, mapa, 2)
}

/// Whether an operand is the rank of the CTA in its cluster.
fn is_own_rank(flow: &FunctionValues, at: usize, operand: usize) -> bool {
    const OWN_RANK: &str = "%cluster_ctarank";
    let is_rank = |at: usize, operand: usize| {
        flow.instruction(at).operands.get(operand).is_some_and(|operand| operand.token.text.trim() == OWN_RANK)
    };
    match flow.instruction(at).values.get(operand) {
        Some(OperandValue::Register(rank)) => match flow.reaching(*rank, at).site {
            DefinitionSite::Instruction(at) => flow.mnemonic(at) == "mov" && is_rank(at, 1),
            _ => false,
        },
        _ => is_rank(at, operand),
    }
}
