//! Passes what threads and copies do to the detector of data races, and reports what it finds.

use crate::copies::pending_copy::{CopyBegin, MemoryRange, Notified, PendingCopy};
use crate::debug::debug_view;
use crate::debug::recording;
use crate::debug::trace_recorder;
use crate::exploration::unconstrained_reads::UnconstrainedChoice;
use crate::memory::global::AllocationKind;
use crate::memory::locate::MemoryPlace;
use crate::memory::region::MemoryBytes;
use crate::recording::recorded_access::{MbarrierAccess, RecordedAccess};
use crate::state::Machine;
use crate::threads::executor::Executor;
use isa::types::{Scope, Sem};
use ordering::accesses;
use ordering::load_buffering::value_dependent_writes;
use ordering::{
    Agent, CheckedAccess, Clock, CopyAgent, EventAction, RaceRelation, RacingAccess, ReadPlace, WriteEffect,
};
use program::copies::async_copy::{GroupAction, GroupKind};
use program::fence::FenceSemantics;
use program::lanes::lanes_of;
use program::launch::kernel_launch::ThreadId;
use program::memory::location::{IsUpdate, LocationKey, RacedMemory};
use program::operand::AccessOrder;
use program::problem::{CodePlace, MachineAccessKind, ProblemKind};
use program::proxy::{AccessProxy, FencedMemory, RaceCause};
use program::waiting::mbarrier_instruction::MBARRIER_BYTES;
use std::ops::Range;

impl MbarrierAccess {
    /// The same as an access of memory, for the detector of data races: initialization is ordered before all others.
    const fn checked(self, slot: usize, offset: u32, place: CodePlace) -> CheckedAccess {
        let (kind, scope) = match self {
            Self::Initialize | Self::Invalidate => (MachineAccessKind::Write, None),
            Self::Update => (MachineAccessKind::Atomic, Some(Scope::Sys)),
            Self::Test => (MachineAccessKind::Read, Some(Scope::Sys)),
        };
        CheckedAccess {
            region: RacedMemory::Shared(slot),
            offset: offset as usize,
            bytes: MBARRIER_BYTES as usize,
            element: MBARRIER_BYTES as u32,
            kind,
            scope,
            place,
            effect: WriteEffect::Changes,
            proxy: AccessProxy::Generic,
        }
    }
}

impl MemoryPlace {
    /// The memory that other threads can reach and the offset in it; `None` for local memory.
    pub const fn raced(self) -> Option<(RacedMemory, usize)> {
        match self {
            Self::Global(place) => Some((RacedMemory::Global(place.allocation), place.offset)),
            Self::Shared(slot, offset) => Some((RacedMemory::Shared(slot), offset as usize)),
            Self::Local(_) => None,
        }
    }
}

impl Executor<'_, '_> {
    /// Checks an access for races, and lets it synchronize.
    pub fn record(&mut self, access: RecordedAccess, lane: usize) {
        if !self.machine.launch.trace.is_empty() {
            trace_recorder::trace_access(self, &access, lane);
        }
        let RecordedAccess { place, address, element, count, kind, order, effect, proxy } = access;
        if self.machine.observer.0.is_some() {
            let by = (self.thread(lane), self.place());
            debug_view::show_access(self.machine, place, u64::from(element) * u64::from(count), kind, by);
        }
        let Some((region, offset)) = place.raced() else { return };
        if let RacedMemory::Global(allocation) = region {
            let allocation = &self.machine.memory.allocations()[allocation];
            if matches!(allocation.kind, AllocationKind::Constant | AllocationKind::Parameters) {
                return;
            }
        }
        let agent = self.agent(lane);
        let checked = CheckedAccess {
            region,
            offset,
            bytes: (element * count) as usize,
            element,
            kind,
            scope: order.strong_scope(),
            place: self.place(),
            effect,
            proxy,
        };
        recording::record_execution(self, &checked, place, address, lane);
        value_dependent_writes::note_value_dependent(&mut self.machine.races, agent, &checked);
        self.check_race(&checked, address, lane);
        if !self.machine.races.keeps_all() {
            return self.stop_in_doubt();
        }
        if self.machine.races.history().is_some() {
            return self.record_messages(&checked, count, order, lane);
        }
        for number in 0..count {
            let at = offset + (number * element) as usize;
            if kind != MachineAccessKind::Write && order.sem != Sem::Weak {
                self.machine.races.observe(agent, region, at, order);
            }
            let update = if kind == MachineAccessKind::Atomic { IsUpdate::Yes } else { IsUpdate::No };
            if kind != MachineAccessKind::Read {
                self.machine.races.write(agent, region, at, order, update);
            }
        }
    }

