//! Tensor copies: boxes of a tensor between global and shared memory.

use crate::copies::copy_progress;
use crate::copies::pending_copy::{
    CopiedPart, GatheredPart, MemoryRange, Notified, PendingCopy, PendingData, PlacedPart,
};
use crate::copies::tensor_box::{InnerRow, RowEnd, SharedBox, chosen_rows, gathered, inner_rows};
use crate::copies::tensor_map_access;
use crate::memory::locate::{MachineAccess, MemoryPlace};
use crate::recording::recorded_access::RecordedAccess;
use crate::threads::executor::Executor;
use crate::waiting::mbarrier_access;
use isa::types::{Op, Type};
use ordering::WriteEffect;
use program::copies::async_copy::GroupKind;
use program::copies::tensor_map::{
    ROW_ALIGNMENT, TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES, TensorCopy, TensorCopyMode, TensorDimension,
    TensorDirection, TensorMap,
};
use program::copies::tensor_map_mistake::TensorMistake;
use program::lanes::lanes_of;
use program::operand::{AccessOrder, MemorySpace};
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::{AccessProxy, EarlierAgent, RaceCause};
use std::ops::Range;
use values::{AccessedSpace, Operation, Shape, Subnormals};

/// The alignment of a box in shared memory.
const BOX_ALIGNMENT: u64 = 128;

/// The bytes of a tensor map that are read at a time.
const MAP_UNIT: u32 = 8;
/// The rows that a copy of chosen rows has.
const CHOSEN_ROWS: usize = 4;

/// What a copy moves: where to, what, and which parts of it.
struct Moved {
    destination: MemoryRange,
    data: PendingData,
    part: CopiedPart,
    length: usize,
}

/// Begins a tensor copy in each active lane.
pub fn begin_tensor_copy(executor: &mut Executor<'_, '_>, copy: &TensorCopy, active: u32) {
    let offsets = if let TensorCopyMode::Pixels(offsets) = &copy.mode { &offsets[..] } else { &[] };
    for source in [copy.map.base, copy.shared.base].iter().chain(&copy.coordinates).chain(offsets) {
        executor.require_defined(*source, active);
    }
    for lane in lanes_of(active) {
        match pending_tensor_copy(executor, copy, lane) {
            Ok(Some(pending)) => {
                let ranks = match copy.direction {
                    TensorDirection::Load { multicast: Some((ranks, signal)), .. } => {
                        executor.require_defined(ranks, 1 << lane);
                        Some((executor.values(ranks)[lane] as u32, signal))
                    }
                    _ => None,
                };
                copy_progress::push_copy(executor, pending, ranks);
            }
            Ok(None) => {}
            Err(problem) => executor.report(problem, lane),
        }
    }
}

fn pending_tensor_copy(
    executor: &mut Executor<'_, '_>,
    copy: &TensorCopy,
    lane: usize,
) -> Result<Option<PendingCopy>, ProblemKind> {
    let map = tensor_map(executor, copy, lane)?;
    let coordinates: Vec<i64> =
        copy.coordinates.iter().map(|one| i64::from(executor.values(*one)[lane] as u32 as i32)).collect();
    let offsets: Vec<i64> = match &copy.mode {
        TensorCopyMode::Pixels(offsets) => {
            offsets.iter().map(|one| i64::from(executor.values(*one)[lane] as u16)).collect()
        }
        TensorCopyMode::Tile | TensorCopyMode::Rows => Vec::new(),
    };
    let rows = |end: RowEnd| match copy.mode {
        TensorCopyMode::Rows => chosen_rows(&map, &coordinates, end),
        _ => inner_rows(&map, &coordinates, &offsets, end),
    };
    if let Some(mistake) = coordinate_mistake(&map, &coordinates, &copy.direction) {
        return Err(ProblemKind::TensorMap { mistake, address: executor.address(&copy.map, lane) });
    }
    let reduction = match copy.direction {
        TensorDirection::Reduce(op) => Some(tensor_update(executor, op, copy, &map, lane)?),
        _ => None,
    };
    let moved = match copy.direction {
        TensorDirection::Load { .. } => loaded_box(executor, copy, &map, || rows(RowEnd::Exact), lane)?,
        TensorDirection::Store => {
            stored_box(executor, copy, &map, || rows(RowEnd::Chunk), MachineAccessKind::Write, lane)?
        }
        TensorDirection::Reduce(_) => {
            stored_box(executor, copy, &map, || rows(RowEnd::Chunk), MachineAccessKind::Atomic, lane)?
        }
    };
    let notified = match &copy.direction {
        TensorDirection::Load { barrier, .. } => match mbarrier_access::mbarrier_place(executor, barrier, lane) {
            Some((slot, offset)) => Notified::Mbarrier(slot, offset),
            None => return Ok(None),
        },
        _ => Notified::Group(GroupKind::Bulk, executor.warp.group_numbers(lane).current(GroupKind::Bulk)),
    };
    let begin = executor.begin_copy_clock(lane);
    let (thread, place, proxy) = (executor.thread(lane), executor.place(), AccessProxy::Async);
    let Moved { destination, data, part, length } = moved;
    Ok(Some(PendingCopy { thread, place, begin, destination, length, data, reduction, notified, proxy, part }))
}

