//! Accesses of lanes to places of one memory that nothing is wrong with.
//!
//! The effects are those of the lanes one by one. What is out of bounds, undefined or observed is left to them.

use crate::memory::global::{AllocationKind, GlobalPlace};
use crate::memory::locate::MemoryPlace;
use crate::memory::region::MemoryBytes;
use crate::recording::recorded_access::RecordedAccess;
use crate::threads::executor::Executor;
use crate::threads::warp::Polled;
use isa::types::{Op, Sem};
use ordering::accesses;
use ordering::shadow::warp_reads;
use ordering::summary::warp_accesses;
use ordering::{AccessOffsets, Agent, CheckedAccess, WORD, WriteEffect};
use program::lanes::{LaneValues, WARP_SIZE, lanes_of};
use program::machine_program::{Atomic, Extension, Load, Store};
use program::memory::location::RacedMemory;
use program::operand::{MachineAddress, MemorySpace, Source};
use program::problem::MachineAccessKind;
use program::proxy::AccessProxy;
use values::ops::Operation;
use values::value::low_bits;

/// Smaller memory is in the caches of the host.
const LARGE: usize = 1 << 18;

/// Where lanes access a memory.
#[derive(Debug)]
struct LanePlaces {
    memory: RacedMemory,
    /// The address of its first byte.
    origin: u64,
    offsets: AccessOffsets,
    lanes: u32,
    /// Whether others may write it.
    may_change: bool,
}

impl LanePlaces {
    fn place(&self, lane: usize) -> MemoryPlace {
        let offset = self.offsets[lane];
        match self.memory {
            RacedMemory::Global(allocation) => MemoryPlace::Global(GlobalPlace { allocation, offset }),
            RacedMemory::Shared(slot) => MemoryPlace::Shared(slot, offset as u32),
        }
    }

    fn address(&self, lane: usize) -> u64 {
        self.origin + self.offsets[lane] as u64
    }

    const fn last_lane(&self) -> usize {
        31 - self.lanes.leading_zeros() as usize
    }
}

/// Whether each access is looked at on its own: it is traced, observed, or depends on what is not known.
fn is_followed(executor: &Executor<'_, '_>) -> bool {
    executor.is_tracing
        || executor.machine.observer.0.is_some()
        || executor.machine.races.history().is_some()
        || !executor.machine.unknown.is_empty()
}

/// Executes a load of some lanes, if that is possible.
#[inline]
pub fn load_scattered(executor: &mut Executor<'_, '_>, load: &Load, lanes: u32) -> bool {
    let size = load.element_bytes as usize * load.elements.len();
    if is_followed(executor) || load.order.sem != Sem::Weak {
        return false;
    }
    let Some(places) = lane_places(executor, &load.address, (size, MachineAccessKind::Read), lanes) else {
        return false;
    };
    if let RacedMemory::Global(allocation) = places.memory
        && load.proxy == AccessProxy::NonCoherent
        && executor.machine.races.is_written(allocation)
    {
        return false;
    }
    let bytes = match places.memory {
        RacedMemory::Global(allocation) => executor.machine.memory.allocations()[allocation].region.bytes(),
        RacedMemory::Shared(slot) => executor.machine.ctas[slot].shared.bytes(),
    };
    for (part, destination) in load.elements.iter().enumerate() {
        let Some(destination) = *destination else { continue };
        let register = &mut executor.frame.registers[destination.slot as usize];
        read_lanes(bytes, (load, part), (&places.offsets, lanes), register);
        for lane in lanes_of(lanes).filter(|_| destination.mask != u64::MAX) {
            register[lane] &= destination.mask;
        }
        executor.frame.defined[destination.slot as usize] |= lanes;
    }
    if load.address.space.may_change() {
        executor.warp.polled = Some(Polled::Memory(places.address(places.last_lane())));
    }
    record_reads(executor, load, &places);
    true
}

