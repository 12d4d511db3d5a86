//! Plain loads and stores of lanes that access consecutive elements, or all the same one, as one access.
//!
//! The effects are those of the lanes one by one. What is not plain, out of bounds or undefined is left to them.

use crate::memory::global::{AllocationKind, GlobalPlace};
use crate::memory::locate::{MemoryPlace, RANK_SHIFT};
use crate::memory::region::MemoryBytes;
use crate::recording::recorded_access::RecordedAccess;
use crate::threads::executor::Executor;
use crate::threads::warp::Polled;
use isa::types::Sem;
use ordering::shadow::coalesced_rows;
use ordering::summary::warp_accesses;
use ordering::{CheckedAccess, LaneOrder, WORD, WriteEffect};
use program::lanes::{LaneValues, lanes_of};
use program::machine_program::{Load, Store};
use program::memory::location::RacedMemory;
use program::operand::{AccessOrder, MachineAddress, MemorySpace};
use program::problem::MachineAccessKind;
use program::proxy::AccessProxy;

/// The accesses of lanes to places at the same distance from each other.
#[derive(Clone, Copy, Debug)]
pub struct LaneRange {
    /// The place and the address of the lane with the lowest one.
    place: MemoryPlace,
    address: u64,
    order: RangeOrder,
    /// The size of an access in bytes.
    size: usize,
    lanes: u32,
}

/// In which order lanes access the elements of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RangeOrder {
    /// All access the same one.
    Same,
    /// Each its own, in this order.
    Each(LaneOrder),
}

/// The first of some lanes.
const fn first_lane(lanes: u32) -> usize {
    lanes.trailing_zeros() as usize
}

/// The last of some lanes.
const fn last_lane(lanes: u32) -> usize {
    31 - lanes.leading_zeros() as usize
}

impl LaneRange {
    /// The bytes from the first to the last.
    const fn length(&self) -> usize {
        let span = last_lane(self.lanes) - first_lane(self.lanes);
        match self.order {
            RangeOrder::Same => self.size,
            RangeOrder::Each(_) => span * self.size + self.size,
        }
    }

    /// The bytes between the place of the range and that of a lane.
    const fn distance(&self, lane: usize) -> usize {
        match self.order {
            RangeOrder::Same => 0,
            RangeOrder::Each(LaneOrder::Ascending) => (lane - first_lane(self.lanes)) * self.size,
            RangeOrder::Each(LaneOrder::Descending) => (last_lane(self.lanes) - lane) * self.size,
        }
    }

    /// The access of the first lane.
    const fn common(&self, element: u32, kind: MachineAccessKind, order: AccessOrder) -> RecordedAccess {
        let (count, effect) = (self.size as u32 / element, WriteEffect::None);
        let proxy = AccessProxy::Generic;
        RecordedAccess { place: self.place, address: self.address, element, count, kind, order, effect, proxy }
    }

    /// The access of a lane, by what is common to all.
    fn of_lane(&self, common: &RecordedAccess, lane: usize, changed: u32) -> RecordedAccess {
        let distance = self.distance(lane);
        let place = match self.place {
            MemoryPlace::Global(place) => MemoryPlace::Global(GlobalPlace { offset: place.offset + distance, ..place }),
            MemoryPlace::Shared(slot, offset) => MemoryPlace::Shared(slot, offset + distance as u32),
            MemoryPlace::Local(offset) => MemoryPlace::Local(offset),
        };
        RecordedAccess { place, address: self.address + distance as u64, effect: effect(changed, lane), ..*common }
    }
}

/// The order in which lanes access consecutive elements; `None` if they are not, or several lanes write the same one.
#[inline]
fn range_order(base: &LaneValues, size: usize, lanes: u32, kind: MachineAccessKind) -> Option<RangeOrder> {
    let (first, last) = (first_lane(lanes), last_lane(lanes));
    let step = match base[last].wrapping_sub(base[first]) {
        0 if kind == MachineAccessKind::Read || first == last => 0,
        distance if (distance as i64) < 0 => (size as u64).wrapping_neg(),
        _ => size as u64,
    };
    let start = base[first].wrapping_sub(step.wrapping_mul(first as u64));
    let is_regular = if lanes == u32::MAX {
        // Without branches, for vector instructions of the host.
        let same = |(value, lane): (&u64, u64)| *value == start.wrapping_add(lane.wrapping_mul(step));
        base.iter().zip(0_u64..).fold(true, |all, one| all & same(one))
    } else {
        lanes_of(lanes).all(|lane| base[lane] == start.wrapping_add((lane as u64).wrapping_mul(step)))
    };
    is_regular.then_some(match step {
        0 => RangeOrder::Same,
        step if step == size as u64 => RangeOrder::Each(LaneOrder::Ascending),
        _ => RangeOrder::Each(LaneOrder::Descending),
    })
}

