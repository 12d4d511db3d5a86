//! Whether a statement needs the clobber "memory" for its order: not where a barrier to the compiler stands between it and all other accesses.

use super::{Effect, effects};
use hosts::cpp::{AsmFragment, CompilerBarriers, FragmentInstruction};
use isa::types::Sem;

/// The side of a statement on which accesses must stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// Whether the compiler keeps the order that a statement wants, though it is not told: what it may move has a barrier before it.
pub(super) fn is_kept(embedded: &AsmFragment) -> bool {
    let Some(barriers) = embedded.barriers else { return false };
    let moves = !embedded.statement.volatile && embedded.operands.iter().any(|operand| operand.output);
    let mut orders = effects(embedded).filter(|(_, effect)| *effect == Effect::Order).map(|(inner, _)| inner);
    !moves && orders.all(|inner| sides(inner).iter().all(|side| is_closed(embedded, barriers, *side, inner)))
}

/// The sides on which an instruction orders.
fn sides(inner: &FragmentInstruction) -> &'static [Side] {
    let Some(resolved) = &inner.resolved else { return &[Side::Before, Side::After] };
    match (resolved.family.name, resolved.sem.map(|sem| sem.value)) {
        ("fence" | "fence.proxy", _) => &[Side::Before, Side::After],
        (_, Some(Sem::Acquire)) | ("griddepcontrol", _) => &[Side::After],
        (_, Some(Sem::Release)) | ("bar.arrive" | "bar.cta.arrive" | "barrier.arrive" | "barrier.cta.arrive", _) => {
            &[Side::Before]
        }
        _ => &[Side::Before, Side::After],
    }
}

/// Whether nothing can be moved across a statement on one side.
fn is_closed(embedded: &AsmFragment, barriers: &CompilerBarriers, side: Side, inner: &FragmentInstruction) -> bool {
    let statement = embedded.statement;
    match side {
        Side::Before => barriers.before(statement).is_some(),
        Side::After => barriers.after(statement).is_some() || publishes(embedded, barriers, inner),
    }
}

/// Whether a fence is there for the write of the statement behind it alone: no other is read between the barrier before it and the fence.
fn publishes(embedded: &AsmFragment, barriers: &CompilerBarriers, inner: &FragmentInstruction) -> bool {
    let is_fence = inner.resolved.as_ref().is_some_and(|resolved| matches!(resolved.family.name, "fence" | "membar"));
    let before = barriers.before(embedded.statement);
    let Some(next) = barriers.next(embedded.statement) else { return false };
    let next = AsmFragment::new(embedded.host, next, &[]);
    let writes = effects(&next).any(|(_, effect)| effect == Effect::Write);
    is_fence && writes && before.is_some_and(|barrier| barrier.between.is_empty())
}