/// Executes a store of some lanes, if that is possible.
#[inline]
pub fn store_scattered(executor: &mut Executor<'_, '_>, store: &Store, lanes: u32) -> bool {
    let (element, size) = (store.element_bytes as usize, store.element_bytes as usize * store.elements.len());
    let is_defined = store.elements.iter().all(|source| executor.defined(*source, lanes) == lanes);
    if is_followed(executor) || store.order.sem != Sem::Weak || !is_defined {
        return false;
    }
    let Some(places) = lane_places(executor, &store.address, (size, MachineAccessKind::Write), lanes) else {
        return false;
    };
    let mut changed = 0;
    for lane in lanes_of(lanes) {
        for (number, source) in store.elements.iter().enumerate() {
            let value = executor.values(*source)[lane];
            let region = executor.machine.region_mut(places.memory);
            changed |= u32::from(region.exchange(places.offsets[lane] + number * element, element, value)) << lane;
        }
    }
    executor.machine.version += u64::from(changed.count_ones());
    let (count, order, proxy) = (store.elements.len() as u32, store.order, AccessProxy::Generic);
    let of_lane = |lane: usize| {
        let effect = if changed >> lane & 1 == 1 { WriteEffect::Changes } else { WriteEffect::None };
        let (place, address, kind) = (places.place(lane), places.address(lane), MachineAccessKind::Write);
        RecordedAccess { place, address, element: store.element_bytes, count, kind, order, effect, proxy }
    };
    record_lanes(executor, &places, of_lane);
    true
}

/// Executes an atomic in some lanes, one after another, if that is possible.
pub fn update_scattered(executor: &mut Executor<'_, '_>, atomic: &Atomic, lanes: u32) -> bool {
    let shape = atomic.shape();
    let is_small = shape.elements() == 1 && matches!(shape.bytes(), 4 | 8) && shape.bytes() * 8 == atomic.part_bits;
    if !is_small || is_followed(executor) || executor.is_watching {
        return false;
    }
    let size = shape.bytes() as usize;
    let Some(places) = lane_places(executor, &atomic.address, (size, MachineAccessKind::Atomic), lanes) else {
        return false;
    };
    let operation = match places.memory {
        RacedMemory::Global(_) => Some(atomic.in_global),
        RacedMemory::Shared(_) => atomic.in_shared,
    };
    let Some(operation) = operation else { return false };
    let effect = executor.atomic_effect(atomic, places.place(lanes.trailing_zeros() as usize));
    let is_combined = matches!(places.memory, RacedMemory::Global(_)) && executor.notes_commutative();
    let mask = low_bits(atomic.part_bits) as u64;
    let operand = |parts: &[Source]| {
        let mut values = parts.first().map_or([0; WARP_SIZE as usize], |part| *executor.values(*part));
        values.iter_mut().for_each(|value| *value &= mask);
        values
    };
    let operands = [operand(&atomic.b), operand(&atomic.c)];
    let region = executor.machine.region_mut(places.memory);
    let Updates { found, failed, changed } = update_lanes(region, operation, &places, &operands);
    executor.machine.version += u64::from(if is_combined { lanes } else { changed }.count_ones());
    if let Some(Some(destination)) = atomic.destination.first() {
        executor.frame.set(*destination, &found, lanes);
    }
    executor.warp.polled = Some(Polled::Memory(places.address(places.last_lane())));
    let (element, order, proxy) = (shape.bytes(), atomic.order, AccessProxy::Generic);
    let of_lane = |lane: usize| {
        let kind = if failed >> lane & 1 == 1 { MachineAccessKind::Read } else { MachineAccessKind::Atomic };
        let (place, address) = (places.place(lane), places.address(lane));
        RecordedAccess { place, address, element, count: 1, kind, order, effect, proxy }
    };
    record_lanes(executor, &places, of_lane);
    true
}

/// What lanes have done to memory, one after another.
struct Updates {
    /// What each has found.
    found: LaneValues,
    /// The lanes whose comparison has failed.
    failed: u32,
    /// Those that have changed a value.
    changed: u32,
}