fn loaded_box(
    executor: &mut Executor<'_, '_>,
    copy: &TensorCopy,
    map: &TensorMap,
    rows: impl Fn() -> Vec<InnerRow>,
    lane: usize,
) -> Result<Moved, ProblemKind> {
    let (slot, shared) = shared_box(executor, copy, map, MachineAccessKind::Write, lane)?;
    let rows = rows();
    for row in &rows {
        locate_row(executor, row, MachineAccessKind::Read)?;
    }
    let length = map.box_bytes() as usize;
    let place = |(range, at): (Range<usize>, u32)| PlacedPart {
        from: range.start,
        to: (at - shared.offset) as usize,
        length: range.len(),
    };
    let part = CopiedPart::placed(shared.parts(0..length).map(place));
    Ok(Moved { destination: MemoryRange::Shared(slot, shared.offset), data: gathered(map, &rows), part, length })
}

fn stored_box(
    executor: &mut Executor<'_, '_>,
    copy: &TensorCopy,
    map: &TensorMap,
    rows: impl Fn() -> Vec<InnerRow>,
    kind: MachineAccessKind,
    lane: usize,
) -> Result<Moved, ProblemKind> {
    let (slot, shared) = shared_box(executor, copy, map, MachineAccessKind::Read, lane)?;
    let (mut sources, mut placed, mut from) = (Vec::new(), Vec::new(), 0);
    for row in rows() {
        let room = locate_row(executor, &row, kind)?;
        let range = row.range.start..row.range.end + row.padding.min(room);
        // A row that is farther away than there can be memory is not in it.
        let to = row.address.checked_sub(map.address).and_then(|distance| usize::try_from(distance).ok());
        let to = to.filter(|to| to.checked_add(range.len()).is_some()).ok_or_else(|| {
            let (address, size) = (row.address, range.len() as u64);
            ProblemKind::OutOfBounds { access: kind, address, size, nearest: executor.machine.nearest(address) }
        })?;
        placed.push(PlacedPart { from, to, length: range.len() });
        from += range.len();
        let parts = shared.parts(range);
        sources.extend(parts.map(|(part, at)| GatheredPart::Memory(MemoryRange::Shared(slot, at), part.len())));
    }
    let (destination, part) = (MemoryRange::Global(map.address), CopiedPart::placed(placed));
    Ok(Moved { destination, data: PendingData::Gathered(sources.into()), part, length: from })
}

/// The box in shared memory, with the slot of its CTA.
fn shared_box(
    executor: &mut Executor<'_, '_>,
    copy: &TensorCopy,
    map: &TensorMap,
    kind: MachineAccessKind,
    lane: usize,
) -> Result<(usize, SharedBox), ProblemKind> {
    let length = SharedBox::new(map, 0).length();
    match copy_progress::memory_range(executor, &copy.shared, length, BOX_ALIGNMENT, kind, lane)? {
        MemoryRange::Shared(slot, offset) => Ok((slot, SharedBox::new(map, offset))),
        MemoryRange::Global(address) => Err(ProblemKind::WrongSpace { address, expected: "shared", found: "global" }),
    }
}

/// Looks up a row in the tensor; returns how many bytes its allocation has after it.
fn locate_row(executor: &mut Executor<'_, '_>, row: &InnerRow, kind: MachineAccessKind) -> Result<usize, ProblemKind> {
    let (address, size) = (row.address, row.range.len());
    let access = MachineAccess { space: MemorySpace::Global, address, size: size as u64, kind };
    match executor.locate(access, 1)? {
        MemoryPlace::Global(place) => {
            let length = executor.machine.memory.allocations()[place.allocation].region.len();
            Ok(length - place.offset - size)
        }
        MemoryPlace::Shared(..) | MemoryPlace::Local(_) => Ok(0),
    }
}

