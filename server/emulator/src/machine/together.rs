//! Plain loads and stores of lanes that access consecutive elements, or all the same one, as one access.
//!
//! The effects are those of the lanes one by one. What is not plain, out of bounds or undefined is left to them.

use super::execute::Executor;
use super::global::{AllocationKind, GlobalPlace};
use super::lanes::lanes_of;
use super::locate::{MemoryPlace, RANK_SHIFT};
use super::operand::{AccessOrder, MachineAddress, MemorySpace};
use super::ordering::RecordedAccess;
use super::problem::MachineAccessKind;
use super::program::{Extension, Load, Store};
use super::proxy::AccessProxy;
use super::races::{CheckedAccess, RacedMemory, WORD, WriteEffect};
use super::region::MemoryBytes;
use super::warp::Polled;
use isa::types::Sem;

/// The accesses of lanes to places at the same distance from each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneRange {
    /// The place and the address of the first lane.
    place: MemoryPlace,
    address: u64,
    first_lane: usize,
    /// The bytes between the places of two lanes: 0 or the size of the access.
    stride: usize,
    /// The size of an access in bytes.
    size: usize,
    lanes: u32,
}

impl LaneRange {
    /// The bytes from the first to the last.
    const fn length(&self) -> usize {
        (31 - self.lanes.leading_zeros() as usize - self.first_lane) * self.stride + self.size
    }

    const fn distance(&self, lane: usize) -> usize {
        (lane - self.first_lane) * self.stride
    }

