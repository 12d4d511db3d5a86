//! What an atomic does to a value in memory, with notes on what happened.

use crate::memory::{AccessError, Memory};
use crate::notes::{self, EvaluationNote};
use crate::ops::Operation;
use crate::value::Value;

/// What an atomic did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtomicResult {
    /// The value in memory afterwards.
    pub memory: Value,
    /// The value before, which `atom` returns and `red` does not.
    pub destination: Value,
    /// What happened on the way, element 0 first.
    pub notes: Vec<EvaluationNote>,
}

/// Applies an operation and says what happened. `c` is the new value of cas and ignored by all others.
///
/// The operands' bits count, whatever shape they come with.
pub fn evaluate(operation: Operation, memory: Value, b: Value, c: Option<Value>) -> AtomicResult {
    let shape = operation.shape();
    let (old, b) = (Value::new(shape, memory.bits()), Value::new(shape, b.bits()));
    let c = Value::new(shape, c.map_or(0, Value::bits));
    let new = Value::new(shape, operation.apply(old.bits(), b.bits(), c.bits()));
    AtomicResult { memory: new, destination: old, notes: notes::of(operation, old, b, new) }
}

/// Applies an operation to the value at an address of memory, and says what happened. Operands as in [`evaluate`].
///
/// # Errors
/// [`AccessError`] where the address is misaligned or a byte lies outside; memory is unchanged then.
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