/// What the write of a lane does, by a mask of the lanes that change memory.
const fn effect(changed: u32, lane: usize) -> WriteEffect {
    if changed >> lane & 1 == 1 { WriteEffect::Changes } else { WriteEffect::None }
}

/// The range of an access, if it is regular and nothing can be wrong with it.
#[inline]
fn lane_range(
    executor: &mut Executor<'_, '_>,
    address: &MachineAddress,
    size: usize,
    lanes: u32,
    kind: MachineAccessKind,
) -> Option<LaneRange> {
    let races = &executor.machine.races;
    if executor.is_tracing
        || executor.machine.observer.0.is_some()
        || races.history().is_some()
        || races.has_surface_stores()
    {
        return None;
    }
    let base = executor.values(address.base);
    let order = range_order(base, size, lanes, kind)?;
    let lowest = if order == RangeOrder::Each(LaneOrder::Descending) { last_lane(lanes) } else { first_lane(lanes) };
    let lowest_address = address.of(base[lowest]);
    if !lowest_address.is_multiple_of(size as u64) {
        return None;
    }
    let mut range = LaneRange { place: MemoryPlace::Local(0), address: lowest_address, order, size, lanes };
    range.place = plain_place(executor, address.space, &range, kind)?;
    Some(range)
}

/// The place of a range that is in bounds of one memory.
fn plain_place(
    executor: &mut Executor<'_, '_>,
    space: MemorySpace,
    range: &LaneRange,
    kind: MachineAccessKind,
) -> Option<MemoryPlace> {
    let (address, length) = (range.address, range.length() as u64);
    let shared = match space {
        MemorySpace::SharedCta | MemorySpace::SharedCluster => Some(address),
        MemorySpace::Generic => match executor.addresses().window(address) {
            MemorySpace::SharedCluster => Some(executor.addresses().shared_address(address)),
            _ => None,
        },
        _ => None,
    };
    if let Some(offset) = shared {
        let slot = executor.warp.cta;
        let is_own = offset >> RANK_SHIFT == 0;
        let fits = is_own && offset + length <= executor.machine.ctas[slot].shared.len() as u64;
        return fits.then_some(MemoryPlace::Shared(slot, offset as u32));
    }
    let address = match space {
        MemorySpace::Global | MemorySpace::Constant | MemorySpace::Generic => address,
        MemorySpace::Parameter => address.wrapping_add(executor.machine.parameters_of(executor.warp.cta)),
        _ => return None,
    };
    let place = executor.machine.memory.find(address, length, executor.hint)?;
    let kind_of_memory = executor.machine.memory.allocations()[place.allocation].kind;
    let is_plain = match kind_of_memory {
        AllocationKind::Freed => false,
        AllocationKind::Constant | AllocationKind::Parameters => kind == MachineAccessKind::Read,
        AllocationKind::Buffer | AllocationKind::Variable | AllocationKind::Heap => true,
    };
    executor.hint = place.allocation;
    is_plain.then_some(MemoryPlace::Global(place))
}

/// Executes a load for all lanes at once, if that is possible.
#[inline]
pub fn load_together(executor: &mut Executor<'_, '_>, load: &Load, lanes: u32) -> bool {
    let (element, size) = (load.element_bytes as usize, load.element_bytes as usize * load.elements.len());
    if load.order.sem != Sem::Weak || !size.is_power_of_two() || !executor.machine.unknown.is_empty() {
        return false;
    }
    let Some(range) = lane_range(executor, &load.address, size, lanes, MachineAccessKind::Read) else { return false };
    let region = match range.place {
        MemoryPlace::Global(place)
            if load.proxy == AccessProxy::NonCoherent && executor.machine.races.is_written(place.allocation) =>
        {
            return false;
        }
        MemoryPlace::Global(place) => &executor.machine.memory.allocations()[place.allocation].region,
        MemoryPlace::Shared(slot, _) => &executor.machine.ctas[slot].shared,
        MemoryPlace::Local(_) => return false,
    };
    let start = offset(range.place);
    if !region.is_range_defined(start, range.length()) {
        return false;
    }
    let bytes = &region.bytes()[start..start + range.length()];
    for (number, destination) in load.elements.iter().enumerate() {
        let Some(destination) = *destination else { continue };
        let register = &mut executor.frame.registers[destination.slot as usize];
        for lane in lanes_of(lanes) {
            let at = range.distance(lane) + number * element;
            let value = MemoryBytes::value(&bytes[at..at + element]);
            register[lane] = load.extension.extend(value, load.element_bytes) & destination.mask;
        }
        executor.frame.defined[destination.slot as usize] |= lanes;
    }
    if load.address.space.may_change() {
        executor.warp.polled = Some(Polled::Memory(range.address + range.distance(last_lane(lanes)) as u64));
    }
    let (kind, element, order) = (MachineAccessKind::Read, load.element_bytes, load.order);
    record_together(executor, &range, range.common(element, kind, order), 0);
    true
}

