//! Spin locks that order nothing: what they guard may be seen before the lock is held, or after it is given back.

use crate::flow::{Flow, FlowStep, Loop, OperandValue};
use diagnostics::Diagnostic;
use diagnostics::registry::UNORDERED_LOCK;
use isa::Role;
use isa::types::{Op, Sem};

/// How many steps behind locks are looked at in one function.
const PATIENCE: usize = 100_000;

/// Looks at every loop that waits until a word is free.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    let mut patience = PATIENCE;
    for (at, step, legal) in flow.atomics() {
        let free = match legal.op {
            Some(Op::Cas) => {
                let Some((_, compare)) = step.operand(Role::Compare) else { continue };
                flow.constant(compare, at)
            }
            Some(Op::Exch) => Some(0),
            _ => None,
        };
        let taken = step.operand(Role::Value).and_then(|(_, value)| flow.constant(value, at));
        let (Some(free), Some(taken)) = (free, taken) else { continue };
        if free == taken || legal.family.name != "atom" || legal.lanes > 1 {
            continue;
        }
        let Some(spin) = Loop::around(flow, at).filter(|spin| waits(flow, step, spin, free)) else { continue };
        lock(flow, at, step, legal, &spin, findings);
        unlock(flow, step, &spin, free, &mut patience, findings);
    }
}

/// Whether the loop goes on as long as the word is not free, and does nothing else.
fn waits(flow: &Flow, step: &FlowStep, spin: &Loop, free: i64) -> bool {
    let Some((_, OperandValue::Register(old))) = step.operand(Role::Destination) else { return false };
    let quiet = (spin.top..=spin.branch).all(|at| !matches!(flow.mnemonic(at), "st" | "red" | "call"));
    let atomics = (spin.top..=spin.branch).filter(|at| matches!(flow.mnemonic(*at), "atom")).count();
    let compared = spin.test.is_some_and(|test| {
        let values = &flow.step(test).values;
        let constant = values.iter().skip(1).any(|value| flow.constant(value, test) == Some(free));
        values.iter().skip(1).any(|value| flow.is_from(value, test, *old, step.at)) && constant
    });
    quiet && atomics == 1 && compared
}

fn lock(
    flow: &Flow,
    at: usize,
    step: &FlowStep,
    legal: &isa::ResolvedInstruction,
    spin: &Loop,
    findings: &mut Vec<Diagnostic>,
) {
    let ordered = legal.sem.is_some_and(|sem| matches!(sem.value, Sem::Acquire | Sem::AcqRel));
    let inside = spin.top..=spin.branch;
    let wall = |next: usize| is_fence(flow, next) || inside.contains(&next);
    let access = |next: usize| is_access(flow, next);
    // The lock is held behind the loop, or where the loop is left by a branch.
    let used = flow.reach(spin.branch, &mut 2_000, access, wall);
    if ordered || used.is_none() || flow.mnemonic(at) != "atom" {
        return;
    }
    let word = legal.at("sem").map_or(step.opcode.mnemonic.range.clone(), |sem| step.opcode.at(Some(sem)));
    findings.push(
        Diagnostic::new(
            &UNORDERED_LOCK,
            word,
            "this takes a lock and orders nothing: what the lock guards may be read before it is held",
        )
        .help("write `.acquire`, or put `fence.acq_rel.gpu` (before sm_70 `membar.gl`) behind the loop"),
    );
}

/// Looks at the first store that gives the lock back.
fn unlock(flow: &Flow, taken: &FlowStep, spin: &Loop, free: i64, patience: &mut usize, findings: &mut Vec<Diagnostic>) {
    let Some(place) = flow.address(taken) else { return };
    for at in spin.branch + 1..flow.len() {
        *patience = patience.saturating_sub(1);
        // What is broken may be what gives it back.
        if *patience == 0 || flow.is_broken(at) {
            return;
        }
        if !matches!(flow.mnemonic(at), "st" | "atom" | "red") {
            continue;
        }
        let step = flow.step(at);
        let same = flow.address(step).is_some_and(|found| found.same(&place));
        let value = match step.is("st") {
            true => step.values.get(1),
            false if step.has("exch") => step.values.get(2),
            false => None,
        };
        let gives = value.and_then(|value: &OperandValue| flow.constant(value, at)) == Some(free);
        let ordered = step.has("release") || step.has("acq_rel");
        if !same || !gives {
            continue;
        }
        if ordered || !unfenced(flow, at) {
            return;
        }
        return findings.push(
            Diagnostic::new(
                &UNORDERED_LOCK,
                step.opcode.range.clone(),
                "this gives a lock back and orders nothing: what the lock guards may be written after it",
            )
            .help("write `.release` with a scope, or put `fence.acq_rel.gpu` (before sm_70 `membar.gl`) before it"),
        );
    }
}

/// Whether the last access to memory on the straight line before a step has no fence behind it.
fn unfenced(flow: &Flow, at: usize) -> bool {
    let mut at = at;
    while let Some(before) = flow.straight_back(at) {
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
