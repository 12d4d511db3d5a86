//! Plain loads of lanes from places of one allocation that nothing is wrong with.
//!
//! The effects are those of the lanes one by one. What is out of bounds, undefined or observed is left to them.

use super::access::sign_extended;
use super::execute::Executor;
use super::global::AllocationKind;
use super::lanes::{WARP_SIZE, lanes_of};
use super::operand::MemorySpace;
use super::problem::MachineAccessKind;
use super::program::{Extension, Load};
use super::proxy::AccessProxy;
use super::races::{Agent, CheckedAccess, RacedMemory, WORD, WriteEffect};
use super::region::MemoryBytes;
use super::warp::Polled;
use isa::types::Sem;

/// Smaller memory is in the caches of the host.
const LARGE: usize = 1 << 18;

/// The offsets that the lanes of a warp access in an allocation.
type ScatteredOffsets = [usize; WARP_SIZE as usize];

impl Executor<'_, '_> {
    /// Executes a load of some lanes, if that is possible.
    #[inline]
    pub fn load_scattered(&mut self, load: &Load, lanes: u32) -> bool {
        let (element, size) = (load.element_bytes as usize, load.element_bytes as usize * load.elements.len());
        let is_followed =
            self.is_tracing || self.machine.observer.0.is_some() || self.machine.races.history().is_some();
        let is_global = matches!(load.address.space, MemorySpace::Global | MemorySpace::Generic);
        if is_followed || !is_global || load.order.sem != Sem::Weak || !self.machine.unknown.is_empty() {
            return false;
        }
        let Some((allocation, offsets)) = self.scattered_offsets(load, size, lanes) else { return false };
        self.prefetch(allocation, &offsets, lanes);
        let bytes = self.machine.memory.allocations()[allocation].region.bytes();
        for (part, destination) in load.elements.iter().enumerate() {
            let Some(destination) = *destination else { continue };
            let register = &mut self.frame.registers[destination.slot as usize];
            for lane in lanes_of(lanes) {
                let at = offsets[lane] + part * element;
                let value = MemoryBytes::value(&bytes[at..at + element]);
                let value = match load.extension {
                    Extension::Zero => value,
                    Extension::Sign => sign_extended(value, load.element_bytes),
                };
                register[lane] = value & destination.mask;
            }
            self.frame.defined[destination.slot as usize] |= lanes;
        }
        self.record_scattered(load, allocation, &offsets, lanes);
        true
    }

    /// The allocation that all lanes access, and where, if nothing is wrong with any of them.
    fn scattered_offsets(&mut self, load: &Load, size: usize, lanes: u32) -> Option<(usize, ScatteredOffsets)> {
        let base = self.values(load.address.base);
        let memory = &self.machine.memory;
        let first = load.address.of(base[lanes.trailing_zeros() as usize]);
        let number = memory.find(first, size as u64, self.hint)?.allocation;
        let allocation = &memory.allocations()[number];
        let is_plain =
            matches!(allocation.kind, AllocationKind::Buffer | AllocationKind::Variable | AllocationKind::Heap);
        let is_unseen = load.proxy == AccessProxy::NonCoherent && self.machine.races.is_written(number);
        let last = (allocation.region.len() as u64).checked_sub(size as u64)?;
        if !is_plain || is_unseen || !size.is_power_of_two() {
            return None;
        }
        let mut offsets = [0; WARP_SIZE as usize];
        let mut is_right = true;
        for lane in lanes_of(lanes) {
            let address = load.address.of(base[lane]);
            let offset = address.wrapping_sub(allocation.address);
            is_right &= offset <= last && address.is_multiple_of(size as u64);
            offsets[lane] = offset as usize;
        }
        let is_right = is_right && lanes_of(lanes).all(|lane| allocation.region.is_defined(offsets[lane], size));
        self.hint = number;
        is_right.then_some((number, offsets))
    }

    /// Reads the memory that lanes are about to access one by one, and what is remembered of it, so that the host waits for all of it at once.
    fn prefetch(&self, allocation: usize, offsets: &ScatteredOffsets, lanes: u32) {
        let bytes = self.machine.memory.allocations()[allocation].region.bytes();
        if bytes.len() < LARGE || lanes.is_power_of_two() {
            return;
        }
        let shadow = self.machine.races.of_global(allocation);
        let read = lanes_of(lanes).fold(0, |all, lane| {
            let offset = offsets[lane];
            all ^ u32::from(bytes[offset]) ^ shadow.map_or(0, |shadow| shadow.prefetch(offset / WORD))
        });
        std::hint::black_box(read);
    }

    /// Checks the reads of lanes for races.
    fn record_scattered(&mut self, load: &Load, allocation: usize, offsets: &ScatteredOffsets, lanes: u32) {
        let address = self.machine.memory.allocations()[allocation].address;
        if load.address.space.may_change() {
            let last = WARP_SIZE - 1 - lanes.leading_zeros();
            self.warp.polled = Some(Polled::Memory(address + offsets[last as usize] as u64));
        }
        let all = CheckedAccess {
            region: RacedMemory::Global(allocation),
            offset: 0,
            bytes: load.element_bytes as usize * load.elements.len(),
            element: load.element_bytes,
            kind: MachineAccessKind::Read,
            scope: None,
            place: self.place(),
            effect: WriteEffect::None,
            proxy: load.proxy,
        };
        let first = self.agent(0);
        for lane in lanes_of(lanes) {
            let one = CheckedAccess { offset: offsets[lane], ..all };
            if let Some(other) = self.machine.races.access(Agent { lane: lane as u32, ..first }, &one) {
                let thread = self.thread(lane);
                self.machine.report_race(&one, address + offsets[lane] as u64, thread, other);
            }
        }
    }
}
