//! Asynchronous copies: their beginning, their end, and the waits for groups of them.

use crate::Operation;
use crate::machine::copies::asynchronous::{
    AsyncCopy, Completion, CopiedPart, CopyPart, CopySource, GatheredPart, GroupAction, GroupKind, GroupWait,
    MemoryRange, Notified, PendingCopy, PendingData, PlacedPart,
};
use crate::machine::launch::kernel_launch::ThreadId;
use crate::machine::memory::locate::{MachineAccess, MemoryPlace};
use crate::machine::memory::region::MemoryBytes;
use crate::machine::ordering::Agent;
use crate::machine::problem::{MachineAccessKind, ProblemKind};
use crate::machine::program::multicast::MulticastSignal;
use crate::machine::program::operand::{MachineAddress, Source};
use crate::machine::program::proxy::AccessProxy;
use crate::machine::state::Machine;
use crate::machine::threads::executor::Executor;
use crate::machine::threads::lanes::lanes_of;
use crate::machine::waiting::mbarrier::{MbarrierMistake, Participation};

/// The alignment of bulk copies in bytes.
const BULK_ALIGNMENT: u64 = 16;

impl Executor<'_, '_> {
    /// Begins a copy in each active lane.
    pub fn begin_copy(&mut self, copy: &AsyncCopy, active: u32) {
        self.require_defined(copy.destination.base, active);
        self.require_defined(copy.bytes, active);
        for lane in lanes_of(active) {
            match self.pending_copy(copy, lane) {
                Ok(Some(pending)) => self.begin_pending(copy, pending, lane),
                Ok(None) => {}
                Err(problem) => {
                    self.report(problem, lane);
                    self.complete_failed(copy, lane);
                }
            }
        }
    }

    /// Lets who waits for a copy that cannot be made go on, so that one mistake is not a second one.
    fn complete_failed(&mut self, copy: &AsyncCopy, lane: usize) {
        let Completion::Mbarrier(address) = &copy.completion else { return };
        let bytes = self.values(copy.bytes)[lane];
        let Some((slot, offset)) = self.mbarrier_place(address, lane) else { return };
        self.machine.version += 1;
        if let Some(barrier) = self.machine.ctas[slot].mbarriers.get_mut(&offset) {
            let before = barrier.state();
            if barrier.complete(bytes).is_ok() {
                self.machine.note_mbarrier_change((slot, offset), before);
            }
        }
    }

    fn begin_pending(&mut self, copy: &AsyncCopy, pending: PendingCopy, lane: usize) {
        let ranks = copy.multicast.map(|ranks| {
            self.require_defined(ranks, 1 << lane);
            (self.values(ranks)[lane] as u32, MulticastSignal::Each)
        });
        self.push_copy(pending, ranks);
    }

    /// Adds a copy to those that are under way; to the CTAs with some ranks, if there are some.
    pub fn push_copy(&mut self, pending: PendingCopy, multicast: Option<(u32, MulticastSignal)>) {
        let Some((ranks, signal)) = multicast else {
            self.machine.note_reduction(&pending);
            self.machine.copies.push(pending);
            return;
        };
        let cluster = self.machine.ctas[self.warp.cta].cluster;
        let ctas = self.machine.clusters[cluster].ctas.clone();
        for (rank, slot) in ctas.iter().enumerate().filter(|(rank, _)| ranks >> rank & 1 == 1) {
            let mut one = pending.clone();
            if let MemoryRange::Shared(to, _) = &mut one.destination {
                *to = *slot;
            }
            if let Notified::Mbarrier(to, _) = &mut one.notified {
                let of_pair = rank & !1 | self.machine.ctas[*to].rank as usize & 1;
                let notified = if signal == MulticastSignal::OneOfPair { ctas.get(of_pair) } else { None };
                *to = *notified.unwrap_or(slot);
            }
            self.machine.note_reduction(&one);
            self.machine.copies.push(one);
        }
    }

