//! Asynchronous copies: their beginning, their end, and the waits for groups of them.

use crate::copies::pending_copy::element_value;
use crate::copies::pending_copy::{
    CopiedPart, GatheredPart, MemoryRange, Notified, PendingCopy, PendingData, PlacedPart,
};
use crate::debug::debug_view;
use crate::debug::trace_recorder;
use crate::exploration::chosen_reductions;
use crate::memory::locate::{MachineAccess, MemoryPlace};
use crate::memory::region::MemoryBytes;
use crate::state::Machine;
use crate::threads::executor::Executor;
use crate::threads::exit;
use crate::waiting::mbarrier_access;
use ordering::Agent;
use program::copies::async_copy::{AsyncCopy, Completion, CopyPart, CopySource, GroupAction, GroupKind, GroupWait};
use program::lanes::lanes_of;
use program::launch::kernel_launch::ThreadId;
use program::multicast::MulticastSignal;
use program::operand::{MachineAddress, Source};
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;
use program::waiting::mbarrier_instruction::{MbarrierMistake, Participation};
use values::Operation;

/// The alignment of bulk copies in bytes.
const BULK_ALIGNMENT: u64 = 16;

/// Begins a copy in each active lane.
pub fn begin_copy(executor: &mut Executor<'_, '_>, copy: &AsyncCopy, active: u32) {
    executor.require_defined(copy.destination.base, active);
    executor.require_defined(copy.bytes, active);
    for lane in lanes_of(active) {
        match pending_copy(executor, copy, lane) {
            Ok(Some(pending)) => begin_pending(executor, copy, pending, lane),
            Ok(None) => {}
            Err(problem) => {
                executor.report(problem, lane);
                complete_failed(executor, copy, lane);
            }
        }
    }
}

/// Lets who waits for a copy that cannot be made go on, so that one mistake is not a second one.
fn complete_failed(executor: &mut Executor<'_, '_>, copy: &AsyncCopy, lane: usize) {
    let Completion::Mbarrier(address) = &copy.completion else { return };
    let bytes = executor.values(copy.bytes)[lane];
    let Some((slot, offset)) = mbarrier_access::mbarrier_place(executor, address, lane) else { return };
    executor.machine.version += 1;
    if let Some(barrier) = executor.machine.ctas[slot].mbarriers.get_mut(&offset) {
        let before = barrier.state();
        if barrier.complete(bytes).is_ok() {
            mbarrier_access::note_mbarrier_change(executor.machine, (slot, offset), before);
        }
    }
}

fn begin_pending(executor: &mut Executor<'_, '_>, copy: &AsyncCopy, pending: PendingCopy, lane: usize) {
    let ranks = copy.multicast.map(|ranks| {
        executor.require_defined(ranks, 1 << lane);
        (executor.values(ranks)[lane] as u32, MulticastSignal::Each)
    });
    push_copy(executor, pending, ranks);
}

/// Adds a copy to those that are under way; to the CTAs with some ranks, if there are some.
pub fn push_copy(executor: &mut Executor<'_, '_>, pending: PendingCopy, multicast: Option<(u32, MulticastSignal)>) {
    let Some((ranks, signal)) = multicast else {
        chosen_reductions::note_reduction(executor.machine, &pending);
        executor.machine.copies.push(pending);
        return;
    };
    let cluster = executor.machine.ctas[executor.warp.cta].cluster;
    let ctas = executor.machine.clusters[cluster].ctas.clone();
    for (rank, slot) in ctas.iter().enumerate().filter(|(rank, _)| ranks >> rank & 1 == 1) {
        let mut one = pending.clone();
        if let MemoryRange::Shared(to, _) = &mut one.destination {
            *to = *slot;
        }
        if let Notified::Mbarrier(to, _) = &mut one.notified {
            let of_pair = rank & !1 | executor.machine.ctas[*to].rank as usize & 1;
            let notified = if signal == MulticastSignal::OneOfPair { ctas.get(of_pair) } else { None };
            *to = *notified.unwrap_or(slot);
        }
        chosen_reductions::note_reduction(executor.machine, &one);
        executor.machine.copies.push(one);
    }
}