    /// The value of the message that an element of a strong access reads, when all executions are explored.
    pub fn chosen_value(&self, place: MemoryPlace, offset: u32, number: usize) -> Option<u128> {
        let history = self.machine.races.history()?;
        let (region, start) = place.raced()?;
        let key = (region, start + offset as usize);
        let messages = &history.get(&key)?.messages;
        let chosen = self.machine.explored.chosen_messages.get(number).copied();
        if let Some(chosen) = chosen.filter(|_| self.is_unconstrained_read()) {
            let values = self.machine.explored.unconstrained_reads.values(key, messages.last()?.value);
            return values.get(UnconstrainedChoice::of_number(chosen).value).copied();
        }
        messages.get(chosen.unwrap_or(messages.len() - 1)).map(|message| message.value)
    }

    /// Reads and writes the chosen messages of an access that memory has already seen.
    fn record_messages(&mut self, access: &CheckedAccess, count: u32, order: AccessOrder, lane: usize) {
        let (agent, region) = (self.agent(lane), access.region);
        if order.sem == Sem::Weak {
            if access.kind != MachineAccessKind::Read {
                self.machine.races.erase_history(region, access.offset, access.bytes, None);
            }
            return;
        }
        let is_free = self.is_unconstrained_read();
        for number in 0..count {
            let at = access.offset + (number * access.element) as usize;
            let key = (region, at);
            let last = self.machine.races.history().and_then(|history| Some(history.get(&key)?.messages.len() - 1));
            let Some(last) = last else { continue };
            let chosen = self.machine.explored.chosen_messages.get(number as usize).copied();
            let chosen = chosen
                .map_or(last, |chosen| if is_free { UnconstrainedChoice::of_number(chosen).after } else { chosen });
            let is_update = access.kind == MachineAccessKind::Atomic && !is_free;
            let update = if is_update { IsUpdate::Yes } else { IsUpdate::No };
            if access.kind != MachineAccessKind::Write && !is_free {
                let read = ReadPlace { place: access.place, element: number, location: key };
                self.machine.races.observe_message(agent, read, chosen, (order, update));
            }
            if access.kind != MachineAccessKind::Read {
                let memory = self.machine.region_mut(region);
                let value = memory.load_wide(at, access.element);
                if self.machine.races.add_message(agent, key, chosen, order, (value, update)) {
                    self.machine.explored.waits.remove(&agent);
                }
                self.machine.write_last_message(key);
            }
        }
    }

    /// Checks an access to an mbarrier for races with its initialization.
    pub fn record_mbarrier(&mut self, slot: usize, offset: u32, usage: MbarrierAccess, lane: usize) {
        let checked = usage.checked(slot, offset, self.place());
        let agent = self.agent(lane);
        recording::record_order(self, EventAction::Mbarrier, 1 << lane);
        let race = accesses::access_mbarrier(&mut self.machine.races, agent, &checked);
        // `cuda::pipeline` ends its mbarriers in one thread, after a `match` in each warp, which orders no memory. An operation that a thread
        // of the CTA has completed is no use of the object after its end, which would be a mistake of its own.
        let is_own = |race: &RacingAccess| self.machine.races.thread(race.thread).0 == self.warp.cta;
        let is_completed = |race: &RacingAccess| usage == MbarrierAccess::Invalidate && is_own(race);
        if let Some(other) = race.filter(|race| !is_completed(race)) {
            let thread = self.thread(lane);
            self.machine.report_race(&checked, offset.into(), thread, other);
        }
    }

    /// Reports a race of an access of a lane with an earlier one.
    fn check_race(&mut self, access: &CheckedAccess, address: u64, lane: usize) {
        let agent = self.agent(lane);
        if let Some(other) = accesses::access(&mut self.machine.races, agent, access) {
            let thread = self.thread(lane);
            self.machine.report_race(access, address, thread, other);
        }
    }

    /// Ends a run whose accesses may race, as far as their summaries say: it is to be repeated.
    #[inline]
    pub fn stop_in_doubt(&mut self) {
        self.machine.stopped |= self.machine.races.doubt().is_some();
    }

    /// A fence in some lanes.
    pub fn fence(&mut self, fence: FenceSemantics, active: u32) {
        recording::record_order(self, EventAction::Fence, active);
        let warp = self.agent(0).warp;
        self.machine.races.fence(warp, lanes_of(active), fence);
    }

