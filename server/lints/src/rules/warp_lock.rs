//! `warp-lock`: locks that several lanes of a warp wait for while the lane that holds the lock waits for them.

use crate::dataflow::{DataFlow, LaneChoice, LaneCondition, MemoryEffect, Trigger};
use crate::flow::{Flow, FlowInstruction, OperandValue, Provenance, Root, SpinLock};
use diagnostics::Diagnostic;
use diagnostics::registry::WARP_LOCK;
use isa::Role;
use isa::types::Op;

/// The maximum number of instructions between an atomic and the comparison of its result.
const MAX_DISTANCE: usize = 8;

/// Checks every lock that a loop acquires, for targets before sm_70, and every lock that is held across an operation of the warp.
pub(super) fn check(dataflow: &DataFlow, diagnostics: &mut Vec<Diagnostic>) {
    let flow = dataflow.flow;
    if !dataflow.triggers.has(Trigger::STRONG) {
        return;
    }
    let is_lockstep = flow.module.target.is_some_and(|target| target.number() < 70);
    let locks: Vec<WarpLock> =
        flow.atomics().filter_map(|(at, instruction, legal)| lock(flow, at, instruction, legal)).collect();
    if locks.is_empty() {
        return;
    }
    let Some(mut lanes) = LaneChoice::new(flow) else { return };
    if is_lockstep {
        flow.spin_locks().filter(|lock| is_lockstep_deadlock(flow, lock, &mut lanes)).for_each(|lock| {
            let message = "lanes of a warp wait for a lock that another lane holds: deadlock before sm_70";
            diagnostics.push(
                Diagnostic::new(&WARP_LOCK, flow.instruction(lock.at).opcode.range(), message)
                    .help("acquire the lock in one lane of the warp, or release it inside of the loop"),
            );
        });
    }
    for lock in locks {
        if lanes.condition(lock.at) == LaneCondition::Divergent {
            continue;
        }
        if let Some(operation) = held_operation(dataflow, &lock) {
            let opcode = flow.instruction(operation).opcode.range();
            let message = "lanes of a warp meet while one of them holds a lock that the others wait for: deadlock";
            diagnostics.push(
                Diagnostic::new(&WARP_LOCK, opcode, message)
                    .help("acquire the lock in one lane of the warp, or release it before the operation")
                    .related(flow.instruction(lock.at).opcode.range(), "lock acquired here"),
            );
        }
    }
}

/// A compare-and-swap or an exchange that acquires a lock.
struct WarpLock {
    at: usize,
    address: Provenance,
    free: i64,
}

/// The lock that an atomic acquires.
fn lock(flow: &Flow, at: usize, instruction: &FlowInstruction, legal: &isa::ResolvedInstruction) -> Option<WarpLock> {
    let free = match legal.op {
        Some(Op::Cas) => flow.constant(instruction.operand(Role::Compare)?.1, at)?,
        Some(Op::Exch) => 0,
        _ => return None,
    };
    let held = flow.constant(instruction.operand(Role::Value)?.1, at)?;
    let is_lock = held != free && legal.family.name == "atom" && legal.lanes == 1;
    let (_, OperandValue::Register(old)) = instruction.operand(Role::Destination)? else { return None };
    let address = flow.address_provenance(instruction).filter(|_| is_lock && is_tested(flow, *old, at))?;
    Some(WarpLock { at, address, free })
}

/// Whether the result of an atomic is compared soon after it.
fn is_tested(flow: &Flow, old: usize, at: usize) -> bool {
    (at + 1..flow.len().min(at + 1 + MAX_DISTANCE)).any(|test| {
        let values = &flow.instruction(test).values;
        flow.mnemonic(test) == "setp" && values.iter().skip(1).any(|value| flow.is_from(value, test, old, at))
    })
}

/// Whether all lanes of a warp wait in lockstep for a lock that is released behind the loop.
fn is_lockstep_deadlock(flow: &Flow, lock: &SpinLock, lanes: &mut LaneChoice) -> bool {
    let Some(address) = flow.address_provenance(flow.instruction(lock.at)) else { return false };
    let is_common = address.offset().is_some() && matches!(address.root, Root::Variable(_) | Root::Parameter(..));
    // The loop itself diverges: what matters is who enters it.
    let is_of_all = match lock.atomic_loop.top.checked_sub(1) {
        None => true,
        Some(before) => {
            let condition = lanes.condition(before);
            !flow.is_terminator(before) && matches!(condition, LaneCondition::Uniform | LaneCondition::Bounded)
        }
    };
    let is_released = |at: usize| flow.is_unlock(at, &address, lock.free);
    is_common && is_of_all && (lock.atomic_loop.branch + 1..flow.len()).any(is_released)
}

/// An operation for which lanes of the warp wait between the acquisition and the release of a lock, on all paths between them.
fn held_operation(dataflow: &DataFlow, lock: &WarpLock) -> Option<usize> {
    let flow = dataflow.flow;
    let blocks = flow.blocks()?;
    let dominates = |above: usize, at: usize| above < at && blocks.dominates(blocks.of(above), blocks.of(at));
    let unlocks: Vec<usize> =
        (lock.at + 1..flow.len()).filter(|at| flow.is_unlock(*at, &lock.address, lock.free)).collect();
    let first = *unlocks.first()?;
    let meets = dataflow.effects_in(lock.at..first).iter().filter(|(at, effect)| match effect {
        MemoryEffect::CtaBarrier => true,
        MemoryEffect::WarpBarrier | MemoryEffect::WarpOperation => has_several_lanes(flow, *at),
        _ => false,
    });
    { meets }
        .map(|(at, _)| *at)
        .find(|at| dominates(lock.at, *at) && unlocks.iter().all(|unlock| dominates(*at, *unlock)))
}

/// Whether the mask of an operation of the warp certainly names several lanes.
fn has_several_lanes(flow: &Flow, at: usize) -> bool {
    let mask = flow.instruction(at).values.last().filter(|_| flow.mnemonic(at) != "activemask");
    let mask = mask.and_then(|mask: &OperandValue| flow.constant(mask, at));
    mask.is_some_and(|mask| (mask as u32).count_ones() > 1)
}