fn update_lanes(
    region: &mut MemoryBytes,
    operation: Operation,
    places: &LanePlaces,
    [b, c]: &[LaneValues; 2],
) -> Updates {
    let size = operation.shape().bytes();
    let is_comparison = operation.op() == Op::Cas;
    let mut updates = Updates { found: [0; WARP_SIZE as usize], failed: 0, changed: 0 };
    for lane in lanes_of(places.lanes) {
        let old = region.load(places.offsets[lane], size);
        updates.found[lane] = old;
        if is_comparison && old != b[lane] {
            updates.failed |= 1 << lane;
            continue;
        }
        let new = operation.apply(old.into(), b[lane].into(), c[lane].into()) as u64;
        updates.changed |= u32::from(old != new) << lane;
        region.store(places.offsets[lane], size, new);
    }
    updates
}

/// The memory that all lanes access, and where, if nothing is wrong with any of them.
#[inline]
fn lane_places(
    executor: &mut Executor<'_, '_>,
    address: &MachineAddress,
    (size, kind): (usize, MachineAccessKind),
    lanes: u32,
) -> Option<LanePlaces> {
    let first = address.of(executor.values(address.base)[lanes.trailing_zeros() as usize]);
    let (memory, origin, may_change) = memory_of(executor, (address.space, first), size as u64)?;
    let base = executor.values(address.base);
    let region = match memory {
        RacedMemory::Global(allocation) => &executor.machine.memory.allocations()[allocation].region,
        RacedMemory::Shared(slot) => &executor.machine.ctas[slot].shared,
    };
    if !may_change && kind != MachineAccessKind::Read || !size.is_power_of_two() {
        return None;
    }
    let last = (region.len() as u64).checked_sub(size as u64)?;
    let mut places = LanePlaces { memory, origin, offsets: [0; WARP_SIZE as usize], lanes, may_change };
    let mut is_right = true;
    let mut offset = |lane: usize| {
        let address = address.of(base[lane]);
        let offset = address.wrapping_sub(origin);
        is_right &= (offset <= last) & (address & (size as u64 - 1) == 0);
        offset as usize
    };
    // Without branches: the lanes do not wait for each other.
    if lanes == u32::MAX {
        for lane in 0..WARP_SIZE as usize {
            places.offsets[lane] = offset(lane);
        }
    } else {
        for lane in lanes_of(lanes) {
            places.offsets[lane] = offset(lane);
        }
    }
    let is_defined = |lane: usize| region.is_defined(places.offsets[lane], size);
    let needs_values = kind != MachineAccessKind::Write && !region.is_always_defined();
    let is_right = is_right && (!needs_values || lanes_of(lanes).all(is_defined));
    is_right.then_some(places)
}

/// The memory at an address, the address of its first byte, and whether kernels may write it.
fn memory_of(
    executor: &mut Executor<'_, '_>,
    (space, address): (MemorySpace, u64),
    size: u64,
) -> Option<(RacedMemory, u64, bool)> {
    let shared = match space {
        MemorySpace::SharedCta | MemorySpace::SharedCluster => Some(address),
        MemorySpace::Generic if executor.addresses().window(address) == MemorySpace::SharedCluster => {
            Some(executor.addresses().shared_address(address))
        }
        _ => None,
    };
    if let Some(offset) = shared {
        return Some((RacedMemory::Shared(executor.warp.cta), address.wrapping_sub(offset), true));
    }
    if !matches!(space, MemorySpace::Global | MemorySpace::Generic | MemorySpace::Constant) {
        return None;
    }
    let number = executor.machine.memory.find(address, size, executor.hint)?.allocation;
    let allocation = &executor.machine.memory.allocations()[number];
    let may_change = match allocation.kind {
        AllocationKind::Buffer | AllocationKind::Variable | AllocationKind::Heap => true,
        AllocationKind::Constant | AllocationKind::Parameters => false,
        AllocationKind::Freed => return None,
    };
    let origin = allocation.address;
    executor.hint = number;
    Some((RacedMemory::Global(number), origin, may_change))
}