    /// The access of the first lane.
    const fn common(&self, element: u32, kind: MachineAccessKind, order: AccessOrder) -> RecordedAccess {
        let (count, effect) = (self.size as u32 / element, WriteEffect::None);
        RecordedAccess { place: self.place, address: self.address, element, count, kind, order, effect }
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

/// What the write of a lane does, by a mask of the lanes that change memory.
const fn effect(changed: u32, lane: usize) -> WriteEffect {
    if changed >> lane & 1 == 1 { WriteEffect::Changes } else { WriteEffect::None }
}

impl Executor<'_, '_> {
    /// The range of an access, if it is regular and nothing can be wrong with it.
    #[inline]
    fn lane_range(
        &mut self,
        address: &MachineAddress,
        size: usize,
        lanes: u32,
        kind: MachineAccessKind,
    ) -> Option<LaneRange> {
        if self.is_tracing || self.machine.observer.0.is_some() || self.machine.races.history().is_some() {
            return None;
        }
        let base = self.values(address.base);
        let first_lane = lanes.trailing_zeros() as usize;
        let last_lane = 31 - lanes.leading_zeros() as usize;
        let first = base[first_lane];
        let stride = match base[last_lane].wrapping_sub(first) {
            0 if kind == MachineAccessKind::Read || first_lane == last_lane => 0,
            _ => size,
        };
        let is_regular = |lane: usize| base[lane] == first.wrapping_add(((lane - first_lane) * stride) as u64);
        let regular = if lanes == u32::MAX {
            // Without branches, for vector instructions of the host.
            base.iter()
                .zip(0_u64..)
                .fold(true, |all, (value, lane)| all & (*value == first.wrapping_add(lane * stride as u64)))
        } else {
            lanes_of(lanes).all(is_regular)
        };
        if !regular {
            return None;
        }
        let address_of_first = address.of(first);
        if !address_of_first.is_multiple_of(size as u64) {
            return None;
        }
        let mut range =
            LaneRange { place: MemoryPlace::Local(0), address: address_of_first, first_lane, stride, size, lanes };
        range.place = self.plain_place(address.space, &range, kind)?;
        Some(range)
    }

    /// The place of a range that is in bounds of one memory.
    fn plain_place(&mut self, space: MemorySpace, range: &LaneRange, kind: MachineAccessKind) -> Option<MemoryPlace> {
        let (address, length) = (range.address, range.length() as u64);
        let shared = match space {
            MemorySpace::SharedCta | MemorySpace::SharedCluster => Some(address),
            MemorySpace::Generic => match self.addresses().window(address) {
                MemorySpace::SharedCluster => Some(self.addresses().shared_address(address)),
                _ => None,
            },
            _ => None,
        };
        if let Some(offset) = shared {
            let slot = self.warp.cta;
            let is_own = offset >> RANK_SHIFT == 0;
            let fits = is_own && offset + length <= self.machine.ctas[slot].shared.len() as u64;
            return fits.then_some(MemoryPlace::Shared(slot, offset as u32));
        }
        let address = match space {
            MemorySpace::Global | MemorySpace::Constant | MemorySpace::Generic => address,
            MemorySpace::Parameter => address + self.machine.parameters,
            _ => return None,
        };
        let place = self.machine.memory.find(address, length, self.hint)?;
        let kind_of_memory = self.machine.memory.allocations()[place.allocation].kind;
        let is_plain = match kind_of_memory {
            AllocationKind::Freed => false,
            AllocationKind::Constant | AllocationKind::Parameters => kind == MachineAccessKind::Read,
            AllocationKind::Buffer | AllocationKind::Variable | AllocationKind::Heap => true,
        };
        self.hint = place.allocation;
        is_plain.then_some(MemoryPlace::Global(place))
    }

    /// Executes a load for all lanes at once, if that is possible.
    #[inline]
    pub fn load_together(&mut self, load: &Load, lanes: u32) -> bool {
        let (element, size) = (load.element_bytes as usize, load.element_bytes as usize * load.elements.len());
        if load.order.sem != Sem::Weak || !size.is_power_of_two() {
            return false;
        }
        let Some(range) = self.lane_range(&load.address, size, lanes, MachineAccessKind::Read) else { return false };
        let region = match range.place {
            MemoryPlace::Global(place) => &self.machine.memory.allocations()[place.allocation].region,
            MemoryPlace::Shared(slot, _) => &self.machine.ctas[slot].shared,
            MemoryPlace::Local(_) => return false,
        };
        let start = offset(range.place);
        if !region.is_range_defined(start, range.length()) {
            return false;
        }
        let bytes = &region.bytes()[start..start + range.length()];
        for (number, destination) in load.elements.iter().enumerate() {
            let Some(destination) = *destination else { continue };
            let register = &mut self.frame.registers[destination.slot as usize];
            for lane in lanes_of(lanes) {
                let at = range.distance(lane) + number * element;
                let value = MemoryBytes::value(&bytes[at..at + element]);
                let value = match load.extension {
                    Extension::Zero => value,
                    Extension::Sign => super::access::sign_extended(value, load.element_bytes),
                };
                register[lane] = value & destination.mask;
            }
            self.frame.defined[destination.slot as usize] |= lanes;
        }
        let last = 31 - lanes.leading_zeros() as usize;
        if load.address.space.may_change() {
            self.warp.polled = Some(Polled::Memory(range.address + range.distance(last) as u64));
        }
        let (kind, element, order) = (MachineAccessKind::Read, load.element_bytes, load.order);
        self.record_together(&range, range.common(element, kind, order), 0);
        true
    }

    /// Executes a store for all lanes at once, if that is possible.
    #[inline]
    pub fn store_together(&mut self, store: &Store, lanes: u32) -> bool {
        let (element, size) = (store.element_bytes as usize, store.element_bytes as usize * store.elements.len());
        let is_defined = store.elements.iter().all(|source| self.defined(*source, lanes) == lanes);
        if store.order.sem != Sem::Weak || !size.is_power_of_two() || !is_defined {
            return false;
        }
        let Some(range) = self.lane_range(&store.address, size, lanes, MachineAccessKind::Write) else { return false };
        let start = offset(range.place);
        let mut changed = 0;
        for (number, source) in store.elements.iter().enumerate() {
            let values = match *source {
                super::operand::Source::Register(slot) => &self.frame.registers[slot as usize],
                super::operand::Source::Constant(at) => &self.function.constants[at as usize],
            };
            let region = match range.place {
                MemoryPlace::Global(place) => &mut self.machine.memory.allocation_mut(place.allocation).region,
                MemoryPlace::Shared(slot, _) => &mut self.machine.ctas[slot].shared,
                MemoryPlace::Local(_) => return false,
            };
            for lane in lanes_of(lanes) {
                let at = start + range.distance(lane) + number * element;
                changed |= u32::from(region.exchange(at, element, values[lane])) << lane;
            }
        }
        self.machine.version += u64::from(changed != 0);
        let (kind, element, order) = (MachineAccessKind::Write, store.element_bytes, store.order);
        self.record_together(&range, range.common(element, kind, order), changed);
        true
    }

    /// Checks the accesses of a range for races; `changed` are the lanes that change the value in memory.
    fn record_together(&mut self, range: &LaneRange, common: RecordedAccess, changed: u32) {
        let Some((region, offset)) = range.place.raced() else { return };
        if let RacedMemory::Global(allocation) = region {
            let allocation = &self.machine.memory.allocations()[allocation];
            if matches!(allocation.kind, AllocationKind::Constant | AllocationKind::Parameters) {
                return;
            }
        }
        let is_one = range.lanes.is_power_of_two();
        if range.size < WORD || !is_one && range.stride == 0 {
            for lane in lanes_of(range.lanes) {
                self.record(range.of_lane(&common, lane, changed), lane);
            }
            return;
        }
        let RecordedAccess { element, kind, effect: no_effect, .. } = common;
        let place = self.place();
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
        let warp = self.agent(0).warp;
        for (lane, other) in self.machine.races.access_together(warp, range.lanes, &all) {
            let address = range.address + range.distance(lane) as u64;
            let one = CheckedAccess { offset: offset + range.distance(lane), effect: effect(changed, lane), ..all };
            let thread = self.thread(lane);
            self.machine.report_race(&one, address, thread, other);
        }
    }
}

const fn offset(place: MemoryPlace) -> usize {
    match place {
        MemoryPlace::Global(place) => place.offset,
        MemoryPlace::Shared(_, offset) | MemoryPlace::Local(offset) => offset as usize,
    }
}