fn pending_copy(
    executor: &mut Executor<'_, '_>,
    copy: &AsyncCopy,
    lane: usize,
) -> Result<Option<PendingCopy>, ProblemKind> {
    let length = executor.values(copy.bytes)[lane];
    let alignment = match copy.completion {
        Completion::Group => length.max(1),
        Completion::BulkGroup | Completion::Mbarrier(_) => match copy.source {
            CopySource::Registers(_, bytes) => bytes.into(),
            CopySource::Memory { .. } => BULK_ALIGNMENT,
        },
    };
    if alignment == BULK_ALIGNMENT && !matches!(copy.completion, Completion::Group) && !length.is_multiple_of(alignment)
    {
        return Err(ProblemKind::BulkSize { operation: "copy", bytes: length, multiple: alignment });
    }
    let destination = memory_range(executor, &copy.destination, length, alignment, MachineAccessKind::Write, lane)?;
    let part = copied_part(executor, copy.part, lane);
    let data = match (&copy.source, copy.part) {
        (CopySource::Memory { address, .. }, CopyPart::Inner(left, right)) => {
            inner_source(executor, address, length, [left, right], lane)?
        }
        (CopySource::Memory { address, bytes }, _) => {
            let read = bytes.map_or(length, |bytes| executor.values(bytes)[lane].min(length));
            if read == 0 {
                PendingData::Read(vec![0; length as usize], vec![true; length as usize], None)
            } else {
                match memory_range(executor, address, read, alignment, MachineAccessKind::Read, lane) {
                    Ok(source) => PendingData::Unread(source, read as usize),
                    // Zeros are copied: what reads them makes no mistake of its own.
                    Err(problem) => {
                        executor.report(problem, lane);
                        PendingData::Read(vec![0; length as usize], vec![true; length as usize], None)
                    }
                }
            }
        }
        (CopySource::Registers(sources, bytes), _) => register_bytes(executor, sources, *bytes, lane),
    };
    let kind = if matches!(copy.completion, Completion::Group) { GroupKind::Copies } else { GroupKind::Bulk };
    let notified = match &copy.completion {
        Completion::Group | Completion::BulkGroup => {
            Notified::Group(kind, executor.warp.group_numbers(lane).current(kind))
        }
        Completion::Mbarrier(address) => match mbarrier_access::mbarrier_place(executor, address, lane) {
            Some((slot, offset)) => Notified::Mbarrier(slot, offset),
            None => return Ok(None),
        },
    };
    let (thread, place, length) = (executor.thread(lane), executor.place(), length as usize);
    let (begin, reduction) = (executor.begin_copy_clock(lane), copy.reduction);
    // Stores and reductions of registers are not in the list of operations of the async proxy. The cautious reading has them there.
    let proxy = match copy.completion {
        Completion::Group => AccessProxy::Generic,
        Completion::BulkGroup | Completion::Mbarrier(_) => AccessProxy::Async,
    };
    Ok(Some(PendingCopy { thread, place, begin, destination, length, data, reduction, notified, proxy, part }))
}