    /// A fence between proxies in some lanes. That of tensor maps is recorded as the release that it is, too.
    pub fn fence_proxy(&mut self, memory: FencedMemory, active: u32) {
        if memory != FencedMemory::ReleasedTensorMap {
            recording::record_order(self, EventAction::Fence, active);
        }
        let warp = self.agent(0).warp;
        self.machine.races.fence_proxy(warp, lanes_of(active), memory);
    }

    /// What happens before a copy that a lane begins.
    pub fn begin_copy_clock(&mut self, lane: usize) -> CopyBegin {
        let agent = self.agent(lane);
        let part = self.warp.group_numbers(lane).part();
        CopyBegin { agent, part, clock: self.machine.races.begin_copy(agent) }
    }

    /// A lane has waited for groups of copies before a number.
    pub fn end_groups(&mut self, kind: GroupKind, action: GroupAction, before: u64, lane: usize) {
        let agents: &[CopyAgent] = match (kind, action) {
            (GroupKind::Copies, _) => &[CopyAgent::Writes, CopyAgent::Reads],
            (GroupKind::Bulk, GroupAction::WaitRead(_)) => &[CopyAgent::BulkReads],
            (GroupKind::Bulk, _) => &[CopyAgent::BulkWrites, CopyAgent::BulkReads],
            (GroupKind::Matrices, _) => &[CopyAgent::MatrixReads],
            (GroupKind::Tensors, _) => &[CopyAgent::TensorReads],
        };
        recording::record_order(self, EventAction::Wait, 1 << lane);
        let agent = self.agent(lane);
        let before = match kind {
            GroupKind::Copies => self.warp.group_numbers(lane).parts_before(before).into(),
            _ => before,
        };
        self.machine.races.end_groups(agent, agents, before);
    }
}

