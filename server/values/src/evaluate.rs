//! Evaluates an atomic on a value in memory, with notes.

use crate::memory::{AccessError, Memory};
use crate::notes;
use crate::notes::EvaluationNote;
use crate::ops::Operation;
use crate::value::Value;

/// The result of an atomic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtomicResult {
    /// The value in memory afterwards.
    pub memory: Value,
    /// The value before, which `atom` returns and `red` does not.
    pub destination: Value,
    /// The notes, element 0 first.
    pub notes: Vec<EvaluationNote>,
}

/// Applies an operation, with notes. `c` is the new value of cas; other operations ignore it.
///
/// Only the bits of the operands count, not their shapes.
pub fn evaluate(operation: Operation, memory: Value, b: Value, c: Option<Value>) -> AtomicResult {
    let shape = operation.shape();
    let (old, b) = (Value::new(shape, memory.bits()), Value::new(shape, b.bits()));
    let c = Value::new(shape, c.map_or(0, Value::bits));
    let new = Value::new(shape, operation.apply(old.bits(), b.bits(), c.bits()));
    AtomicResult { memory: new, destination: old, notes: notes::of(operation, old, b, new) }
}

/// Applies an operation to the value at an address of memory, with notes. Operands as in [`evaluate`].
///
/// # Errors
/// [`AccessError`] if the address is misaligned or out of bounds; memory is unchanged then.
pub fn execute(
    operation: Operation,
    memory: &mut Memory,
    address: u64,
    b: Value,
    c: Option<Value>,
) -> Result<AtomicResult, AccessError> {
    let outcome = evaluate(operation, memory.load(address, operation.shape())?, b, c);
    memory.store(address, outcome.memory)?;
    Ok(outcome)
}
