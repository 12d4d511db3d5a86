//! Executes the instructions of `tcgen05` that allocate, load, store and order. Values are known at the issue: what later changes them is a race.

use crate::memory::locate::MachineAccess;
use crate::memory::unknown_results;
use crate::recording::recorded_access::RecordedAccess;
use crate::tensor::tensor_memory::{TensorAllocation, TensorCell, is_allocation_size};
use crate::tensor::tensor_operands;
use crate::tensor::tensor_products;
use crate::threads::executor::{Executor, Step};
use crate::threads::undefined_bits::{UndefinedBits, UndefinedCause};
use crate::threads::warp::SplitState;
use crate::waiting::synchronize;
use ordering::tensor_memory::operations;
use ordering::{TensorAccess, TensorOperation, TensorOperationKind, WriteEffect};
use program::lanes::lanes_of;
use program::operand::{AccessOrder, Destination, MachineAddress, Source};
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;
use program::tensor::tensor_instruction::{
    CtaGroup, TensorAction, TensorFence, TensorInstruction, TensorTile, TileElements,
};
use program::tensor::tensor_mistake::TensorMemoryMistake;
use program::tensor::tensor_region::{TENSOR_LANES, TensorAddress, TensorRegion, TensorRole};
use program::waiting::barrier_instruction::Convergence;

/// The lanes of tensor memory that a warp can load and store.
const LANES_OF_WARP: u32 = 32;
/// The warps whose lanes are different ones.
const WARPS: u32 = TENSOR_LANES / LANES_OF_WARP;

/// Executes an instruction of `tcgen05`.
pub fn tensor(executor: &mut Executor<'_, '_>, instruction: &TensorInstruction, active: u32) -> Step {
    match &instruction.action {
        TensorAction::Fence(fence) => {
            let warp = executor.agent(0).warp;
            match fence {
                TensorFence::Before => operations::fence_tensors_before(&mut executor.machine.races, warp, active),
                TensorFence::After => operations::fence_tensors_after(&mut executor.machine.races, warp, active),
            }
        }
        TensorAction::Commit(address, ranks) => tensor_products::commit_tensors(executor, address, *ranks, active),
        TensorAction::Multiply(multiply) => tensor_products::multiply_tensors(executor, instruction, multiply, active),
        TensorAction::Copy(copy) => tensor_products::copy_to_tensors(executor, instruction, copy, active),
        TensorAction::Shift(address, group) => {
            tensor_products::shift_tensors(executor, instruction, address, *group, active)
        }
        _ => {
            if let Some(step) = synchronize::converge(executor, Convergence::Required, active) {
                return step;
            }
            return tensor_together(executor, instruction, active);
        }
    }
    Step::Next
}

/// What a warp executes together.
fn tensor_together(executor: &mut Executor<'_, '_>, instruction: &TensorInstruction, active: u32) -> Step {
    let leader = active.trailing_zeros() as usize;
    match &instruction.action {
        TensorAction::Load(tile, _) | TensorAction::Store(tile, _)
            if tile.elements == TileElements::Spread && tensor_products::needs_exploration(executor, instruction) => {}
        TensorAction::Allocate(to, columns, group) => {
            return allocate_tensors(executor, to, (*columns, *group), active);
        }
        TensorAction::Free(address, columns) => {
            let [address, columns] =
                [*address, *columns].map(|one| tensor_operands::tensor_operand(executor, one, leader));
            free_tensors(executor, TensorAddress(address), columns, active);
        }
        TensorAction::Relinquish => {
            executor.machine.ctas[executor.warp.cta].tensors.has_relinquished = true;
            change_allocations(executor, TensorRegion::of_lanes(0, 0..0), active);
        }
        TensorAction::Load(tile, registers) => load_tile(executor, tile, registers, active),
        TensorAction::Store(tile, registers) => store_tile(executor, tile, registers, active),
        TensorAction::Wait(tiles) => {
            let warp = executor.agent(0).warp;
            operations::await_tiles(&mut executor.machine.races, warp, active, *tiles);
        }
        _ => {}
    }
    Step::Next
}