/// Executes a store for all lanes at once, if that is possible.
#[inline]
pub fn store_together(executor: &mut Executor<'_, '_>, store: &Store, lanes: u32) -> bool {
    let (element, size) = (store.element_bytes as usize, store.element_bytes as usize * store.elements.len());
    let is_defined = store.elements.iter().all(|source| executor.defined(*source, lanes) == lanes);
    let is_followed = is_defined && executor.machine.unknown.is_empty();
    if store.order.sem != Sem::Weak || !size.is_power_of_two() || !is_followed {
        return false;
    }
    let Some(range) = lane_range(executor, &store.address, size, lanes, MachineAccessKind::Write) else { return false };
    let start = offset(range.place);
    let mut changed = 0;
    for (number, source) in store.elements.iter().enumerate() {
        let values = match *source {
            program::operand::Source::Register(slot) => &executor.frame.registers[slot as usize],
            program::operand::Source::Constant(at) => &executor.function.constants[at as usize],
        };
        let region = match range.place {
            MemoryPlace::Global(place) => &mut executor.machine.memory.allocation_mut(place.allocation).region,
            MemoryPlace::Shared(slot, _) => &mut executor.machine.ctas[slot].shared,
            MemoryPlace::Local(_) => return false,
        };
        for lane in lanes_of(lanes) {
            let at = start + range.distance(lane) + number * element;
            changed |= u32::from(region.exchange(at, element, values[lane])) << lane;
        }
    }
    executor.machine.version += u64::from(changed != 0);
    let (kind, element, order) = (MachineAccessKind::Write, store.element_bytes, store.order);
    record_together(executor, &range, range.common(element, kind, order), changed);
    true
}

/// Checks the accesses of a range for races; `changed` are the lanes that change the value in memory.
fn record_together(executor: &mut Executor<'_, '_>, range: &LaneRange, common: RecordedAccess, changed: u32) {
    let Some((region, offset)) = range.place.raced() else { return };
    if let RacedMemory::Global(allocation) = region {
        let allocation = &executor.machine.memory.allocations()[allocation];
        if matches!(allocation.kind, AllocationKind::Constant | AllocationKind::Parameters) {
            return;
        }
    }
    if !executor.machine.races.keeps_all() {
        return summarize_together(executor, range, &common, (region, offset));
    }
    let order = match range.order {
        RangeOrder::Each(order) => Some(order),
        RangeOrder::Same => range.lanes.is_power_of_two().then_some(LaneOrder::Ascending),
    };
    let Some(order) = order.filter(|_| range.size >= WORD) else {
        for lane in lanes_of(range.lanes) {
            executor.record(range.of_lane(&common, lane, changed), lane);
        }
        return;
    };
    let RecordedAccess { element, kind, effect: no_effect, .. } = common;
    let place = executor.place();
    let all = CheckedAccess {
        region,
        offset,
        bytes: range.size,
        element,
        kind,
        scope: None,
        place,
        effect: no_effect,
        proxy: AccessProxy::Generic,
    };
    let warp = executor.agent(0).warp;
    for (lane, other) in coalesced_rows::access_together(&mut executor.machine.races, warp, (range.lanes, order), &all)
    {
        let address = range.address + range.distance(lane) as u64;
        let one = CheckedAccess { offset: offset + range.distance(lane), effect: effect(changed, lane), ..all };
        let thread = executor.thread(lane);
        executor.machine.report_race(&one, address, thread, other);
    }
}

/// The same where only summaries are kept.
fn summarize_together(
    executor: &mut Executor<'_, '_>,
    range: &LaneRange,
    common: &RecordedAccess,
    (region, offset): (RacedMemory, usize),
) {
    if !executor.machine.races.keeps_order() {
        return;
    }
    let RecordedAccess { element, kind, effect, proxy, .. } = *common;
    let (bytes, place) = (range.size, executor.place());
    let first = offset + range.distance(first_lane(range.lanes));
    let access = CheckedAccess { region, offset: first, bytes, element, kind, scope: None, place, effect, proxy };
    let step = match range.order {
        RangeOrder::Same if !range.lanes.is_power_of_two() => 0,
        RangeOrder::Same | RangeOrder::Each(LaneOrder::Ascending) => range.size as isize,
        RangeOrder::Each(LaneOrder::Descending) => -(range.size as isize),
    };
    let warp = executor.agent(0).warp;
    warp_accesses::note_range(&mut executor.machine.races, warp, (range.lanes, step), &access);
    executor.stop_in_doubt();
}

const fn offset(place: MemoryPlace) -> usize {
    match place {
        MemoryPlace::Global(place) => place.offset,
        MemoryPlace::Shared(_, offset) | MemoryPlace::Local(offset) => offset as usize,
    }
}
