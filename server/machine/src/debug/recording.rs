//! Passes what threads and copies do to the recorder of an execution that is shown.

use crate::copies::pending_copy::PendingCopy;
use crate::memory::locate::MemoryPlace;
use crate::state::Machine;
use crate::threads::executor::Executor;
use ordering::{Agent, CheckedAccess, EventAccess, EventAction, EventOrigin, EventPerformer};
use program::lanes::lanes_of;
use program::memory::location::RacedMemory;
use program::problem::MachineAccessKind;

/// Records what orders accesses, in some lanes.
pub fn record_order(executor: &mut Executor<'_, '_>, action: EventAction, active: u32) {
    if !executor.machine.races.is_recording() {
        return;
    }
    for lane in lanes_of(active) {
        let (agent, thread, place) = (executor.agent(lane), executor.thread(lane), executor.place());
        executor.machine.races.record_event(agent, thread, place, action.clone());
    }
}

/// Records an access of a lane that memory has already seen, and that has not become messages yet.
pub fn record_execution(
    executor: &mut Executor<'_, '_>,
    access: &CheckedAccess,
    place: MemoryPlace,
    address: u64,
    lane: usize,
) {
    if !executor.machine.races.is_recording() {
        return;
    }
    let (mut read, mut reads_from, mut written) = (Vec::new(), Vec::new(), Vec::new());
    let elements = access.bytes / access.element.max(1) as usize;
    for number in 0..elements {
        let offset = access.offset + number * access.element as usize;
        let key = (access.region, offset);
        let now = executor.machine.region_mut(access.region).load_wide(offset, access.element);
        let messages = executor.machine.races.history().and_then(|history| history.get(&key));
        let seen = messages.and_then(|location| {
            let chosen = access.scope.and_then(|_| executor.machine.explored.chosen_messages.get(number));
            location.messages.get(chosen.copied().unwrap_or(location.messages.len() - 1))
        });
        let seen = seen.map(|message| (message.value, message.event));
        if access.kind != MachineAccessKind::Read {
            written.push(now);
        }
        if access.kind != MachineAccessKind::Write {
            let last = || (now, executor.machine.races.last_recorded_write(key, access.element));
            let (value, event) = seen.unwrap_or_else(last);
            read.push(value);
            reads_from.push((key, event));
        }
    }
    let (kind, space, element) = (access.kind, place.space_name(), access.element);
    let shown = EventAccess { kind, space, address, element, read, written, is_shared: false };
    let (agent, thread) = (executor.agent(lane), executor.thread(lane));
    executor.machine.races.record_access((agent, thread), access, shown, &reads_from);
}

/// Records an access of a copy, whose agent has an epoch.
pub fn record_copied(
    machine: &mut Machine<'_>,
    copy: &PendingCopy,
    (agent, epoch): (Agent, u32),
    access: &CheckedAccess,
    address: u64,
) {
    let space = match access.region {
        RacedMemory::Global(_) => "global",
        RacedMemory::Shared(_) => "shared",
    };
    let (kind, element) = (access.kind, access.element);
    let (read, written) = (Vec::new(), Vec::new());
    let shown = EventAccess { kind, space, address, element, read, written, is_shared: false };
    let (thread, place, known) = (copy.thread, copy.place, copy.begin.clock.clone());
    let origin = EventOrigin { thread, performer: EventPerformer::Copy, place, agent, epoch, known };
    machine.races.record_copy_access(origin, access, shown);
}