fn copied_part(executor: &mut Executor<'_, '_>, part: CopyPart, lane: usize) -> CopiedPart {
    let mut value = |source| {
        executor.require_defined(source, 1 << lane);
        executor.values(source)[lane]
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
    executor: &mut Executor<'_, '_>,
    address: &MachineAddress,
    length: u64,
    ends: [Source; 2],
    lane: usize,
) -> Result<PendingData, ProblemKind> {
    let [left, right] = ends.map(|end| ignored(executor.values(end)[lane]));
    let kind = MachineAccessKind::Read;
    let first = executor.address(address, lane);
    if !first.is_multiple_of(BULK_ALIGNMENT) {
        return Err(ProblemKind::Misaligned { access: kind, address: first, size: BULK_ALIGNMENT });
    }
    let read = length.saturating_sub(left + right);
    if read == 0 {
        return Ok(PendingData::Read(Vec::new(), Vec::new(), None));
    }
    let inner = MachineAddress { offset: address.offset.wrapping_add_unsigned(left), ..*address };
    Ok(PendingData::Unread(memory_range(executor, &inner, read, 1, kind, lane)?, read as usize))
}

fn register_bytes(executor: &mut Executor<'_, '_>, sources: &[Source], bytes: u32, lane: usize) -> PendingData {
    let mut data = Vec::new();
    for source in sources {
        executor.require_defined(*source, 1 << lane);
        data.extend_from_slice(&executor.values(*source)[lane].to_le_bytes()[..bytes as usize]);
    }
    let defined = vec![true; data.len()];
    PendingData::Read(data, defined, None)
}

/// The place of a copy's source or destination.
pub fn memory_range(
    executor: &mut Executor<'_, '_>,
    address: &MachineAddress,
    size: u64,
    alignment: u64,
    kind: MachineAccessKind,
    lane: usize,
) -> Result<MemoryRange, ProblemKind> {
    executor.require_defined(address.base, 1 << lane);
    let value = executor.address(address, lane);
    match executor.locate(MachineAccess { space: address.space, address: value, size, kind }, alignment)? {
        MemoryPlace::Global(_) => Ok(MemoryRange::Global(value)),
        MemoryPlace::Shared(slot, offset) => Ok(MemoryRange::Shared(slot, offset)),
        MemoryPlace::Local(_) => {
            Err(ProblemKind::WrongSpace { address: value, expected: "global or shared", found: "local" })
        }
    }
}

/// Ends a group of copies, or waits for groups: the copies end now.
pub fn copy_group(executor: &mut Executor<'_, '_>, GroupWait { kind, action }: GroupWait, active: u32) {
    for lane in lanes_of(active) {
        let thread = executor.thread(lane);
        let current = executor.warp.group_numbers(lane).current(kind);
        match action {
            GroupAction::Commit => executor.warp.group_numbers(lane).commit(kind),
            GroupAction::WaitAll => {
                end_copies_of(executor.machine, thread, kind, current + 1);
                executor.end_groups(kind, action, current + 1, lane);
                // Later copies of the group are not among those that were waited for.
                executor.warp.group_numbers(lane).divide();
            }
            GroupAction::Wait(under_way) => {
                let before = current.saturating_sub(under_way.into());
                end_copies_of(executor.machine, thread, kind, before);
                executor.end_groups(kind, action, before, lane);
            }
            GroupAction::WaitRead(under_way) => {
                let before = current.saturating_sub(under_way.into());
                read_sources_of(executor.machine, thread, kind, before);
                executor.end_groups(kind, action, before, lane);
            }
        }
    }
}

/// Ends the copies that nobody waits for.
pub fn end_copies(machine: &mut Machine<'_>) {
    while !machine.copies.is_empty() && !machine.stopped {
        end_copy(machine, 0);
    }
}

/// Ends the copies of a thread in groups before a number.
pub fn end_copies_of(machine: &mut Machine<'_>, thread: ThreadId, kind: GroupKind, before: u64) {
    while let Some(at) = machine.copies.iter().position(|copy| copy.is_in_group(thread, kind, before)) {
        end_copy(machine, at);
    }
}

/// Reads the sources of the copies of a thread in groups before a number.
fn read_sources_of(machine: &mut Machine<'_>, thread: ThreadId, kind: GroupKind, before: u64) {
    for at in 0..machine.copies.len() {
        if machine.copies[at].is_in_group(thread, kind, before) {
            let copy = machine.copies[at].clone();
            machine.record_source(&copy);
            let (bytes, defined) = data(machine, &copy.data);
            let result = machine.result_in(&copy.data);
            machine.copies[at].data = PendingData::Read(bytes, defined, result);
        }
    }
}

fn data(machine: &Machine<'_>, data: &PendingData) -> (Vec<u8>, Vec<bool>) {
    match data {
        PendingData::Read(bytes, defined, _) => (bytes.clone(), defined.clone()),
        PendingData::Unread(range, length) => read_range(machine, *range, *length),
        PendingData::Gathered(parts) => {
            let mut all = (Vec::new(), Vec::new());
            for part in parts.iter() {
                let (bytes, defined) = match part {
                    GatheredPart::Memory(range, length) => read_range(machine, *range, *length),
                    GatheredPart::Filled(bytes) => (bytes.clone(), vec![true; bytes.len()]),
                };
                all.0.extend(bytes);
                all.1.extend(defined);
            }
            all
        }
    }
}

fn read_range(machine: &Machine<'_>, range: MemoryRange, length: usize) -> (Vec<u8>, Vec<bool>) {
    match range {
        MemoryRange::Global(address) => {
            let place = machine.memory.find(address, length as u64, 0);
            place.map_or_else(Default::default, |place| {
                machine.memory.allocations()[place.allocation].region.read(place.offset, length)
            })
        }
        MemoryRange::Shared(slot, offset) => machine.ctas[slot].shared.read(offset as usize, length),
    }
}

/// The memory of a part of a copy's destination, and the offset in it.
fn written_place<'m>(
    machine: &'m mut Machine<'_>,
    destination: MemoryRange,
    part: PlacedPart,
) -> Option<(&'m mut MemoryBytes, usize)> {
    match destination {
        MemoryRange::Global(address) => {
            let place = machine.memory.find(address + part.to as u64, part.length as u64, 0)?;
            Some((&mut machine.memory.allocation_mut(place.allocation).region, place.offset))
        }
        MemoryRange::Shared(slot, offset) => {
            let (shared, offset) = (&mut machine.ctas[slot].shared, offset as usize + part.to);
            (offset + part.length <= shared.len()).then_some((shared, offset))
        }
    }
}