    fn pending_copy(&mut self, copy: &AsyncCopy, lane: usize) -> Result<Option<PendingCopy>, ProblemKind> {
        let length = self.values(copy.bytes)[lane];
        let alignment = match copy.completion {
            Completion::Group => length.max(1),
            Completion::BulkGroup | Completion::Mbarrier(_) => match copy.source {
                CopySource::Registers(_, bytes) => bytes.into(),
                CopySource::Memory { .. } => BULK_ALIGNMENT,
            },
        };
        if alignment == BULK_ALIGNMENT
            && !matches!(copy.completion, Completion::Group)
            && !length.is_multiple_of(alignment)
        {
            return Err(ProblemKind::BulkSize { operation: "copy", bytes: length, multiple: alignment });
        }
        let destination = self.memory_range(&copy.destination, length, alignment, MachineAccessKind::Write, lane)?;
        let part = self.copied_part(copy.part, lane);
        let data = match (&copy.source, copy.part) {
            (CopySource::Memory { address, .. }, CopyPart::Inner(left, right)) => {
                self.inner_source(address, length, [left, right], lane)?
            }
            (CopySource::Memory { address, bytes }, _) => {
                let read = bytes.map_or(length, |bytes| self.values(bytes)[lane].min(length));
                if read == 0 {
                    PendingData::Read(vec![0; length as usize], vec![true; length as usize], None)
                } else {
                    match self.memory_range(address, read, alignment, MachineAccessKind::Read, lane) {
                        Ok(source) => PendingData::Unread(source, read as usize),
                        // Zeros are copied: what reads them makes no mistake of its own.
                        Err(problem) => {
                            self.report(problem, lane);
                            PendingData::Read(vec![0; length as usize], vec![true; length as usize], None)
                        }
                    }
                }
            }
            (CopySource::Registers(sources, bytes), _) => self.register_bytes(sources, *bytes, lane),
        };
        let kind = if matches!(copy.completion, Completion::Group) { GroupKind::Copies } else { GroupKind::Bulk };
        let notified = match &copy.completion {
            Completion::Group | Completion::BulkGroup => {
                Notified::Group(kind, self.warp.group_numbers(lane).current(kind))
            }
            Completion::Mbarrier(address) => match self.mbarrier_place(address, lane) {
                Some((slot, offset)) => Notified::Mbarrier(slot, offset),
                None => return Ok(None),
            },
        };
        let (thread, place, length) = (self.thread(lane), self.place(), length as usize);
        let (begin, reduction) = (self.begin_copy_clock(lane), copy.reduction);
        // Stores and reductions of registers are not in the list of operations of the async proxy. The cautious reading has them there.
        let proxy = match copy.completion {
            Completion::Group => AccessProxy::Generic,
            Completion::BulkGroup | Completion::Mbarrier(_) => AccessProxy::Async,
        };
        Ok(Some(PendingCopy { thread, place, begin, destination, length, data, reduction, notified, proxy, part }))
    }

    fn copied_part(&mut self, part: CopyPart, lane: usize) -> CopiedPart {
        let mut value = |source| {
            self.require_defined(source, 1 << lane);
            self.values(source)[lane]
        };
        match part {
            CopyPart::All => CopiedPart::All,
            CopyPart::Masked(mask) => CopiedPart::Masked(value(mask) as u16),
            CopyPart::Inner(left, right) => {
                value(right);
                CopiedPart::From(ignored(value(left)) as usize)
            }
        }
    }

    /// The source of a copy without what it ignores at both ends.
    fn inner_source(
        &mut self,
        address: &MachineAddress,
        length: u64,
        ends: [Source; 2],
        lane: usize,
    ) -> Result<PendingData, ProblemKind> {
        let [left, right] = ends.map(|end| ignored(self.values(end)[lane]));
        let kind = MachineAccessKind::Read;
        let first = self.address(address, lane);
        if !first.is_multiple_of(BULK_ALIGNMENT) {
            return Err(ProblemKind::Misaligned { access: kind, address: first, size: BULK_ALIGNMENT });
        }
        let read = length.saturating_sub(left + right);
        if read == 0 {
            return Ok(PendingData::Read(Vec::new(), Vec::new(), None));
        }
        let inner = MachineAddress { offset: address.offset.wrapping_add_unsigned(left), ..*address };
        Ok(PendingData::Unread(self.memory_range(&inner, read, 1, kind, lane)?, read as usize))
    }

    fn register_bytes(&mut self, sources: &[Source], bytes: u32, lane: usize) -> PendingData {
        let mut data = Vec::new();
        for source in sources {
            self.require_defined(*source, 1 << lane);
            data.extend_from_slice(&self.values(*source)[lane].to_le_bytes()[..bytes as usize]);
        }
        let defined = vec![true; data.len()];
        PendingData::Read(data, defined, None)
    }

