//! The ends of CTAs whose shared memory others access: copies, and other CTAs of the cluster.
//!
//! Shared memory is gone when the last thread of its CTA has ended, so what others do with it has to happen before that.

use crate::copies::pending_copy::{MemoryRange, Notified, PendingCopy};
use crate::state::Machine;
use crate::tensor::tensor_access;
use crate::threads::executor::Executor;
use crate::waiting::mbarrier_access;
use ordering::accesses;
use ordering::{CheckedAccess, RaceRelation, RacingAccess, WORD, WriteEffect};
use program::copies::async_copy::GroupKind;
use program::lanes::WARP_SIZE;
use program::launch::kernel_launch::ThreadId;
use program::memory::location::RacedMemory;
use program::problem::{MachineAccessKind, ProblemKind, SourceWait};
use program::proxy::{AccessProxy, RaceCause};

/// Lanes are about to end: if they are the last of their CTA, others must have done what they do with its shared memory.
pub fn end_in_cta(executor: &mut Executor<'_, '_>, lanes: u32) {
    tensor_access::check_freed(executor, lanes);
    let slot = executor.warp.cta;
    if executor.machine.ctas[slot].live == lanes.count_ones() {
        check_sources(executor, slot, lanes);
    }
    if executor.machine.launch.cluster.count() == 1 {
        return;
    }
    let warp = executor.agent(0).warp;
    executor.machine.races.arrive(warp, lanes, &mut executor.machine.ctas[slot].exit_clock, None);
    if executor.machine.ctas[slot].live == lanes.count_ones() {
        check_end_of_cta(executor, slot, lanes);
    }
}

/// Bulk copies must have read their sources.
fn check_sources(executor: &mut Executor<'_, '_>, slot: usize, lanes: u32) {
    let ended = executor.thread(lanes.trailing_zeros() as usize);
    let end = vec![(ended, executor.place())];
    let in_cta = |copy: &PendingCopy| {
        let missing = match copy.notified {
            Notified::Group(GroupKind::Bulk, _) => SourceWait::BulkGroup,
            Notified::Mbarrier(..) => SourceWait::Mbarrier,
            Notified::Group(..) | Notified::ArrivalAfter(..) => return None,
        };
        let offset = |source: &(MemoryRange, usize)| match source.0 {
            MemoryRange::Shared(of, offset) if of == slot => Some(u64::from(offset)),
            _ => None,
        };
        copy.data.sources().iter().find_map(offset).map(|offset| (copy.thread, copy.place, offset, missing))
    };
    let unread: Vec<_> = executor.machine.copies.iter().filter_map(in_cta).collect();
    for (thread, place, offset, missing) in unread {
        let kind = ProblemKind::UnreadSource { offset, cta: ended.cta, missing };
        executor.machine.problems.report(kind, thread, place, end.clone());
    }
}

/// The end of a CTA is as a write to all of its shared memory that knows what any of its threads knew at its end.
fn check_end_of_cta(executor: &mut Executor<'_, '_>, slot: usize, lanes: u32) {
    let lane = lanes.trailing_zeros();
    let agent = executor.agent(lane as usize);
    let ended = ThreadId { cta: executor.machine.ctas[slot].number, thread: executor.warp.number * WARP_SIZE + lane };
    let place = executor.place();
    let mut known = executor.machine.ctas[slot].exit_clock.clone();
    known.join(&executor.machine.clusters[executor.machine.ctas[slot].cluster].ended_executed);
    for offset in (0..executor.machine.ctas[slot].shared.len()).step_by(WORD) {
        let access = CheckedAccess {
            region: RacedMemory::Shared(slot),
            offset,
            bytes: WORD,
            element: WORD as u32,
            kind: MachineAccessKind::Write,
            scope: None,
            place,
            effect: WriteEffect::Changes,
            proxy: AccessProxy::Generic,
        };
        let Some(other) = accesses::access_knowing(&mut executor.machine.races, agent, u32::MAX, &known, &access)
        else {
            continue;
        };
        let (other_slot, thread) = executor.machine.races.thread(other.thread);
        if other_slot == slot || !is_pending(&other) {
            continue;
        }
        let kind = ProblemKind::EndedCta { access: other.kind, offset: offset as u64, cta: ended.cta };
        let thread = ThreadId { cta: executor.machine.ctas[other_slot].number, thread };
        executor.machine.problems.report(kind, thread, other.place, vec![(ended, place)]);
    }
    let mbarriers: Vec<u32> = executor.machine.ctas[slot].mbarriers.keys().copied().collect();
    for offset in mbarriers {
        mbarrier_access::note_mbarrier_end(executor.machine, (slot, offset), &known, None);
    }
    // Who accesses it from now on is told so: nothing else is to be found.
    accesses::end_cta(&mut executor.machine.races, slot);
}

/// The CTA whose shared memory a copy of another one writes to must not have ended.
pub fn check_destination(machine: &mut Machine<'_>, copy: &PendingCopy) {
    let MemoryRange::Shared(slot, offset) = copy.destination else { return };
    let is_own = machine.races.thread(copy.begin.agent).0 == slot;
    if !is_own && machine.ctas[slot].live == 0 && copy.length > 0 {
        let kind = ProblemKind::EndedCta {
            access: MachineAccessKind::Write,
            offset: offset.into(),
            cta: machine.ctas[slot].number,
        };
        machine.report(kind, copy.thread, copy.place);
    }
}

/// Whether an access may be under way when nothing orders it: what others can have observed is not.
fn is_pending(access: &RacingAccess) -> bool {
    access.relation == RaceRelation::Race
        && access.cause == RaceCause::NotOrdered
        && match access.kind {
            MachineAccessKind::Read => true,
            MachineAccessKind::Write => access.scope.is_none(),
            MachineAccessKind::Atomic => false,
        }
}
