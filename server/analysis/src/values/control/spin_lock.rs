//! Loops that acquire a lock: a compare-and-swap or an exchange until the lock is free.

use crate::values::{AtomicLoop, DecodedInstruction, FunctionValues, OperandValue, Provenance};
use isa::Role;
use isa::types::Op;

/// A loop that acquires a lock.
pub struct SpinLock {
    /// The atomic.
    pub at: usize,
    /// The loop, with its atomic.
    pub atomic_loop: AtomicLoop,
    /// The value of a free lock.
    pub free: i64,
}

/// The loops that acquire a lock.
pub fn spin_locks(flow: &FunctionValues<'_>) -> impl Iterator<Item = SpinLock> {
    flow.atomics().filter_map(|(at, instruction, legal)| {
        let free = match legal.op {
            Some(Op::Cas) => flow.constant(instruction.operand(Role::Compare)?.1, at)?,
            Some(Op::Exch) => 0,
            _ => return None,
        };
        let held = flow.constant(instruction.operand(Role::Value)?.1, at)?;
        if free == held || legal.family.name != "atom" || legal.lanes > 1 {
            return None;
        }
        let atomic_loop = AtomicLoop::around(flow, at)?;
        waits(flow, instruction, &atomic_loop, free).then_some(SpinLock { at, atomic_loop, free })
    })
}

/// Whether an instruction writes the value of a free lock to the address of a lock.
pub fn is_unlock(flow: &FunctionValues<'_>, at: usize, lock: &Provenance, free: i64) -> bool {
    if !matches!(flow.mnemonic(at), "st" | "atom" | "red") {
        return false;
    }
    let instruction = flow.instruction(at);
    let value = match instruction.is("st") {
        true => instruction.values.get(1),
        false if instruction.has("exch") => instruction.values.get(2),
        false => None,
    };
    let is_same = flow.address_provenance(instruction).is_some_and(|found| found.same(lock));
    is_same && value.and_then(|value: &OperandValue| flow.constant(value, at)) == Some(free)
}

/// Whether the loop only waits until the lock is free.
fn waits(flow: &FunctionValues, instruction: &DecodedInstruction, atomic_loop: &AtomicLoop, free: i64) -> bool {
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
