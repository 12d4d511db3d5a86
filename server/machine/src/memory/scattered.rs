//! Plain loads of lanes from places of one allocation that nothing is wrong with.
//!
//! The effects are those of the lanes one by one. What is out of bounds, undefined or observed is left to them.

use crate::memory::global::AllocationKind;
use crate::memory::region::MemoryBytes;
use crate::threads::executor::Executor;
use crate::threads::warp::Polled;
use isa::types::Sem;
use ordering::accesses;
use ordering::shadow::warp_reads;
use ordering::{AccessOffsets, Agent, CheckedAccess, WORD, WriteEffect};
use program::lanes::{LaneValues, WARP_SIZE, lanes_of};
use program::machine_program::{Extension, Load};
use program::memory::location::RacedMemory;
use program::operand::MemorySpace;
use program::problem::MachineAccessKind;
use program::proxy::AccessProxy;

/// Smaller memory is in the caches of the host.
const LARGE: usize = 1 << 18;

/// Executes a load of some lanes, if that is possible.
#[inline]
pub fn load_scattered(executor: &mut Executor<'_, '_>, load: &Load, lanes: u32) -> bool {
    let size = load.element_bytes as usize * load.elements.len();
    let is_followed =
        executor.is_tracing || executor.machine.observer.0.is_some() || executor.machine.races.history().is_some();
    let is_global = matches!(load.address.space, MemorySpace::Global | MemorySpace::Generic);
    if is_followed || !is_global || load.order.sem != Sem::Weak || !executor.machine.unknown.is_empty() {
        return false;
    }
    let Some((allocation, offsets)) = scattered_offsets(executor, load, size, lanes) else { return false };
    let bytes = executor.machine.memory.allocations()[allocation].region.bytes();
    for (part, destination) in load.elements.iter().enumerate() {
        let Some(destination) = *destination else { continue };
        let register = &mut executor.frame.registers[destination.slot as usize];
        read_lanes(bytes, (load, part), (&offsets, lanes), register);
        for lane in lanes_of(lanes).filter(|_| destination.mask != u64::MAX) {
            register[lane] &= destination.mask;
        }
        executor.frame.defined[destination.slot as usize] |= lanes;
    }
    record_scattered(executor, load, allocation, &offsets, lanes);
    true
}

/// The allocation that all lanes access, and where, if nothing is wrong with any of them.
fn scattered_offsets(
    executor: &mut Executor<'_, '_>,
    load: &Load,
    size: usize,
    lanes: u32,
) -> Option<(usize, AccessOffsets)> {
    let base = executor.values(load.address.base);
    let memory = &executor.machine.memory;
    let first = load.address.of(base[lanes.trailing_zeros() as usize]);
    let number = memory.find(first, size as u64, executor.hint)?.allocation;
    let allocation = &memory.allocations()[number];
    let is_plain = matches!(allocation.kind, AllocationKind::Buffer | AllocationKind::Variable | AllocationKind::Heap);
    let is_unseen = load.proxy == AccessProxy::NonCoherent && executor.machine.races.is_written(number);
    let last = (allocation.region.len() as u64).checked_sub(size as u64)?;
    if !is_plain || is_unseen || !size.is_power_of_two() {
        return None;
    }
    let (mut offsets, mut is_right) = ([0; WARP_SIZE as usize], true);
    // Without branches: the lanes do not wait for each other.
    let mut check = |lane: usize| {
        let address = load.address.of(base[lane]);
        let offset = address.wrapping_sub(allocation.address);
        is_right &= (offset <= last) & (address & (size as u64 - 1) == 0);
        offsets[lane] = offset as usize;
    };
    match lanes {
        u32::MAX => (0..WARP_SIZE as usize).for_each(&mut check),
        _ => lanes_of(lanes).for_each(&mut check),
    }
    let is_defined = |lane| allocation.region.is_defined(offsets[lane], size);
    let is_right = is_right && (allocation.region.is_always_defined() || lanes_of(lanes).all(is_defined));
    executor.hint = number;
    is_right.then_some((number, offsets))
}

/// Reads what is remembered of the memory that lanes access one by one, so that the host waits for all of it at once.
fn prefetch(executor: &Executor<'_, '_>, allocation: usize, offsets: &AccessOffsets, lanes: u32) {
    let Some(shadow) = executor.machine.races.of_global(allocation).filter(|_| !lanes.is_power_of_two()) else {
        return;
    };
    let read = lanes_of(lanes).fold(0, |all, lane| all ^ shadow.prefetch(offsets[lane] / WORD));
    std::hint::black_box(read);
}

/// Checks the reads of lanes for races.
fn record_scattered(
    executor: &mut Executor<'_, '_>,
    load: &Load,
    allocation: usize,
    offsets: &AccessOffsets,
    lanes: u32,
) {
    let address = executor.machine.memory.allocations()[allocation].address;
    if load.address.space.may_change() {
        let last = WARP_SIZE - 1 - lanes.leading_zeros();
        executor.warp.polled = Some(Polled::Memory(address + offsets[last as usize] as u64));
    }
    let all = CheckedAccess {
        region: RacedMemory::Global(allocation),
        offset: 0,
        bytes: load.element_bytes as usize * load.elements.len(),
        element: load.element_bytes,
        kind: MachineAccessKind::Read,
        scope: None,
        place: executor.place(),
        effect: WriteEffect::None,
        proxy: load.proxy,
    };
    let first = executor.agent(0);
    let left = warp_reads::note_reads(&mut executor.machine.races, first.warp, &all, offsets, lanes);
    if executor.machine.memory.allocations()[allocation].region.len() >= LARGE && left != 0 {
        prefetch(executor, allocation, offsets, left);
    }
    for lane in lanes_of(left) {
        let one = CheckedAccess { offset: offsets[lane], ..all };
        if let Some(other) =
            accesses::access_now(&mut executor.machine.races, Agent { lane: lane as u32, ..first }, &one)
        {
            let thread = executor.thread(lane);
            executor.machine.report_race(&one, address + offsets[lane] as u64, thread, other);
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
        for (to, offset) in to.iter_mut().zip(offsets) {
            *to = MemoryBytes::value(&bytes[offset + at..][..4]);
        }
        return;
    }
    for lane in lanes_of(lanes) {
        let value = MemoryBytes::value(&bytes[offsets[lane] + at..][..size]);
        to[lane] = load.extension.extend(value, load.element_bytes);
    }
}
