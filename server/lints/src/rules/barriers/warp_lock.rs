//! `warp-lock`: locks that several lanes of a warp wait for while the lane that holds the lock waits for them.

use analysis::effects::{FunctionEffects, LaneChoice, LaneCondition, MemoryEffect, Trigger};
use analysis::values::control::spin_lock;
use analysis::values::{
    AtomicLoop, DecodedInstruction, DefinitionSite, FunctionValues, OperandValue, Provenance, Root, SpinLock,
};
use diagnostics::Diagnostic;
use diagnostics::registry::WARP_LOCK;
use isa::Role;
use isa::types::Op;

/// The maximum number of instructions between an atomic and the comparison of its result.
const MAX_DISTANCE: usize = 8;

/// The maximum number of tickets, and of loops that wait for a turn, that are looked at in a function.
const MAX_LOCKS: usize = 64;

/// Checks every lock that a loop acquires, for targets before sm_70, and every lock that is held across an operation of the warp.
pub(crate) fn check(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    let flow = effects.flow;
    if !effects.triggers.has(Trigger::STRONG) {
        return;
    }
    let is_lockstep = flow.module.target.is_some_and(|target| target.number() < 70);
    let locks = flow.atomics().filter_map(|(at, instruction, legal)| lock(flow, at, instruction, legal));
    let locks: Vec<WarpLock> = locks.chain(ticket_locks(effects)).collect();
    if locks.is_empty() {
        return;
    }
    let Some(mut lanes) = LaneChoice::new(flow) else { return };
    if is_lockstep {
        spin_lock::spin_locks(flow).filter(|lock| is_lockstep_deadlock(flow, lock, &mut lanes)).for_each(|lock| {
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
        if let Some(operation) = held_operation(effects, &lock) {
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

/// What lanes of a warp wait for until the lane that has it releases it.
struct WarpLock {
    /// The atomic that acquires it, or the load that waits for a turn.
    at: usize,
    address: Provenance,
    /// The value of a free lock; `None` for a turn, which any later write of its memory hands on.
    free: Option<i64>,
}

/// The lock that an atomic acquires.
fn lock(
    flow: &FunctionValues,
    at: usize,
    instruction: &DecodedInstruction,
    legal: &isa::ResolvedInstruction,
) -> Option<WarpLock> {
    let free = match legal.op {
        Some(Op::Cas) => flow.constant(instruction.operand(Role::Compare)?.1, at)?,
        Some(Op::Exch) => 0,
        _ => return None,
    };
    let is_held = match (flow.constant(instruction.operand(Role::Value)?.1, at), legal.op) {
        (Some(held), _) => held != free,
        // The number of the owner. A search of a free place in a table changes its address.
        (None, Some(Op::Cas)) => is_repeated(flow, at, instruction),
        (None, _) => false,
    };
    let is_lock = is_held && legal.family.name == "atom" && legal.lanes == 1;
    let (_, OperandValue::Register(old)) = instruction.operand(Role::Destination)? else { return None };
    let address = flow.address_provenance(instruction).filter(|_| is_lock && is_tested(flow, *old, at))?;
    Some(WarpLock { at, address, free: Some(free) })
}

/// Whether a loop repeats an atomic at one address.
fn is_repeated(flow: &FunctionValues, at: usize, instruction: &DecodedInstruction) -> bool {
    let Some(around) = AtomicLoop::around(flow, at) else { return false };
    let Some((_, address)) = instruction.operand(Role::Address) else { return false };
    let mut is_fixed = true;
    address.registers(&mut |register| {
        is_fixed &= match flow.reaching(register, at).site {
            DefinitionSite::Entry => true,
            DefinitionSite::Instruction(writer) => !(around.top..=around.branch).contains(&writer),
            _ => false,
        };
    });
    is_fixed
}

/// The turns that loops wait for: what they poll is compared with a ticket, which is different in every lane.
fn ticket_locks(effects: &FunctionEffects) -> impl Iterator<Item = WarpLock> {
    let flow = effects.flow;
    let tickets: Vec<(usize, usize)> = flow
        .atomics()
        .filter(|(_, _, legal)| legal.family.name == "atom" && matches!(legal.op, Some(Op::Add | Op::Inc)))
        .filter_map(|(at, instruction, _)| match instruction.operand(Role::Destination)? {
            (_, OperandValue::Register(ticket)) => Some((at, *ticket)),
            _ => None,
        })
        .take(MAX_LOCKS)
        .collect();
    let polls = if tickets.is_empty() { &[] } else { effects.polls() };
    polls.iter().take(MAX_LOCKS).filter_map(move |poll| {
        let OperandValue::Register(turn) = flow.instruction(poll.at).values.first()? else { return None };
        let is_turn = |test: usize| {
            let values = &flow.instruction(test).values;
            let is_from =
                |register: usize, at: usize| values.iter().skip(1).any(|value| flow.is_from(value, test, register, at));
            flow.mnemonic(test) == "setp"
                && is_from(*turn, poll.at)
                && tickets.iter().any(|(at, ticket)| *at < poll.at && is_from(*ticket, *at))
        };
        (poll.at + 1..flow.len().min(poll.at + 1 + MAX_DISTANCE)).any(is_turn).then_some(WarpLock {
            at: poll.at,
            address: poll.address,
            free: None,
        })
    })
}

/// Whether an instruction releases a lock.
fn is_released(effects: &FunctionEffects, at: usize, lock: &WarpLock) -> bool {
    let flow = effects.flow;
    match lock.free {
        Some(free) => spin_lock::is_unlock(flow, at, &lock.address, free),
        None => {
            let is_write = matches!(flow.mnemonic(at), "st" | "atom" | "red");
            is_write && flow.address_provenance(flow.instruction(at)).is_some_and(|address| address.same(&lock.address))
        }
    }
}

/// Whether the result of an atomic is compared soon after it.
fn is_tested(flow: &FunctionValues, old: usize, at: usize) -> bool {
    (at + 1..flow.len().min(at + 1 + MAX_DISTANCE)).any(|test| {
        let values = &flow.instruction(test).values;
        flow.mnemonic(test) == "setp" && values.iter().skip(1).any(|value| flow.is_from(value, test, old, at))
    })
}

/// Whether all lanes of a warp wait in lockstep for a lock that is released after the loop.
fn is_lockstep_deadlock(flow: &FunctionValues, lock: &SpinLock, lanes: &mut LaneChoice) -> bool {
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
    let is_released = |at: usize| spin_lock::is_unlock(flow, at, &address, lock.free);
    is_common && is_of_all && (lock.atomic_loop.branch + 1..flow.len()).any(is_released)
}

/// An operation for which lanes of the warp wait between the acquisition and the release of a lock, on all paths between them.
fn held_operation(effects: &FunctionEffects, lock: &WarpLock) -> Option<usize> {
    let flow = effects.flow;
    let blocks = flow.blocks()?;
    let dominates = |above: usize, at: usize| above < at && blocks.dominates(blocks.of(above), blocks.of(at));
    let unlocks: Vec<usize> = (lock.at + 1..flow.len()).filter(|at| is_released(effects, *at, lock)).collect();
    let first = *unlocks.first()?;
    let meets = effects.effects_in(lock.at..first).iter().filter(|(at, effect)| match effect {
        MemoryEffect::CtaBarrier => true,
        MemoryEffect::WarpBarrier | MemoryEffect::WarpOperation => has_several_lanes(flow, *at),
        _ => false,
    });
    { meets }
        .map(|(at, _)| *at)
        .find(|at| dominates(lock.at, *at) && unlocks.iter().all(|unlock| dominates(*at, *unlock)))
}

/// Whether the mask of an operation of the warp certainly names several lanes.
fn has_several_lanes(flow: &FunctionValues, at: usize) -> bool {
    let mask = flow.instruction(at).values.last().filter(|_| flow.mnemonic(at) != "activemask");
    let mask = mask.and_then(|mask: &OperandValue| flow.constant(mask, at));
    mask.is_some_and(|mask| (mask as u32).count_ones() > 1)
}
