//! Tensor maps that a function modifies and uses without their fence.

use crate::rules::asynchronous::missing_proxy_fence::{is_generic_write, is_traced};
use analysis::effects::{FenceOrder, FunctionEffects, MemoryEffect, ProxyFence, SyncProxy};
use analysis::values::Provenance;
use diagnostics::Diagnostic;
use diagnostics::registry::MISSING_PROXY_FENCE;

/// Checks the uses of tensor maps that the function modifies.
pub(in crate::rules::asynchronous::missing_proxy_fence) fn check(
    function: &FunctionEffects,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let effects = || function.effects().iter();
    let acquires = |effect: &MemoryEffect| {
        let fence = matches!(effect, MemoryEffect::ProxyFence(ProxyFence::TensorMap(order, _)) if *order != FenceOrder::Release);
        fence || *effect == MemoryEffect::Unknown
    };
    if effects().any(|(_, effect)| acquires(effect)) {
        return;
    }
    let modified: Vec<(usize, Provenance)> = effects()
        .filter_map(|(at, effect)| match effect {
            MemoryEffect::ProxyFence(ProxyFence::TensorMap(_, Some(operand))) => Some((*at, *operand)),
            MemoryEffect::Access(access) if is_generic_write(access) && function.flow.mnemonic(*at) == "tensormap" => {
                Some((*at, access.operand?))
            }
            _ => None,
        })
        .filter_map(|(at, operand)| Some((at, function.address(at, operand)?)))
        .collect();
    if modified.is_empty() {
        return;
    }
    for (at, access) in function.accesses().filter(|(_, access)| access.proxy == SyncProxy::TensorMap) {
        let Some(used) = access.operand.and_then(|operand| function.address(at, operand)) else { continue };
        let is_same = |start: &Provenance| start.same(&used) || start.root == used.root && is_traced(&used);
        if let Some((write, _)) = modified.iter().find(|(write, start)| *write < at && is_same(start)) {
            let flow = function.flow;
            return diagnostics.push(
                Diagnostic::new(
                    &MISSING_PROXY_FENCE,
                    flow.instruction(at).opcode.range(),
                    "missing `fence.proxy.tensormap` between the modification of a tensor map and its use",
                )
                .help("add `fence.proxy.tensormap::generic.acquire.gpu [map], 128` before the copy")
                .related(flow.instruction(*write).opcode.range(), "modified here"),
            );
        }
    }
}
