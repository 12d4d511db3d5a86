//! Instructions that change and copy tensor maps.

use crate::memory::global::GlobalMemory;
use crate::memory::locate::{MachineAccess, MemoryPlace};
use crate::memory::unknown_results;
use crate::recording::recorded_access::RecordedAccess;
use crate::threads::executor::Executor;
use ordering::WriteEffect;
use program::copies::tensor_map::{TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES, TensorMap};
use program::copies::tensor_map_change::{TensorMapInstruction, TensorProperty, replaced};
use program::copies::tensor_map_mistake::TensorMistake;
use program::lanes::{WARP_SIZE, lanes_of};
use program::operand::{AccessOrder, MachineAddress};
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;

/// The bytes that are written at a time.
const UNIT: u32 = 8;
/// The bytes that a lane copies at a time.
const WORD: u32 = 4;

impl GlobalMemory {
    /// Notes which tensor maps a kernel has changed that began with a memory, beside those that others had before.
    pub fn note_changed_maps(&mut self, since: &Self) {
        for (at, before) in since.allocations().iter().enumerate().take(self.allocations().len()) {
            let now = self.allocation_mut(at);
            now.changed_maps.extend(&before.changed_maps);
            let (bytes, before) = (now.region.bytes(), before.region.bytes());
            let starts = (0..bytes.len().min(before.len())).step_by(TENSOR_MAP_ALIGNMENT as usize);
            let is_changed = |start: &usize| {
                let map = *start..*start + TENSOR_MAP_BYTES;
                let now = bytes.get(map.clone());
                now != before.get(map) && now.and_then(TensorMap::of_bytes).is_some()
            };
            let changed: Vec<usize> = starts.filter(is_changed).collect();
            now.changed_maps.extend(changed);
        }
    }
}

/// Changes or copies a tensor map in each active lane.
pub fn change_tensor_map(executor: &mut Executor<'_, '_>, instruction: &TensorMapInstruction, active: u32) {
    for lane in lanes_of(active) {
        let done = match instruction {
            TensorMapInstruction::Replace { map, property, value } => {
                executor.require_defined(map.base, 1 << lane);
                executor.require_defined(*value, 1 << lane);
                replace_property(executor, (map, *property), executor.values(*value)[lane], lane)
            }
            TensorMapInstruction::Copy { to, from } => {
                executor.require_defined(to.base, 1 << lane);
                executor.require_defined(from.base, 1 << lane);
                copy_tensor_map(executor, to, from, lane)
            }
        };
        if let Err(problem) = done {
            executor.report(problem, lane);
        }
    }
}

/// Acquires a tensor map in each active lane. Outside of global memory the fence orders nothing.
pub fn acquire_tensor_map(executor: &mut Executor<'_, '_>, map: &MachineAddress, active: u32) {
    executor.require_defined(map.base, active);
    for lane in lanes_of(active) {
        let (address, size, kind) = (executor.address(map, lane), TENSOR_MAP_BYTES as u64, MachineAccessKind::Read);
        let access = MachineAccess { space: map.space, address, size, kind };
        if let Ok(MemoryPlace::Global(place)) = executor.locate(access, 1) {
            let agent = executor.agent(lane);
            executor.machine.races.acquire_map(agent, (place.allocation, place.offset));
        }
    }
}