fn allocate_tensors(
    executor: &mut Executor<'_, '_>,
    to: &MachineAddress,
    (columns, group): (Source, CtaGroup),
    active: u32,
) -> Step {
    let leader = active.trailing_zeros() as usize;
    let columns = tensor_operands::tensor_operand(executor, columns, leader);
    if !is_allocation_size(columns) {
        tensor_operands::report_tensors(executor, TensorMemoryMistake::Size(columns), leader);
        return Step::Next;
    }
    if executor.machine.ctas[executor.warp.cta].tensors.has_relinquished {
        tensor_operands::report_tensors(executor, TensorMemoryMistake::Relinquished, leader);
    }
    let Some(first) = executor.machine.ctas[executor.warp.cta].tensors.room(columns) else {
        return Step::WaitAt(SplitState::TensorMemory(columns), active);
    };
    if group == CtaGroup::Two && tensor_products::cta_group(executor, group).len() == 1 {
        tensor_operands::report_tensors(executor, TensorMemoryMistake::NoPeer, leader);
    }
    let allocation = TensorAllocation { columns, thread: executor.thread(leader), place: executor.place() };
    executor.machine.ctas[executor.warp.cta].tensors.allocate(first, allocation);
    executor.machine.version += 1;
    change_allocations(executor, TensorRegion::new(0..TENSOR_LANES, first..first + columns), active);
    executor.require_defined(to.base, 1 << leader);
    let address = executor.address(to, leader);
    let kind = MachineAccessKind::Write;
    match executor.locate(MachineAccess { space: to.space, address, size: 4, kind }, 4) {
        Ok(place) => {
            unknown_results::note_stored(executor, place, 0, 4, None);
            let effect = executor.write(place, 0, 4, first.into(), leader).max(WriteEffect::Changes);
            let (order, proxy) = (AccessOrder::WEAK, AccessProxy::Generic);
            let warp = executor.agent(0).warp;
            operations::precede_in_warp(&mut executor.machine.races, warp, active, leader as u32);
            executor
                .record(RecordedAccess { place, address, element: 4, count: 1, kind, order, effect, proxy }, leader);
            operations::share_in_warp(&mut executor.machine.races, warp, active, leader as u32);
        }
        Err(problem) => executor.report(problem, leader),
    }
    Step::Next
}

fn free_tensors(executor: &mut Executor<'_, '_>, address: TensorAddress, columns: u32, active: u32) {
    let leader = active.trailing_zeros() as usize;
    let slot = executor.warp.cta;
    let range = address.column()..address.column().saturating_add(columns);
    if !executor.machine.ctas[slot].tensors.free(range.start, columns) {
        let mistake = match is_allocation_size(columns) {
            true => TensorMemoryMistake::NotTogether(range.start, range.end),
            false => TensorMemoryMistake::Size(columns),
        };
        return tensor_operands::report_tensors(executor, mistake, leader);
    }
    executor.machine.version += 1;
    let region = TensorRegion::new(0..TENSOR_LANES, range);
    let access = TensorAccess { slot, region, role: TensorRole::Output };
    tensor_operands::begin_tensor_operation(executor, (TensorOperationKind::Free, CtaGroup::One), vec![access], active);
    change_allocations(executor, TensorRegion::of_lanes(0, 0..0), active);
}

/// Notes a change of what is allocated, with the columns that are from now on.
fn change_allocations(executor: &mut Executor<'_, '_>, region: TensorRegion, lanes: u32) {
    let (agent, place, slot) = (executor.agent(lanes.trailing_zeros() as usize), executor.place(), executor.warp.cta);
    let accesses = vec![TensorAccess { slot, region, role: TensorRole::Output }];
    let (kind, group) = (TensorOperationKind::Allocation, CtaGroup::One);
    let change = TensorOperation { agent, lanes, place, kind, group, accesses };
    operations::change_allocations(&mut executor.machine.races, change, slot);
}

/// Reports columns that are not freed, if some lanes are the last of their CTA.
pub fn check_freed(executor: &mut Executor<'_, '_>, lanes: u32) {
    let cta = &executor.machine.ctas[executor.warp.cta];
    if cta.live != lanes.count_ones() {
        return;
    }
    let left: Vec<TensorAllocation> = cta.tensors.allocations().copied().collect();
    let (ended, here) = (executor.thread(lanes.trailing_zeros() as usize), executor.place());
    for TensorAllocation { columns, thread, place } in left {
        let kind = ProblemKind::TensorMemory { mistake: TensorMemoryMistake::NotFreed(columns) };
        executor.machine.problems.report(kind, thread, place, vec![(ended, here)]);
    }
}

/// The parts of a tile of the warp. Which lanes they are in is a matter of the warp.
fn tile_regions(executor: &mut Executor<'_, '_>, tile: &TensorTile, leader: usize) -> Option<Vec<TensorRegion>> {
    let address = tensor_operands::tensor_address(executor, &tile.address, leader);
    let first = executor.warp.number % WARPS * LANES_OF_WARP + address.lane() % LANES_OF_WARP;
    // The distance of the second tile may be negative. There are no columns before the first one, as there are none after the last one.
    let second = tile.second.map(|second| address.column().wrapping_add(second).min(u16::MAX.into()));
    let region = |column: u32| TensorRegion::new(first..first + tile.lanes, column..column + tile.columns);
    let regions: Vec<TensorRegion> = std::iter::once(address.column()).chain(second).map(region).collect();
    let all =
        regions.iter().all(|region| tensor_operands::require_allocated(executor, executor.warp.cta, region, leader));
    all.then_some(regions)
}

