//! Ends of copies that are not explored in all orders: one that its mbarrier waits for is taken as soon as it is possible, as an arrival is
//! (`mbarriers.rs`).
//!
//! That no other one comes in its place, and that the phase does not end before an arrival has expected it, is supposed until it is found wrong: then all
//! orders of the steps at that mbarrier are explored.

use crate::choices::sharing::SharedLocations;
use machine::copies::copy_progress;
use machine::copies::pending_copy::{MemoryRange, Notified, PendingCopy};
use machine::state::Machine;
use program::waiting::mbarrier_instruction::MBARRIER_BYTES;

/// Ends the copies that others cannot notice. Returns whether there were some.
pub fn end_unnoticed_copies(machine: &mut Machine<'_>, shared: &SharedLocations) -> bool {
    let mut has_ended = false;
    while let Some(at) = (0..machine.copies.len()).find(|at| is_end_unnoticed(machine, &machine.copies[*at], shared)) {
        copy_progress::end_copy(machine, at);
        has_ended = true;
    }
    has_ended
}

fn is_end_unnoticed(machine: &Machine<'_>, copy: &PendingCopy, shared: &SharedLocations) -> bool {
    let Notified::Mbarrier(slot, offset) = copy.notified else { return false };
    if copy.reduction.is_some() || shared.surprised || !shared.takes_arrivals_early((slot, offset)) {
        return false;
    }
    let cta = &machine.ctas[slot];
    let barrier = cta
        .mbarriers
        .get(&offset)
        .filter(|barrier| cta.shared.load(offset as usize, MBARRIER_BYTES as u32) == barrier.contents());
    // A CTA must not end before what others read of it is read.
    let has_shared_source = || copy.data.sources().iter().any(|(from, _)| matches!(from, MemoryRange::Shared(..)));
    let is_awaited = barrier.is_some_and(|barrier| barrier.awaits_bytes(copy.length as u64));
    copy.length > 0 && is_awaited && !has_shared_source()
}
