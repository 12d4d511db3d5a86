//! Updates that count: nobody uses what they read, and their order does not matter.

use crate::Operation;
use crate::machine::explorer::choices::sharing::SharedLocations;
use crate::machine::program::machine_program::Atomic;
use crate::machine::threads::executor::Executor;

/// The operation of an update whose result is not used and whose order to its like does not matter.
pub(in crate::machine::explorer) fn counts(
    executor: &Executor<'_, '_>,
    atomic: &Atomic,
    shared: &SharedLocations,
) -> Option<Operation> {
    shared.is_unread(executor.place()).then_some(atomic.in_global)
}
