//! Fences beside an atomic that orders the same by itself.

use crate::flow::Flow;
use diagnostics::Diagnostic;
use diagnostics::registry::DOUBLED_FENCE;
use isa::types::{Scope, Sem};

/// Looks at every ordered atomic's neighbours.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (at, step, legal) in flow.atomics() {
        let (Some(sem), Some(scope)) = (legal.sem, legal.scope) else { continue };
        let before = matches!(sem.value, Sem::Release | Sem::AcqRel);
        let after = matches!(sem.value, Sem::Acquire | Sem::AcqRel);
        let before = before.then(|| neighbour(flow, at, |flow, at| flow.straight_back(at))).flatten();
        let after = after.then(|| neighbour(flow, at, |flow, at| flow.straight_on(at))).flatten();
        for fence in before.into_iter().chain(after).filter(|fence| covers(flow, *fence, scope.value)) {
            let fence = flow.step(fence);
            let message = format!("`.{}` of the atomic beside it orders this already", sem.value.word());
            let report = Diagnostic::new(&DOUBLED_FENCE, fence.opcode.range.clone(), message)
                .help("leave one of them out: the fence costs as much as the order; keep it only if other strong writes rely on it");
            findings.push(report.related(step.opcode.range.clone(), "the ordered atomic"));
        }
    }
}

/// The fence that comes next in a direction, with nothing between but what fills registers, and done only where the atomic is done too.
fn neighbour(flow: &Flow, at: usize, next: impl Fn(&Flow, usize) -> Option<usize>) -> Option<usize> {
    let mut fence = at;
    for _ in 0..16 {
        fence = next(flow, fence)?;
        if matches!(flow.mnemonic(fence), "fence" | "membar") {
            let together = !flow.guarded(at) || flow.same_guard(at, fence) == Some(true);
            return together.then_some(fence);
        }
        if !flow.fills_registers(fence) {
            return None;
        }
    }
    None
}

/// Whether a fence does no more than an atomic of this scope: it is no wider, and not `.sc`.
fn covers(flow: &Flow, fence: usize, scope: Scope) -> bool {
    let own = match flow.mnemonic(fence) {
        "fence" if flow.has(fence, "acq_rel") => {
            [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys].into_iter().find(|scope| flow.has(fence, scope.word()))
        }
        "membar" if flow.has(fence, "cta") => Some(Scope::Cta),
        "membar" if flow.has(fence, "gl") => Some(Scope::Gpu),
        "membar" if flow.has(fence, "sys") => Some(Scope::Sys),
        _ => None,
    };
    own.is_some_and(|own| own <= scope) && !flow.has(fence, "proxy")
}
