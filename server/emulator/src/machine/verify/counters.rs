//! Updates that count: nobody uses what they read, and their order does not matter.

use super::super::execute::Executor;
use super::super::program::Atomic;
use super::sharing::SharedLocations;
use crate::{Element, Operation};
use isa::types::Op;

impl Executor<'_, '_> {
    /// The operation of an update whose result is not used and whose order to its like does not matter.
    pub(super) fn counts(&self, atomic: &Atomic, shared: &SharedLocations) -> Option<Operation> {
        let is_integer =
            matches!(atomic.shape().element(), Element::Bits(_) | Element::Unsigned(_) | Element::Signed(_));
        let commutes = matches!(atomic.in_global.op(), Op::Add | Op::Min | Op::Max | Op::And | Op::Or | Op::Xor);
        let live =
            shared.live.get(self.place().function as usize).and_then(|function| function.get(self.next as usize + 1));
        let is_used = |slot: u32| live.is_none_or(|live| live.contains(slot as usize));
        let is_unused = !atomic.destination.iter().flatten().any(|destination| is_used(destination.slot));
        (is_integer && commutes && is_unused).then_some(atomic.in_global)
    }
}
