//! Whether a statement needs the clobber "memory" for its ordering. It does not if compiler barriers separate it from all other accesses.

use crate::rules::asm::{Effect, effects};
use hosts::cpp::CompilerBarriers;
use hosts::inline_asm::{AsmFragment, FragmentInstruction};
use isa::types::Sem;

/// The side of a statement on which accesses are ordered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// Whether compilers move loads and stores across a statement without the clobber, and the statement itself: it has outputs and is not `volatile`.
pub(super) fn may_move(fragment: &AsmFragment) -> bool {
    !fragment.statement.volatile && fragment.operands.iter().any(|operand| operand.output)
}

/// Whether the compiler may preserve the ordering of a statement without the clobber, because of compiler barriers around it.
pub(super) fn is_kept(fragment: &AsmFragment) -> bool {
    let Some(barriers) = fragment.barriers else { return true };
    let mut orders =
        effects(fragment).filter(|(_, effect)| *effect == Effect::Order).map(|(instruction, _)| instruction);
    !may_move(fragment)
        && orders
            .all(|instruction| sides(instruction).iter().all(|side| is_closed(fragment, barriers, *side, instruction)))
}

/// The sides on which an instruction orders accesses.
fn sides(instruction: &FragmentInstruction) -> &'static [Side] {
    let Some(resolved) = &instruction.resolved else { return &[Side::Before, Side::After] };
    match (resolved.family.name, resolved.sem.map(|sem| sem.value)) {
        ("fence" | "fence.proxy", _) => &[Side::Before, Side::After],
        (_, Some(Sem::Acquire)) | ("griddepcontrol", _) => &[Side::After],
        (_, Some(Sem::Release)) | ("bar.arrive" | "bar.cta.arrive" | "barrier.arrive" | "barrier.cta.arrive", _) => {
            &[Side::Before]
        }
        _ => &[Side::Before, Side::After],
    }
}

/// Whether the compiler cannot move accesses across a statement on one side.
fn is_closed(
    fragment: &AsmFragment,
    barriers: &CompilerBarriers,
    side: Side,
    instruction: &FragmentInstruction,
) -> bool {
    let statement = fragment.statement;
    match side {
        Side::Before => barriers.before(statement).is_some(),
        Side::After => barriers.after(statement).is_some() || publishes(fragment, barriers, instruction),
    }
}

/// Whether a fence only orders the write of the next statement: there are no accesses between the previous barrier and the fence.
fn publishes(fragment: &AsmFragment, barriers: &CompilerBarriers, instruction: &FragmentInstruction) -> bool {
    let is_fence =
        instruction.resolved.as_ref().is_some_and(|resolved| matches!(resolved.family.name, "fence" | "membar"));
    let before = barriers.before(fragment.statement);
    let Some(next) = barriers.next(fragment.statement) else { return false };
    let next = AsmFragment::new(fragment.host, next, &[]);
    let writes = effects(&next).any(|(_, effect)| effect == Effect::Write);
    is_fence && writes && before.is_some_and(|barrier| barrier.between.is_empty())
}