    /// The place of a copy's source or destination.
    pub fn memory_range(
        &mut self,
        address: &MachineAddress,
        size: u64,
        alignment: u64,
        kind: MachineAccessKind,
        lane: usize,
    ) -> Result<MemoryRange, ProblemKind> {
        self.require_defined(address.base, 1 << lane);
        let value = self.address(address, lane);
        match self.locate(MachineAccess { space: address.space, address: value, size, kind }, alignment)? {
            MemoryPlace::Global(_) => Ok(MemoryRange::Global(value)),
            MemoryPlace::Shared(slot, offset) => Ok(MemoryRange::Shared(slot, offset)),
            MemoryPlace::Local(_) => {
                Err(ProblemKind::WrongSpace { address: value, expected: "global or shared", found: "local" })
            }
        }
    }

    /// Ends a group of copies, or waits for groups: the copies end now.
    pub fn copy_group(&mut self, GroupWait { kind, action }: GroupWait, active: u32) {
        for lane in lanes_of(active) {
            let thread = self.thread(lane);
            let current = self.warp.group_numbers(lane).current(kind);
            match action {
                GroupAction::Commit => self.warp.group_numbers(lane).commit(kind),
                GroupAction::WaitAll => {
                    self.machine.end_copies_of(thread, kind, current + 1);
                    self.end_groups(kind, action, current + 1, lane);
                    // Later copies of the group are not among those that were waited for.
                    self.warp.group_numbers(lane).divide();
                }
                GroupAction::Wait(under_way) => {
                    let before = current.saturating_sub(under_way.into());
                    self.machine.end_copies_of(thread, kind, before);
                    self.end_groups(kind, action, before, lane);
                }
                GroupAction::WaitRead(under_way) => {
                    let before = current.saturating_sub(under_way.into());
                    self.machine.read_sources_of(thread, kind, before);
                    self.end_groups(kind, action, before, lane);
                }
            }
        }
    }
}