/// Ends a copy: its data are written, and what waits for it is notified. Returns by whom and in which epoch it has written.
pub fn end_copy(machine: &mut Machine<'_>, at: usize) -> (Agent, u32) {
    if let Notified::ArrivalAfter(kind, group, ..) = machine.copies[at].notified {
        let (thread, part) = (machine.copies[at].thread, machine.copies[at].begin.part);
        let is_earlier = |copy: &PendingCopy| kind != GroupKind::Copies || copy.begin.part <= part;
        let earlier = |copy: &PendingCopy| copy.is_in_group(thread, kind, group + 1) && is_earlier(copy);
        if let Some(first) = machine.copies.iter().position(earlier) {
            return end_copy(machine, first);
        }
    }
    let copy = machine.copies.remove(at);
    machine.record_source(&copy);
    let (mut bytes, mut defined) = data(machine, &copy.data);
    let mut is_filled = true;
    if let CopiedPart::From(offset) = copy.part {
        bytes.splice(0..0, vec![0; offset]);
        defined.splice(0..0, vec![false; offset]);
        is_filled = false;
    }
    bytes.resize(copy.length, 0);
    defined.resize(copy.length, is_filled);
    exit::check_destination(machine, &copy);
    let by = machine.record_copy(&copy);
    match copy.reduction.filter(|_| machine.races.history().is_some()) {
        Some(operation) => chosen_reductions::reduce_messages(machine, &copy, by, &bytes, operation),
        None => write_copied(machine, &copy, &bytes, &defined),
    }
    machine.version += 1;
    machine.note_copied(&copy);
    trace_recorder::trace_copy(machine, &copy);
    debug_view::show_copy(machine, &copy);
    if let Err(mistake) = notify(machine, &copy, by) {
        let address = match copy.notified {
            Notified::Mbarrier(_, offset) | Notified::ArrivalAfter(.., offset) => offset.into(),
            Notified::Group(..) => 0,
        };
        machine.report(ProblemKind::Mbarrier { mistake, address }, copy.thread, copy.place);
    }
    by
}

fn write_copied(machine: &mut Machine<'_>, copy: &PendingCopy, bytes: &[u8], defined: &[bool]) {
    for part in copy.part.parts(copy.length) {
        let Some((region, offset)) = written_place(machine, copy.destination, part) else { continue };
        match copy.reduction {
            Some(operation) => reduce(region, offset, &bytes[part.data()], operation),
            None => region.write(offset, &bytes[part.data()], &defined[part.data()]),
        }
    }
}

fn notify(machine: &mut Machine<'_>, copy: &PendingCopy, by: (Agent, u32)) -> Result<(), MbarrierMistake> {
    let (slot, offset) = match copy.notified {
        Notified::Group(..) => return Ok(()),
        Notified::Mbarrier(slot, offset) | Notified::ArrivalAfter(.., slot, offset) => (slot, offset),
    };
    if machine.explored.clock.is_some() {
        machine.races.begin_arrival_of_copy(&copy.begin.clock, by, (slot, offset));
    }
    let barrier = machine.ctas[slot].mbarriers.get_mut(&offset).ok_or(MbarrierMistake::NotInitialized)?;
    let before = barrier.state();
    match copy.notified {
        Notified::ArrivalAfter(..) => barrier.arrive(1, Participation::Continues)?,
        _ => barrier.complete(copy.length as u64)?,
    }
    mbarrier_access::note_mbarrier_change(machine, (slot, offset), before);
    Ok(())
}

/// The bytes that a copy ignores at an end: the lower bits of a value.
const fn ignored(value: u64) -> u64 {
    value % BULK_ALIGNMENT
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