fn replace_property(
    executor: &mut Executor<'_, '_>,
    (map, property): (&MachineAddress, TensorProperty),
    value: u64,
    lane: usize,
) -> Result<(), ProblemKind> {
    let address = executor.address(map, lane);
    let mistake = |mistake| ProblemKind::TensorMap { mistake, address };
    let (size, kind) = (TENSOR_MAP_BYTES as u64, MachineAccessKind::Write);
    let place = executor.locate(MachineAccess { space: map.space, address, size, kind }, TENSOR_MAP_ALIGNMENT)?;
    require_written_map(executor, (place, address), TENSOR_MAP_BYTES as u32, lane);
    let bytes: Vec<u8> = (0..TENSOR_MAP_BYTES as u32)
        .step_by(UNIT as usize)
        .flat_map(|offset| executor.read(place, offset, UNIT, lane).0.to_le_bytes())
        .collect();
    let bytes = <[u8; TENSOR_MAP_BYTES]>::try_from(bytes).map_err(|_| mistake(TensorMistake::NoMap))?;
    let bytes = replaced(bytes, property, value).map_err(mistake)?;
    let mut effect = WriteEffect::None;
    for (offset, unit) in (0..).step_by(UNIT as usize).zip(bytes.as_chunks().0) {
        effect = effect.max(executor.write(place, offset, UNIT, u64::from_le_bytes(*unit), lane));
    }
    record_map(executor, (place, address), (UNIT, TENSOR_MAP_BYTES as u32 / UNIT), (kind, effect), lane);
    Ok(())
}

/// The words of a map that a lane copies: all lanes of the warp together copy each once.
fn copy_tensor_map(
    executor: &mut Executor<'_, '_>,
    to: &MachineAddress,
    from: &MachineAddress,
    lane: usize,
) -> Result<(), ProblemKind> {
    let first = executor.thread(lane).thread / WARP_SIZE * WARP_SIZE;
    let block = executor.machine.launch.sizes(executor.machine.ctas[executor.warp.cta].grid).block;
    let lanes = (block.count() as u32 - first).min(WARP_SIZE) as usize;
    let (to_address, from_address) = (executor.address(to, lane), executor.address(from, lane));
    for offset in (lane as u64 * u64::from(WORD)..TENSOR_MAP_BYTES as u64).step_by(lanes * WORD as usize) {
        let mut place = |address: &MachineAddress, start: u64, kind| {
            // After the last address comes the first one.
            let address_of_word = start.wrapping_add(offset);
            let access = MachineAccess { space: address.space, address: address_of_word, size: WORD.into(), kind };
            executor.locate(access, WORD.into())
        };
        let read = place(from, from_address, MachineAccessKind::Read)?;
        let written = place(to, to_address, MachineAccessKind::Write)?;
        require_written_map(executor, (read, from_address.wrapping_add(offset)), WORD, lane);
        let (value, _) = executor.read(read, 0, WORD, lane);
        let effect = executor.write(written, 0, WORD, value, lane);
        let read_effect = (MachineAccessKind::Read, WriteEffect::None);
        record_map(executor, (read, from_address.wrapping_add(offset)), (WORD, 1), read_effect, lane);
        record_map(
            executor,
            (written, to_address.wrapping_add(offset)),
            (WORD, 1),
            (MachineAccessKind::Write, effect),
            lane,
        );
    }
    Ok(())
}

/// Reports bytes of a map that nothing has written, at once: the bytes of a copy are defined.
fn require_written_map(executor: &mut Executor<'_, '_>, place: (MemoryPlace, u64), size: u32, lane: usize) {
    if let Err(problem) = written_map(executor, place, size, lane) {
        executor.report(problem, lane);
    }
}

/// An error if nothing has written some bytes of a map.
pub fn written_map(
    executor: &mut Executor<'_, '_>,
    (place, address): (MemoryPlace, u64),
    size: u32,
    lane: usize,
) -> Result<(), ProblemKind> {
    if let Some(result) = unknown_results::unknown_at(executor, place, 0, size) {
        executor.machine.need_result(result);
        return Ok(());
    }
    let is_written = (0..size).step_by(WORD as usize).all(|offset| executor.read(place, offset, WORD, lane).1);
    let (size, space) = (size.into(), place.space_name());
    if is_written { Ok(()) } else { Err(ProblemKind::UninitializedMemory { address, size, space }) }
}

fn record_map(
    executor: &mut Executor<'_, '_>,
    (place, address): (MemoryPlace, u64),
    (element, count): (u32, u32),
    (kind, effect): (MachineAccessKind, WriteEffect),
    lane: usize,
) {
    let (order, proxy) = (AccessOrder::WEAK, AccessProxy::Generic);
    executor.record(RecordedAccess { place, address, element, count, kind, order, effect, proxy }, lane);
}