/// Reads what is remembered of the memory that lanes access one by one, so that the host waits for all of it at once.
fn prefetch(executor: &Executor<'_, '_>, allocation: usize, offsets: &AccessOffsets, lanes: u32) {
    let Some(shadow) = executor.machine.races.of_global(allocation).filter(|_| !lanes.is_power_of_two()) else {
        return;
    };
    let read = lanes_of(lanes).fold(0, |all, lane| all ^ shadow.prefetch(offsets[lane] / WORD));
    std::hint::black_box(read);
}

/// Checks accesses of lanes for races, of which only the place and the effect differ.
fn record_lanes(executor: &mut Executor<'_, '_>, places: &LanePlaces, of_lane: impl Fn(usize) -> RecordedAccess) {
    if executor.machine.races.keeps_all() {
        lanes_of(places.lanes).for_each(|lane| executor.record(of_lane(lane), lane));
        return;
    }
    let first = of_lane(places.lanes.trailing_zeros() as usize);
    let RecordedAccess { element, count, kind, order, effect, proxy, .. } = first;
    let all = CheckedAccess {
        region: places.memory,
        offset: 0,
        bytes: (element * count) as usize,
        element,
        // One that fails may be followed by one that does not.
        kind: if order.sem == Sem::Weak { kind } else { MachineAccessKind::Atomic },
        scope: order.strong_scope(),
        place: executor.place(),
        effect,
        proxy,
    };
    let warp = executor.agent(0).warp;
    warp_accesses::note_lanes(&mut executor.machine.races, warp, &all, &places.offsets, places.lanes);
    executor.stop_in_doubt();
}

/// Checks the reads of lanes for races.
fn record_reads(executor: &mut Executor<'_, '_>, load: &Load, places: &LanePlaces) {
    let (kind, order, effect) = (MachineAccessKind::Read, load.order, WriteEffect::None);
    let (element, count, proxy) = (load.element_bytes, load.elements.len() as u32, load.proxy);
    let allocation = match places.memory {
        _ if !places.may_change => return,
        RacedMemory::Global(allocation) if executor.machine.races.keeps_all() => allocation,
        _ => {
            return record_lanes(executor, places, |lane| {
                let (place, address) = (places.place(lane), places.address(lane));
                RecordedAccess { place, address, element, count, kind, order, effect, proxy }
            });
        }
    };
    let bytes = (element * count) as usize;
    let (region, place) = (places.memory, executor.place());
    let all = CheckedAccess { region, offset: 0, bytes, element, kind, scope: None, place, effect, proxy };
    let first = executor.agent(0);
    let left = warp_reads::note_reads(&mut executor.machine.races, first.warp, &all, &places.offsets, places.lanes);
    if executor.machine.memory.allocations()[allocation].region.len() >= LARGE && left != 0 {
        prefetch(executor, allocation, &places.offsets, left);
    }
    for lane in lanes_of(left) {
        let one = CheckedAccess { offset: places.offsets[lane], ..all };
        if let Some(other) =
            accesses::access_now(&mut executor.machine.races, Agent { lane: lane as u32, ..first }, &one)
        {
            let thread = executor.thread(lane);
            executor.machine.report_race(&one, places.address(lane), thread, other);
        }
    }
}

/// Reads an element of some lanes.
fn read_lanes(
    bytes: &[u8],
    (load, part): (&Load, usize),
    (offsets, lanes): (&AccessOffsets, u32),
    to: &mut LaneValues,
) {
    let (size, at) = (load.element_bytes as usize, part * load.element_bytes as usize);
    if size == 4 && lanes == u32::MAX && load.extension == Extension::Zero {
        for lane in 0..WARP_SIZE as usize {
            to[lane] = MemoryBytes::value(&bytes[offsets[lane] + at..][..4]);
        }
        return;
    }
    for lane in lanes_of(lanes) {
        let value = MemoryBytes::value(&bytes[offsets[lane] + at..][..size]);
        to[lane] = load.extension.extend(value, load.element_bytes);
    }
}
