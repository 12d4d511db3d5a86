//! `doubled-fence`: fences next to an atomic with the same ordering.

use analysis::values::FunctionValues;
use diagnostics::Diagnostic;
use diagnostics::registry::DOUBLED_FENCE;
use isa::types::{Scope, Sem};

/// Checks the fences next to every ordered atomic.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (at, instruction, legal) in flow.atomics() {
        let (Some(sem), Some(scope)) = (legal.sem, legal.scope) else { continue };
        let before = matches!(sem.value, Sem::Release | Sem::AcqRel);
        let after = matches!(sem.value, Sem::Acquire | Sem::AcqRel);
        let before = before.then(|| adjacent_fence(flow, at, |flow, at| flow.fallthrough_predecessor(at))).flatten();
        let after = after.then(|| adjacent_fence(flow, at, |flow, at| flow.fallthrough(at))).flatten();
        for fence in before.into_iter().chain(after).filter(|fence| is_redundant(flow, *fence, scope.value)) {
            let fence = flow.instruction(fence);
            let message = format!("redundant fence next to `.{}` atomic", sem.value.word());
            let report = Diagnostic::new(&DOUBLED_FENCE, fence.opcode.range(), message)
                .help("remove the fence or the memory order of the atomic; keep the fence only if later strong writes rely on it");
            diagnostics.push(report.related(instruction.opcode.range(), "atomic with the same ordering"));
        }
    }
}

/// The next fence in a direction. Only register instructions may be in between, and the fence must execute only if the atomic does.
fn adjacent_fence(
    flow: &FunctionValues,
    at: usize,
    next: impl Fn(&FunctionValues, usize) -> Option<usize>,
) -> Option<usize> {
    let mut fence = at;
    for _ in 0..16 {
        fence = next(flow, fence)?;
        if matches!(flow.mnemonic(fence), "fence" | "membar") {
            let executes_with_atomic = !flow.is_guarded(at) || flow.same_guard(at, fence) == Some(true);
            return executes_with_atomic.then_some(fence);
        }
        if !flow.fills_registers(fence) {
            return None;
        }
    }
    None
}

/// Whether an atomic with this scope provides the ordering of a fence: the fence is not wider, and not `.sc`.
fn is_redundant(flow: &FunctionValues, fence: usize, scope: Scope) -> bool {
    let fence_scope = match flow.mnemonic(fence) {
        "fence" if flow.has(fence, "acq_rel") => {
            [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys].into_iter().find(|scope| flow.has(fence, scope.word()))
        }
        "membar" if flow.has(fence, "cta") => Some(Scope::Cta),
        "membar" if flow.has(fence, "gl") => Some(Scope::Gpu),
        "membar" if flow.has(fence, "sys") => Some(Scope::Sys),
        _ => None,
    };
    fence_scope.is_some_and(|fence_scope| fence_scope <= scope) && !flow.has(fence, "proxy")
}
