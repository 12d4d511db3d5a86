//! Updates that count: nobody uses what they read, and their order does not matter.

use super::super::executor::Executor;
use super::super::program::Atomic;
use super::sharing::SharedLocations;
use crate::Operation;

impl Executor<'_, '_> {
    /// The operation of an update whose result is not used and whose order to its like does not matter.
    pub(super) fn counts(&self, atomic: &Atomic, shared: &SharedLocations) -> Option<Operation> {
        shared.is_unread(self.place()).then_some(atomic.in_global)
    }
}
