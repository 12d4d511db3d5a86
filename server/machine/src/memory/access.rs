//! Loads, stores and atomics.

use crate::memory::coalesced;
use crate::memory::global::AllocationKind;
use crate::memory::locate::{MachineAccess, MemoryPlace, space_name};
use crate::memory::scattered;
use crate::memory::unknown_results;
use crate::recording::recorded_access::RecordedAccess;
use crate::threads::executor::Executor;
use crate::threads::undefined_bits::{UndefinedBits, UndefinedCause};
use crate::threads::warp::Polled;
use crate::waiting::polling;
use isa::types::{Op, Sem};
use ordering::WriteEffect;
use ordering::shadow::commutative_words;
use program::lanes::lanes_of;
use program::machine_program::{Atomic, Load, Store};
use program::memory::commutative_update::CommutativeUpdate;
use program::memory::location::RacedMemory;
use program::operand::{Destination, MachineAddress, MemorySpace, Source};
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;
use values::value::low_bits;

impl Executor<'_, '_> {
    /// Where an access is, if it can be executed and others can see it.
    pub fn place_of(
        &mut self,
        address: &MachineAddress,
        size: u64,
        alignment: u64,
        lane: usize,
    ) -> Option<(RacedMemory, usize)> {
        let value = self.address(address, lane);
        // A read may be anywhere; what cannot be written is reported when it is executed.
        let access = MachineAccess { space: address.space, address: value, size, kind: MachineAccessKind::Read };
        self.locate(access, alignment).ok()?.raced()
    }

    /// The address of an access of a lane.
    #[inline]
    pub fn address(&self, address: &MachineAddress, lane: usize) -> u64 {
        address.of(self.values(address.base)[lane])
    }

    /// Executes a load.
    pub fn load(&mut self, load: &Load, active: u32) {
        self.require_defined(load.address.base, active);
        if !self.is_watching
            && (coalesced::load_together(self, load, active) || scattered::load_scattered(self, load, active))
        {
            return;
        }
        let (element, count) = (load.element_bytes, load.elements.len());
        let size = u64::from(element) * count as u64;
        for lane in lanes_of(active) {
            let address = self.address(&load.address, lane);
            let access = MachineAccess { space: load.address.space, address, size, kind: MachineAccessKind::Read };
            match self.locate(access, size) {
                Ok(place) => {
                    if load.address.space.may_change() {
                        self.warp.polled = Some(Polled::Memory(address));
                    }
                    if self.is_watching {
                        polling::watch_memory(self, place, size);
                    }
                    self.load_lane(load, lane, place, address);
                    let (element, count) = load.parts();
                    let (kind, order, effect) = (MachineAccessKind::Read, load.order, WriteEffect::None);
                    let proxy = load.proxy;
                    self.record(RecordedAccess { place, address, element, count, kind, order, effect, proxy }, lane);
                }
                Err(problem) => {
                    self.report(problem, lane);
                    for destination in load.elements.iter().flatten() {
                        self.set_lane(*destination, lane, 0);
                    }
                }
            }
        }
    }

    #[inline]
    fn load_lane(&mut self, load: &Load, lane: usize, place: MemoryPlace, address: u64) {
        let size = load.element_bytes;
        let mut undefined_elements = Vec::new();
        for (number, destination) in load.elements.iter().enumerate() {
            let Some(destination) = *destination else { continue };
            let offset = number as u32 * size;
            let (mut value, is_defined) = self.read(place, offset, size, lane);
            let part = load.part(number);
            let part_offset = part as u32 * load.parts().0;
            if load.order.sem != Sem::Weak
                && let Some(chosen) = self.chosen_value(place, part_offset, part)
            {
                value = (chosen >> (8 * (offset - part_offset))) as u64 & low_bits(8 * size) as u64;
            }
            self.set_lane(destination, lane, load.extension.extend(value, size));
            if let Some(result) = unknown_results::unknown_at(self, place, offset, size) {
                let reads = vec![(UndefinedCause::Result, result)];
                self.set_undefined(destination, lane, UndefinedBits { bits: u64::MAX, reads });
            } else if !is_defined {
                let (address, size, space) = (address + u64::from(offset), size.into(), place.space_name());
                let kind = ProblemKind::UninitializedMemory { address, size, space };
                let reads = vec![(UndefinedCause::Problem(kind), self.place())];
                let undefined = UndefinedBits { bits: u64::MAX, reads };
                undefined_elements.push((destination.slot, lane, undefined));
            }
        }
        // Without optimization, compilers load members of one byte before they write them, and do not use what was there.
        let is_member = || load.address.space == MemorySpace::Generic && matches!(place, MemoryPlace::Local(_));
        let is_whole = || undefined_elements.len() == load.elements.iter().flatten().count();
        if !undefined_elements.is_empty() && is_whole() && self.is_in_buffer(place) {
            // The host passes it as undefined: the read is the mistake, whatever the value is used for.
            let reads = undefined_elements.into_iter().flat_map(|(.., undefined)| undefined.reads);
            for (cause, _) in reads.take(1) {
                if let UndefinedCause::Problem(kind) = cause {
                    self.report(kind, lane);
                }
            }
        } else if !undefined_elements.is_empty() && is_whole() && !is_member() {
            self.mark_undefined(undefined_elements);
        } else {
            // Compilers load what is not defined together with what is next to it.
            for (slot, lane, undefined) in undefined_elements {
                self.set_undefined(Destination { slot, mask: u64::MAX }, lane, undefined);
            }
        }
    }