impl Machine<'_> {
    /// The bytes of a memory.
    pub fn region_mut(&mut self, region: RacedMemory) -> &mut MemoryBytes {
        match region {
            RacedMemory::Global(at) => &mut self.memory.allocation_mut(at).region,
            RacedMemory::Shared(slot) => &mut self.ctas[slot].shared,
        }
    }

    /// Memory has the value of the last message of a location.
    pub fn write_last_message(&mut self, key: LocationKey) {
        let location = self.races.history().and_then(|history| history.get(&key));
        let last = location.and_then(|location| Some((location.messages.last()?.value, location.size)));
        if let Some((value, size)) = last {
            self.region_mut(key.0).store_wide(key.1, size, value);
        }
    }

    /// Reports a race with an earlier access.
    pub fn report_race(&mut self, access: &CheckedAccess, address: u64, thread: ThreadId, other: RacingAccess) {
        let memory = match access.region {
            RacedMemory::Global(_) => self.nearest(address),
            RacedMemory::Shared(_) => None,
        };
        let (slot, number) = self.races.thread(other.thread);
        let other_thread = ThreadId { cta: self.cta_number(slot), thread: number };
        let related = match other.cause {
            RaceCause::EarlierKernel | RaceCause::KernelBeforeEarlier => Vec::new(),
            _ => vec![(other_thread, other.place)],
        };
        // The definition has no exception for them, so all executions are explored without one.
        if access.stores_again(&other) && self.races.history().is_none() {
            return self.notes.report(ProblemKind::SameValueRace { address, memory }, thread, access.place, related);
        }
        let (access_kind, other_kind) = (access.kind, other.kind);
        if other.relation == RaceRelation::Unordered {
            let kind = ProblemKind::UnorderedAccess { address, memory, access: access_kind, other: other_kind };
            return self.notes.report(kind, thread, access.place, related);
        }
        let kind = ProblemKind::DataRace {
            address,
            memory,
            access: access_kind,
            other: other_kind,
            by: other.by,
            cause: other.cause,
        };
        self.problems.report(kind, thread, access.place, related);
    }

    /// Checks the reads of a copy.
    pub fn record_source(&mut self, copy: &PendingCopy) {
        let mut by = None;
        for (range, length) in copy.data.sources() {
            let by = *by.get_or_insert_with(|| self.copy_agent(copy, MachineAccessKind::Read));
            self.record_part(copy, by, (range, 0..length, MachineAccessKind::Read));
        }
    }

    /// Checks the writes of a copy, and lets its end be observed. Returns its agent and epoch.
    pub fn record_copy(&mut self, copy: &PendingCopy) -> (Agent, u32) {
        let kind = if copy.reduction.is_some() { MachineAccessKind::Atomic } else { MachineAccessKind::Write };
        let by = self.copy_agent(copy, kind);
        for range in copy.part.written(copy.length) {
            self.record_part(copy, by, (copy.destination, range, kind));
        }
        let (slot, offset) = match copy.notified {
            Notified::Mbarrier(slot, offset) | Notified::ArrivalAfter(.., slot, offset) => (slot, offset),
            Notified::Group(..) => return by,
        };
        self.record_notification(copy, by, (slot, offset));
        // The end of an operation orders its own accesses, not what its thread did before the issue.
        let mut after = match copy.notified {
            Notified::ArrivalAfter(GroupKind::Tensors, ..) => copy.begin.clock.of_tensor_memory(),
            _ => Clock::default(),
        };
        after.raise(by.0, by.1);
        if matches!(copy.notified, Notified::ArrivalAfter(GroupKind::Copies, ..)) {
            after.raise(copy.begin.agent.copying(CopyAgent::Reads), by.1);
        }
        self.races.notify_mbarrier(after, &copy.begin.clock, slot, offset);
        by
    }

    /// Checks that the mbarrier which a copy notifies was initialized before the copy began.
    fn record_notification(&mut self, copy: &PendingCopy, by: (Agent, u32), (slot, offset): (usize, u32)) {
        let access = MbarrierAccess::Update.checked(slot, offset, copy.place);
        if let Some(other) = accesses::access_mbarrier_knowing(&mut self.races, by, &copy.begin.clock, &access) {
            self.report_race(&access, offset.into(), copy.thread, other);
        }
    }

    /// The agent and the epoch of what a copy reads, or of what it writes: the same of all its parts.
    fn copy_agent(&mut self, copy: &PendingCopy, kind: MachineAccessKind) -> (Agent, u32) {
        let agent = copy.begin.agent;
        let reads = kind == MachineAccessKind::Read;
        match copy.notified {
            Notified::Group(GroupKind::Copies, _) => {
                (agent.copying(if reads { CopyAgent::Reads } else { CopyAgent::Writes }), copy.begin.part)
            }
            Notified::Group(GroupKind::Bulk, group) => {
                (agent.copying(if reads { CopyAgent::BulkReads } else { CopyAgent::BulkWrites }), group as u32 + 1)
            }
            Notified::Group(GroupKind::Matrices, group) => (agent.copying(CopyAgent::MatrixReads), group as u32 + 1),
            Notified::Group(GroupKind::Tensors, group) | Notified::ArrivalAfter(GroupKind::Tensors, group, ..) => {
                (agent.copying(CopyAgent::TensorReads), group as u32 + 1)
            }
            Notified::Mbarrier(slot, offset) => self.races.notifier(agent, slot, offset),
            Notified::ArrivalAfter(..) => (agent.copying(CopyAgent::Writes), copy.begin.part),
        }
    }

    /// Checks what a copy reads of a range, or writes to it.
    fn record_part(
        &mut self,
        copy: &PendingCopy,
        (agent, epoch): (Agent, u32),
        (memory, range, kind): (MemoryRange, Range<usize>, MachineAccessKind),
    ) {
        let clock = &copy.begin.clock;
        let reads = kind == MachineAccessKind::Read;
        let (start, bytes) = (range.start, range.len());
        let found = match memory {
            MemoryRange::Global(address) => self
                .memory
                .find(address + start as u64, bytes as u64, 0)
                .map(|place| (RacedMemory::Global(place.allocation), place.offset, address + start as u64)),
            MemoryRange::Shared(slot, offset) => {
                let offset = offset as usize + start;
                Some((RacedMemory::Shared(slot), offset, offset as u64))
            }
        };
        let Some((region, offset, address)) = found.filter(|_| bytes > 0) else { return };
        let scope = copy.reduction.is_some().then_some(Scope::Gpu).filter(|_| !reads);
        let element = copy.reduction.map_or(1, |operation| operation.shape().bytes());
        let place: CodePlace = copy.place;
        let effect = WriteEffect::Changes;
        let proxy = copy.proxy;
        let access = CheckedAccess { region, offset, bytes, element, kind, scope, place, effect, proxy };
        recording::record_copied(self, copy, (agent, epoch), &access, address);
        if let Some(other) = accesses::access_knowing(&mut self.races, agent, epoch, clock, &access) {
            self.report_race(&access, address, copy.thread, other);
        }
        if kind == MachineAccessKind::Write {
            self.races.overwrite(region, offset, bytes);
            self.races.erase_history(region, offset, bytes, None);
        }
    }
}