/// The tensor map of a copy.
fn tensor_map(executor: &mut Executor<'_, '_>, copy: &TensorCopy, lane: usize) -> Result<TensorMap, ProblemKind> {
    let address = executor.address(&copy.map, lane);
    let (space, size) = (copy.map.space, TENSOR_MAP_BYTES as u64);
    let access = MachineAccess { space, address, size, kind: MachineAccessKind::Read };
    let place = executor.locate(access, TENSOR_MAP_ALIGNMENT)?;
    let map = match place {
        MemoryPlace::Global(place) => {
            let bytes = executor.machine.memory.allocations()[place.allocation].region.bytes();
            TensorMap::of_bytes(&bytes[place.offset..place.offset + TENSOR_MAP_BYTES])
        }
        MemoryPlace::Shared(..) | MemoryPlace::Local(_) => {
            let found = place.space_name();
            return Err(ProblemKind::WrongSpace { address, expected: "global, constant or parameter", found });
        }
    };
    tensor_map_access::written_map(executor, (place, address), TENSOR_MAP_BYTES as u32, lane)?;
    let map = map.ok_or(ProblemKind::TensorMap { mistake: TensorMistake::NoMap, address })?;
    let (element, count, kind, order) = (MAP_UNIT, size as u32 / MAP_UNIT, access.kind, AccessOrder::WEAK);
    let (effect, proxy) = (WriteEffect::None, AccessProxy::TensorMap);
    executor.record(RecordedAccess { place, address, element, count, kind, order, effect, proxy }, lane);
    require_acquired_map(executor, place, address, lane);
    let (coordinates, dimensions) = (copy.coordinates.len(), map.dimensions.len());
    let is_for_pixels = matches!(copy.mode, TensorCopyMode::Pixels(_));
    let expected = if matches!(copy.mode, TensorCopyMode::Rows) { dimensions + CHOSEN_ROWS - 1 } else { dimensions };
    let mistake = match () {
        () if map.pixels.is_some() != is_for_pixels => TensorMistake::Mode,
        () if coordinates != expected => TensorMistake::Dimensions { coordinates, dimensions },
        () if matches!(copy.mode, TensorCopyMode::Rows) => return Ok(map.with_rows(CHOSEN_ROWS as u16)),
        () => return Ok(map),
    };
    Err(ProblemKind::TensorMap { mistake, address })
}

/// Reports a map that a kernel before this one has changed, if nothing acquires it here: that a kernel begins is no fence of the proxy.
fn require_acquired_map(executor: &mut Executor<'_, '_>, place: MemoryPlace, address: u64, lane: usize) {
    let MemoryPlace::Global(place) = place else { return };
    let is_changed = executor.machine.memory.allocations()[place.allocation].changed_maps.contains(&place.offset);
    let agent = executor.agent(lane);
    if is_changed && !executor.machine.races.has_acquired_map(agent, (place.allocation, place.offset)) {
        let (memory, cause) = (executor.machine.nearest(address), RaceCause::EarlierTensorMap);
        let (access, other) = (MachineAccessKind::Read, MachineAccessKind::Write);
        executor.report(
            ProblemKind::DataRace { address, memory, access, other, by: EarlierAgent::AnotherThread, cause },
            lane,
        );
    }
}

fn tensor_update(
    executor: &Executor<'_, '_>,
    op: Op,
    copy: &TensorCopy,
    map: &TensorMap,
    lane: usize,
) -> Result<Operation, ProblemKind> {
    // For signed elements of 64 bits an H100 has the extrema alone, and it preserves subnormals in sums.
    let is_missing = map.element == Type::S64 && !matches!(op, Op::Min | Op::Max);
    let update = Operation::new(op, Shape::scalar(map.element), Subnormals::Preserved, AccessedSpace::Global);
    update.ok().filter(|_| !is_missing).ok_or_else(|| {
        let mistake = TensorMistake::Update(op, map.element);
        ProblemKind::TensorMap { mistake, address: executor.address(&copy.map, lane) }
    })
}

/// What an H100 refuses: its answer is an illegal instruction, also for a box that is outside of the tensor.
fn coordinate_mistake(map: &TensorMap, coordinates: &[i64], direction: &TensorDirection) -> Option<TensorMistake> {
    let element = map.element_bytes();
    let is_load = matches!(direction, TensorDirection::Load { .. });
    if let Some(pixels) = &map.pixels {
        let corner = pixels.lower.iter().find(|corner| **corner < 0).filter(|_| !is_load);
        let last = |(dimension, upper): (&TensorDimension, &i16)| i64::from(dimension.size) - 1 + i64::from(*upper);
        let lasts = map.dimensions[1..].iter().zip(&pixels.upper).map(last);
        let behind = coordinates[1..].iter().zip(lasts).find(|(coordinate, last)| *coordinate > last);
        let mistake = behind.map(|(coordinate, last)| TensorMistake::OutsideColumn { coordinate: *coordinate, last });
        return mistake.or_else(|| corner.map(|corner| TensorMistake::NegativeCorner(*corner)));
    }
    let negative = coordinates.iter().find(|coordinate| **coordinate < 0).filter(|_| !is_load);
    let unaligned = coordinates.first().filter(|first| (**first * element as i64) % ROW_ALIGNMENT as i64 != 0);
    negative
        .map(|coordinate| TensorMistake::NegativeCoordinate(*coordinate))
        .or_else(|| unaligned.map(|coordinate| TensorMistake::Row { coordinate: *coordinate, element }))
}