    fn is_in_buffer(&self, place: MemoryPlace) -> bool {
        let kind = |allocation: usize| self.machine.memory.allocations()[allocation].kind;
        matches!(place, MemoryPlace::Global(global) if kind(global.allocation) == AllocationKind::Buffer)
    }

    /// Executes a store.
    pub fn store(&mut self, store: &Store, active: u32) {
        self.require_defined(store.address.base, active);
        if coalesced::store_together(self, store, active) || scattered::store_scattered(self, store, active) {
            return;
        }
        let size = u64::from(store.element_bytes) * store.elements.len() as u64;
        for lane in lanes_of(active) {
            let address = self.address(&store.address, lane);
            let access = MachineAccess { space: store.address.space, address, size, kind: MachineAccessKind::Write };
            match self.locate(access, size) {
                Ok(place) => {
                    let mut effect = WriteEffect::None;
                    self.require_some_defined(store, place, lane);
                    for (number, source) in store.elements.iter().enumerate() {
                        let value = self.values(*source)[lane];
                        let undefined = self.undefined(*source, lane);
                        let offset = number as u32 * store.element_bytes;
                        let result = undefined.result_of();
                        // Others may read any of the values that were stored, not only the last one.
                        if store.order.sem != Sem::Weak
                            && let Some(result) =
                                result.or_else(|| unknown_results::unknown_at(self, place, offset, store.element_bytes))
                        {
                            return self.machine.need_result(result);
                        }
                        unknown_results::note_stored(self, place, offset, store.element_bytes, result);
                        let undefined = undefined.bits;
                        effect = effect.max(self.write(place, offset, store.element_bytes, value, lane));
                        for byte in (0..store.element_bytes).filter(|byte| undefined >> (8 * byte) & 0xff == 0xff) {
                            self.undefine(place, offset + byte, 1, lane);
                        }
                    }
                    let (element, count) = store.parts();
                    let (kind, order) = (MachineAccessKind::Write, store.order);
                    let proxy = AccessProxy::Generic;
                    self.record(RecordedAccess { place, address, element, count, kind, order, effect, proxy }, lane);
                }
                Err(problem) => {
                    self.report(problem, lane);
                    if matches!(store.address.space, MemorySpace::Global | MemorySpace::Generic) {
                        self.require_some_defined_value(store, lane);
                    }
                }
            }
        }
    }

    /// Reports a store to a buffer of which nothing is defined. Compilers store parts of structures that have no value together with others.
    fn require_some_defined(&mut self, store: &Store, place: MemoryPlace, lane: usize) {
        let MemoryPlace::Global(global) = place else { return };
        if self.machine.memory.allocations()[global.allocation].kind != AllocationKind::Heap {
            self.require_some_defined_value(store, lane);
        }
    }

    fn require_some_defined_value(&mut self, store: &Store, lane: usize) {
        let all = low_bits(8 * store.element_bytes) as u64;
        let is_undefined = |source: &Source| {
            let undefined = self.undefined(*source, lane);
            undefined.bits & all == all && undefined.result_of().is_none()
        };
        if !store.elements.iter().all(is_undefined) {
            return;
        }
        // The registers stay undefined: a later use is a mistake of its own.
        for source in &store.elements {
            if let Source::Register(slot) = *source {
                self.report_undefined(slot, 1 << lane);
            }
        }
    }

    fn undefine(&mut self, place: MemoryPlace, offset: u32, size: u32, lane: usize) {
        let length = size as usize;
        match place {
            MemoryPlace::Global(place) => {
                let allocation = self.machine.memory.allocation_mut(place.allocation);
                allocation.region.define(place.offset + offset as usize, length, false);
            }
            MemoryPlace::Shared(slot, start) => {
                self.machine.ctas[slot].shared.define((start + offset) as usize, length, false);
            }
            MemoryPlace::Local(start) => {
                let at = (start + offset) as usize;
                self.warp.local_memory(lane, at + length).define(at, length, false);
            }
        }
    }

