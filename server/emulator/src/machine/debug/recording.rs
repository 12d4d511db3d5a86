//! Passes what threads and copies do to the recorder of an execution that is shown.

use crate::machine::copies::asynchronous::PendingCopy;
use crate::machine::memory::locate::MemoryPlace;
use crate::machine::ordering::{
    Agent, CheckedAccess, EventAccess, EventAction, EventOrigin, EventPerformer, RacedMemory,
};
use crate::machine::problem::MachineAccessKind;
use crate::machine::state::Machine;
use crate::machine::threads::executor::Executor;
use crate::machine::threads::lanes::lanes_of;

impl Executor<'_, '_> {
    /// Records what orders accesses, in some lanes.
    pub fn record_order(&mut self, action: EventAction, active: u32) {
        if !self.machine.races.is_recording() {
            return;
        }
        for lane in lanes_of(active) {
            let (agent, thread, place) = (self.agent(lane), self.thread(lane), self.place());
            self.machine.races.record_event(agent, thread, place, action.clone());
        }
    }

    /// Records an access of a lane that memory has already seen, and that has not become messages yet.
    pub fn record_execution(&mut self, access: &CheckedAccess, place: MemoryPlace, address: u64, lane: usize) {
        if !self.machine.races.is_recording() {
            return;
        }
        let (mut read, mut reads_from, mut written) = (Vec::new(), Vec::new(), Vec::new());
        let elements = access.bytes / access.element.max(1) as usize;
        for number in 0..elements {
            let offset = access.offset + number * access.element as usize;
            let key = (access.region, offset);
            let now = self.machine.region_mut(access.region).load_wide(offset, access.element);
            let messages = self.machine.races.history().and_then(|history| history.get(&key));
            let seen = messages.and_then(|location| {
                let chosen = access.scope.and_then(|_| self.machine.explored.chosen_messages.get(number));
                location.messages.get(chosen.copied().unwrap_or(location.messages.len() - 1))
            });
            let seen = seen.map(|message| (message.value, message.event));
            if access.kind != MachineAccessKind::Read {
                written.push(now);
            }
            if access.kind != MachineAccessKind::Write {
                let last = || (now, self.machine.races.last_recorded_write(key, access.element));
                let (value, event) = seen.unwrap_or_else(last);
                read.push(value);
                reads_from.push((key, event));
            }
        }
        let (kind, space, element) = (access.kind, place.space_name(), access.element);
        let shown = EventAccess { kind, space, address, element, read, written, is_shared: false };
        let (agent, thread) = (self.agent(lane), self.thread(lane));
        self.machine.races.record_access((agent, thread), access, shown, &reads_from);
    }
}

impl Machine<'_> {
    /// Records an access of a copy, whose agent has an epoch.
    pub fn record_copied(
        &mut self,
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
        self.races.record_copy_access(origin, access, shown);
    }
}
