//! Updates that count: nobody uses what they read, and their order does not matter.

use crate::choices::sharing::SharedLocations;
use machine::threads::executor::Executor;
use program::machine_program::Atomic;
use values::Operation;

/// The operation of an update whose result is not used and whose order to its like does not matter.
pub fn counts(executor: &Executor<'_, '_>, atomic: &Atomic, shared: &SharedLocations) -> Option<Operation> {
    shared.is_unread(executor.place()).then_some(atomic.in_global)
}