    /// Executes an atomic, lane by lane.
    pub fn atomic(&mut self, atomic: &Atomic, active: u32) {
        self.require_defined(atomic.address.base, active);
        for source in atomic.b.iter().chain(&atomic.c) {
            self.require_defined(*source, active);
        }
        if scattered::update_scattered(self, atomic, active) {
            return;
        }
        let size = atomic.shape().bytes();
        for lane in lanes_of(active) {
            let address = self.address(&atomic.address, lane);
            let access = MachineAccess {
                space: atomic.address.space,
                address,
                size: size.into(),
                kind: MachineAccessKind::Atomic,
            };
            match self.locate(access, size.into()) {
                Ok(place) => {
                    self.warp.polled = Some(Polled::Memory(address));
                    if self.is_watching {
                        polling::watch_memory(self, place, size.into());
                    }
                    let kind = self.atomic_lane(atomic, lane, place, address);
                    let (order, effect) = (atomic.order, self.atomic_effect(atomic, place));
                    let recorded = RecordedAccess {
                        place,
                        address,
                        element: size,
                        count: 1,
                        kind,
                        order,
                        effect,
                        proxy: AccessProxy::Generic,
                    };
                    self.record(recorded, lane);
                }
                Err(problem) => {
                    self.report(problem, lane);
                    for destination in atomic.destination.iter().flatten() {
                        self.set_lane(*destination, lane, 0);
                    }
                }
            }
        }
    }

    /// Whether it is noted which words are only updated in one way.
    pub fn notes_commutative(&self) -> bool {
        commutative_words::notes_commutative(&self.machine.races)
    }

    /// What an atomic at a place does to the value there.
    pub fn atomic_effect(&self, atomic: &Atomic, place: MemoryPlace) -> WriteEffect {
        let notes =
            commutative_words::notes_commutative(&self.machine.races) && matches!(place, MemoryPlace::Global(_));
        let update = if notes { CommutativeUpdate::of(atomic) } else { None };
        update.map_or(WriteEffect::Changes, WriteEffect::Combines)
    }

    /// Executes an atomic in a lane. Returns whether it has written: a compare-and-swap that fails is a read.
    fn atomic_lane(&mut self, atomic: &Atomic, lane: usize, place: MemoryPlace, address: u64) -> MachineAccessKind {
        let size = atomic.shape().bytes();
        if let Some(result) = unknown_results::unknown_at(self, place, 0, size) {
            self.machine.need_result(result);
            return MachineAccessKind::Atomic;
        }
        let (b, c) = (self.atomic_operand(atomic, &atomic.b, lane), self.atomic_operand(atomic, &atomic.c, lane));
        let chosen = self.chosen_value(place, 0, 0);
        let (region, at, operation) = match place {
            MemoryPlace::Global(place) => {
                let allocation = self.machine.memory.allocation_mut(place.allocation);
                (&mut allocation.region, place.offset, Some(atomic.in_global))
            }
            MemoryPlace::Shared(slot, at) => (&mut self.machine.ctas[slot].shared, at as usize, atomic.in_shared),
            MemoryPlace::Local(_) => {
                let (expected, found) = ("global or shared", space_name(program::operand::MemorySpace::Local));
                self.report(ProblemKind::WrongSpace { address, expected, found }, lane);
                return MachineAccessKind::Read;
            }
        };
        let Some(operation) = operation else {
            self.report(ProblemKind::WrongSpace { address, expected: "global", found: "shared" }, lane);
            return MachineAccessKind::Read;
        };
        let is_defined = region.is_defined(at, size as usize);
        let old = chosen.unwrap_or_else(|| region.load_wide(at, size));
        let new = operation.apply(old, b, c);
        let has_failed = operation.op() == Op::Cas && old != b;
        if !has_failed {
            region.store_wide(at, size, new);
            // Where updates are combined, their values depend on the number of cores, and what is seen must not.
            let is_commutative =
                commutative_words::notes_commutative(&self.machine.races) && matches!(place, MemoryPlace::Global(_));
            self.machine.version += u64::from(old != new || is_commutative);
        }
        if !is_defined {
            let space = place.space_name();
            self.report(ProblemKind::UninitializedMemory { address, size: size.into(), space }, lane);
        }
        for (number, destination) in atomic.destination.iter().enumerate() {
            if let Some(destination) = destination {
                let part = old >> (number as u32 * atomic.part_bits) & low_bits(atomic.part_bits);
                self.set_lane(*destination, lane, part as u64);
            }
        }
        if has_failed { MachineAccessKind::Read } else { MachineAccessKind::Atomic }
    }

    /// The value of an operand that may take several registers.
    pub fn atomic_operand(&self, atomic: &Atomic, parts: &[Source], lane: usize) -> u128 {
        let shifts = (0..).step_by(atomic.part_bits as usize);
        let mask = low_bits(atomic.part_bits);
        parts
            .iter()
            .zip(shifts)
            .fold(0, |all, (part, shift): (_, u32)| all | (u128::from(self.values(*part)[lane]) & mask) << shift)
    }
}