fn begin_tile(
    executor: &mut Executor<'_, '_>,
    kind: TensorOperationKind,
    role: TensorRole,
    regions: &[TensorRegion],
    active: u32,
) {
    let slot = executor.warp.cta;
    let accesses = regions.iter().map(|region| TensorAccess { slot, region: region.clone(), role });
    tensor_operands::begin_tensor_operation(executor, (kind, CtaGroup::One), accesses.collect(), active);
}

fn load_tile(executor: &mut Executor<'_, '_>, tile: &TensorTile, registers: &[Destination], active: u32) {
    let leader = active.trailing_zeros() as usize;
    for (register, lane) in registers.iter().flat_map(|one| lanes_of(active).map(move |lane| (*one, lane))) {
        executor.set_lane(register, lane, 0);
    }
    let Some(regions) = tile_regions(executor, tile, leader) else { return };
    begin_tile(executor, TensorOperationKind::Load, TensorRole::Input, &regions, active);
    let Some(first) = regions.first() else { return };
    let mut undefined = Vec::new();
    for (number, register) in registers.iter().enumerate() {
        for lane in lanes_of(active) {
            match tile_element(executor, tile.elements, first, number as u32, lane) {
                TensorCell::Known(value) => executor.set_lane(*register, lane, value.into()),
                TensorCell::Unknown(place) => {
                    let reads = vec![(UndefinedCause::Result, place)];
                    executor.set_undefined(*register, lane, UndefinedBits { bits: u64::MAX, reads });
                }
                TensorCell::Unwritten => {
                    let (address, size, space) = (u64::from(first.address()), first.bytes(), "tensor");
                    let kind = ProblemKind::UninitializedMemory { address, size, space };
                    let reads = vec![(UndefinedCause::Problem(kind), executor.place())];
                    undefined.push((register.slot, lane, UndefinedBits { bits: u64::MAX, reads }));
                }
            }
        }
    }
    if !undefined.is_empty() {
        executor.mark_undefined(undefined);
    }
}

/// What a register of a lane gets.
fn tile_element(
    executor: &Executor<'_, '_>,
    elements: TileElements,
    region: &TensorRegion,
    register: u32,
    lane: usize,
) -> TensorCell {
    let memory = &executor.machine.ctas[executor.warp.cta].tensors;
    let row = region.lanes().trailing_zeros() + lane as u32;
    let cell = |column: u32| memory.cell(row, region.columns().start + column);
    match elements {
        TileElements::ColumnsOfLane => cell(register),
        TileElements::HalvesOfLane => match (cell(2 * register), cell(2 * register + 1)) {
            (TensorCell::Known(low), TensorCell::Known(high)) => TensorCell::Known(low & 0xffff | high << 16),
            (TensorCell::Unwritten, _) | (_, TensorCell::Unwritten) => TensorCell::Unwritten,
            (unknown @ TensorCell::Unknown(_), _) | (_, unknown) => unknown,
        },
        TileElements::Spread if memory.is_unwritten(region) => TensorCell::Unwritten,
        TileElements::Spread => TensorCell::Unknown(executor.place()),
    }
}

fn store_tile(executor: &mut Executor<'_, '_>, tile: &TensorTile, registers: &[Source], active: u32) {
    let leader = active.trailing_zeros() as usize;
    let Some(regions) = tile_regions(executor, tile, leader) else { return };
    begin_tile(executor, TensorOperationKind::Store, TensorRole::Output, &regions, active);
    let (place, slot) = (executor.place(), executor.warp.cta);
    let Some(first) = regions.first() else { return };
    if tile.elements == TileElements::Spread {
        let memory = &mut executor.machine.ctas[slot].tensors;
        return regions.iter().for_each(|region| memory.fill(region, TensorCell::Unknown(place)));
    }
    let (row, column) = (first.lanes().trailing_zeros(), first.columns().start);
    for (number, register) in registers.iter().enumerate() {
        for lane in lanes_of(active) {
            let cell = stored_cell(executor, *register, lane);
            let memory = &mut executor.machine.ctas[slot].tensors;
            let row = row + lane as u32;
            match (tile.elements, cell) {
                (TileElements::HalvesOfLane, cell) => {
                    let half = |shift: u32| match cell {
                        TensorCell::Known(value) => TensorCell::Known(value >> shift & 0xffff),
                        cell => cell,
                    };
                    memory.set(row, column + 2 * number as u32, half(0));
                    memory.set(row, column + 2 * number as u32 + 1, half(16));
                }
                (_, cell) => memory.set(row, column + number as u32, cell),
            }
        }
    }
}

fn stored_cell(executor: &Executor<'_, '_>, register: Source, lane: usize) -> TensorCell {
    let undefined = executor.undefined(register, lane);
    match undefined.result_of() {
        Some(place) => TensorCell::Unknown(place),
        None if undefined.bits as u32 == u32::MAX => TensorCell::Unwritten,
        None => TensorCell::Known(executor.values(register)[lane] as u32),
    }
}