impl Machine<'_> {
    /// Ends the copies that nobody waits for.
    pub fn end_copies(&mut self) {
        while !self.copies.is_empty() && !self.stopped {
            self.end_copy(0);
        }
    }

    /// Ends the copies of a thread in groups before a number.
    pub fn end_copies_of(&mut self, thread: ThreadId, kind: GroupKind, before: u64) {
        while let Some(at) = self.copies.iter().position(|copy| copy.is_in_group(thread, kind, before)) {
            self.end_copy(at);
        }
    }

    /// Reads the sources of the copies of a thread in groups before a number.
    fn read_sources_of(&mut self, thread: ThreadId, kind: GroupKind, before: u64) {
        for at in 0..self.copies.len() {
            if self.copies[at].is_in_group(thread, kind, before) {
                let copy = self.copies[at].clone();
                self.record_source(&copy);
                let (bytes, defined) = self.data(&copy.data);
                let result = self.result_in(&copy.data);
                self.copies[at].data = PendingData::Read(bytes, defined, result);
            }
        }
    }

    fn data(&self, data: &PendingData) -> (Vec<u8>, Vec<bool>) {
        match data {
            PendingData::Read(bytes, defined, _) => (bytes.clone(), defined.clone()),
            PendingData::Unread(range, length) => self.read_range(*range, *length),
            PendingData::Gathered(parts) => {
                let mut all = (Vec::new(), Vec::new());
                for part in parts.iter() {
                    let (bytes, defined) = match part {
                        GatheredPart::Memory(range, length) => self.read_range(*range, *length),
                        GatheredPart::Filled(bytes) => (bytes.clone(), vec![true; bytes.len()]),
                    };
                    all.0.extend(bytes);
                    all.1.extend(defined);
                }
                all
            }
        }
    }

    fn read_range(&self, range: MemoryRange, length: usize) -> (Vec<u8>, Vec<bool>) {
        match range {
            MemoryRange::Global(address) => {
                let place = self.memory.find(address, length as u64, 0);
                place.map_or_else(Default::default, |place| {
                    self.memory.allocations()[place.allocation].region.read(place.offset, length)
                })
            }
            MemoryRange::Shared(slot, offset) => self.ctas[slot].shared.read(offset as usize, length),
        }
    }

    /// The memory of a part of a copy's destination, and the offset in it.
    fn written_place(&mut self, destination: MemoryRange, part: PlacedPart) -> Option<(&mut MemoryBytes, usize)> {
        match destination {
            MemoryRange::Global(address) => {
                let place = self.memory.find(address + part.to as u64, part.length as u64, 0)?;
                Some((&mut self.memory.allocation_mut(place.allocation).region, place.offset))
            }
            MemoryRange::Shared(slot, offset) => {
                let (shared, offset) = (&mut self.ctas[slot].shared, offset as usize + part.to);
                (offset + part.length <= shared.len()).then_some((shared, offset))
            }
        }
    }

    /// Ends a copy: its data are written, and what waits for it is notified. Returns by whom and in which epoch it has written.
    pub fn end_copy(&mut self, at: usize) -> (Agent, u32) {
        if let Notified::ArrivalAfter(kind, group, ..) = self.copies[at].notified {
            let (thread, part) = (self.copies[at].thread, self.copies[at].begin.part);
            let is_earlier = |copy: &PendingCopy| kind != GroupKind::Copies || copy.begin.part <= part;
            let earlier = |copy: &PendingCopy| copy.is_in_group(thread, kind, group + 1) && is_earlier(copy);
            if let Some(first) = self.copies.iter().position(earlier) {
                return self.end_copy(first);
            }
        }
        let copy = self.copies.remove(at);
        self.record_source(&copy);
        let (mut bytes, mut defined) = self.data(&copy.data);
        let mut is_filled = true;
        if let CopiedPart::From(offset) = copy.part {
            bytes.splice(0..0, vec![0; offset]);
            defined.splice(0..0, vec![false; offset]);
            is_filled = false;
        }
        bytes.resize(copy.length, 0);
        defined.resize(copy.length, is_filled);
        self.check_destination(&copy);
        let by = self.record_copy(&copy);
        match copy.reduction.filter(|_| self.races.history().is_some()) {
            Some(operation) => self.reduce_messages(&copy, by, &bytes, operation),
            None => self.write_copied(&copy, &bytes, &defined),
        }
        self.version += 1;
        self.note_copied(&copy);
        self.trace_copy(&copy);
        self.show_copy(&copy);
        if let Err(mistake) = self.notify(&copy, by) {
            let address = match copy.notified {
                Notified::Mbarrier(_, offset) | Notified::ArrivalAfter(.., offset) => offset.into(),
                Notified::Group(..) => 0,
            };
            self.report(ProblemKind::Mbarrier { mistake, address }, copy.thread, copy.place);
        }
        by
    }

    fn write_copied(&mut self, copy: &PendingCopy, bytes: &[u8], defined: &[bool]) {
        for part in copy.part.parts(copy.length) {
            let Some((region, offset)) = self.written_place(copy.destination, part) else { continue };
            match copy.reduction {
                Some(operation) => reduce(region, offset, &bytes[part.data()], operation),
                None => region.write(offset, &bytes[part.data()], &defined[part.data()]),
            }
        }
    }

    fn notify(&mut self, copy: &PendingCopy, by: (Agent, u32)) -> Result<(), MbarrierMistake> {
        let (slot, offset) = match copy.notified {
            Notified::Group(..) => return Ok(()),
            Notified::Mbarrier(slot, offset) | Notified::ArrivalAfter(.., slot, offset) => (slot, offset),
        };
        if self.explored.clock.is_some() {
            self.races.begin_arrival_of_copy(&copy.begin.clock, by, (slot, offset));
        }
        let barrier = self.ctas[slot].mbarriers.get_mut(&offset).ok_or(MbarrierMistake::NotInitialized)?;
        let before = barrier.state();
        match copy.notified {
            Notified::ArrivalAfter(..) => barrier.arrive(1, Participation::Continues)?,
            _ => barrier.complete(copy.length as u64)?,
        }
        self.note_mbarrier_change((slot, offset), before);
        Ok(())
    }
}

impl PendingCopy {
    /// Whether its end is seen by those who wait for an mbarrier.
    pub const fn notifies_mbarrier(&self) -> bool {
        !matches!(self.notified, Notified::Group(..))
    }

    /// Whether it is a copy of a thread in a group before a number.
    pub fn is_in_group(&self, thread: ThreadId, kind: GroupKind, before: u64) -> bool {
        let group = |group: GroupKind, number: u64| group == kind && number < before;
        self.thread == thread && matches!(self.notified, Notified::Group(one, number) if group(one, number))
    }
}

/// The bytes that a copy ignores at an end: the lower bits of a value.
const fn ignored(value: u64) -> u64 {
    value % BULK_ALIGNMENT
}

/// The value of the bytes of an element.
pub fn element_value(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}

/// Combines the elements of a range with data.
fn reduce(region: &mut MemoryBytes, offset: usize, bytes: &[u8], operation: Operation) {
    let size = operation.shape().bytes();
    for (number, element) in bytes.chunks_exact(size as usize).enumerate() {
        let at = offset + number * size as usize;
        let b = element_value(element);
        let new = operation.apply(region.load_wide(at, size), b, 0);
        region.store_wide(at, size, new);
    }
}
