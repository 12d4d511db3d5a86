//! `unordered-lock`: spin locks without acquire and release ordering.

use crate::flow::{AtomicLoop, Flow, FlowInstruction, OperandValue};
use diagnostics::Diagnostic;
use diagnostics::registry::UNORDERED_LOCK;
use isa::Role;
use isa::types::{Op, Sem};

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 100_000;

/// Checks every loop that waits for a lock.
pub(super) fn check(flow: &Flow, diagnostics: &mut Vec<Diagnostic>) {
    let mut budget = STEP_BUDGET;
    for (at, instruction, legal) in flow.atomics() {
        let free = match legal.op {
            Some(Op::Cas) => {
                let Some((_, compare)) = instruction.operand(Role::Compare) else { continue };
                flow.constant(compare, at)
            }
            Some(Op::Exch) => Some(0),
            _ => None,
        };
        let held = instruction.operand(Role::Value).and_then(|(_, value)| flow.constant(value, at));
        let (Some(free), Some(held)) = (free, held) else { continue };
        if free == held || legal.family.name != "atom" || legal.lanes > 1 {
            continue;
        }
        let Some(atomic_loop) =
            AtomicLoop::around(flow, at).filter(|atomic_loop| waits(flow, instruction, atomic_loop, free))
        else {
            continue;
        };
        lock(flow, at, instruction, legal, &atomic_loop, diagnostics);
        unlock(flow, instruction, &atomic_loop, free, &mut budget, diagnostics);
    }
}

/// Whether the loop only waits until the lock is free.
fn waits(flow: &Flow, instruction: &FlowInstruction, atomic_loop: &AtomicLoop, free: i64) -> bool {
    let Some((_, OperandValue::Register(old))) = instruction.operand(Role::Destination) else { return false };
    let has_no_effects =
        (atomic_loop.top..=atomic_loop.branch).all(|at| !matches!(flow.mnemonic(at), "st" | "red" | "call"));
    let atomics = (atomic_loop.top..=atomic_loop.branch).filter(|at| matches!(flow.mnemonic(*at), "atom")).count();
    let compared = atomic_loop.test.is_some_and(|test| {
        let values = &flow.instruction(test).values;
        let constant = values.iter().skip(1).any(|value| flow.constant(value, test) == Some(free));
        values.iter().skip(1).any(|value| flow.is_from(value, test, *old, instruction.at)) && constant
    });
    has_no_effects && atomics == 1 && compared
}

fn lock(
    flow: &Flow,
    at: usize,
    instruction: &FlowInstruction,
    legal: &isa::ResolvedInstruction,
    atomic_loop: &AtomicLoop,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let ordered = legal.sem.is_some_and(|sem| matches!(sem.value, Sem::Acquire | Sem::AcqRel));
    let inside = atomic_loop.top..=atomic_loop.branch;
    let barrier = |next: usize| is_fence(flow, next) || inside.contains(&next);
    let access = |next: usize| is_access(flow, next);
    // The lock is held after the loop, or after a branch out of it.
    let used = flow.find_reachable(atomic_loop.branch, &mut 2_000, access, barrier);
    if ordered || used.is_none() || flow.mnemonic(at) != "atom" {
        return;
    }
    let word =
        legal.at("sem").map_or(instruction.opcode.mnemonic.range.clone(), |sem| instruction.opcode.at(Some(sem)));
    diagnostics.push(
        Diagnostic::new(
            &UNORDERED_LOCK,
            word,
            "lock acquired without acquire ordering: guarded data may be read before the lock is held",
        )
        .help("write `.acquire`, or add `fence.acq_rel.gpu` (before sm_70: `membar.gl`) after the loop"),
    );
}

/// Checks the first store that releases the lock.
fn unlock(
    flow: &Flow,
    acquisition: &FlowInstruction,
    atomic_loop: &AtomicLoop,
    free: i64,
    budget: &mut usize,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(provenance) = flow.address_provenance(acquisition) else { return };
    for at in atomic_loop.branch + 1..flow.len() {
        *budget = budget.saturating_sub(1);
        // A broken statement may release the lock.
        if *budget == 0 || flow.is_broken(at) {
            return;
        }
        if !matches!(flow.mnemonic(at), "st" | "atom" | "red") {
            continue;
        }
        let instruction = flow.instruction(at);
        let same = flow.address_provenance(instruction).is_some_and(|found| found.same(&provenance));
        let value = match instruction.is("st") {
            true => instruction.values.get(1),
            false if instruction.has("exch") => instruction.values.get(2),
            false => None,
        };
        let is_release = value.and_then(|value: &OperandValue| flow.constant(value, at)) == Some(free);
        let ordered = instruction.has("release") || instruction.has("acq_rel");
        if !same || !is_release {
            continue;
        }
        if ordered || !unfenced(flow, at) {
            return;
        }
        return diagnostics.push(
            Diagnostic::new(
                &UNORDERED_LOCK,
                instruction.opcode.range.clone(),
                "lock released without release ordering: guarded data may be written after the release",
            )
            .help("write `.release` with a scope, or add `fence.acq_rel.gpu` (before sm_70: `membar.gl`) before it"),
        );
    }
}

/// Whether there is no fence between an instruction and the last access before it in straight-line code.
fn unfenced(flow: &Flow, at: usize) -> bool {
    let mut at = at;
    while let Some(before) = flow.fallthrough_predecessor(at) {
        if is_fence(flow, before) {
            return false;
        }
        if is_access(flow, before) {
            return true;
        }
        at = before;
    }
    false
}

fn is_fence(flow: &Flow, at: usize) -> bool {
    matches!(flow.mnemonic(at), "fence" | "membar" | "bar" | "barrier" | "call")
}

fn is_access(flow: &Flow, at: usize) -> bool {
    let mnemonic = matches!(flow.mnemonic(at), "ld" | "st" | "red" | "atom");
    mnemonic && !flow.has(at, "param") && !flow.has(at, "local") && !flow.has(at, "const")
}
