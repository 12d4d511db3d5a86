//! Executes the instructions of `tcgen05` that allocate, load, store and order. Values are known at the issue: what later changes them is a race.

use crate::machine::memory::locate::MachineAccess;
use crate::machine::ordering::execution_events::RecordedAccess;
use crate::machine::ordering::{TensorAccess, TensorOperation, TensorOperationKind, WriteEffect};
use crate::machine::problem::{MachineAccessKind, ProblemKind};
use crate::machine::program::operand::{AccessOrder, Destination, MachineAddress, Source};
use crate::machine::program::proxy::AccessProxy;
use crate::machine::tensor::tensor_instruction::{
    CtaGroup, TensorAction, TensorFence, TensorInstruction, TensorTile, TileElements,
};
use crate::machine::tensor::tensor_memory::{TensorAllocation, TensorCell, is_allocation_size};
use crate::machine::tensor::tensor_mistake::TensorMemoryMistake;
use crate::machine::tensor::tensor_region::{TENSOR_LANES, TensorAddress, TensorRegion, TensorRole};
use crate::machine::threads::executor::{Executor, Step};
use crate::machine::threads::lanes::lanes_of;
use crate::machine::threads::undefined_bits::{UndefinedBits, UndefinedCause};
use crate::machine::threads::warp::SplitState;
use crate::machine::waiting::barrier::Convergence;

/// The lanes of tensor memory that a warp can load and store.
const LANES_OF_WARP: u32 = 32;
/// The warps whose lanes are different ones.
const WARPS: u32 = TENSOR_LANES / LANES_OF_WARP;

impl Executor<'_, '_> {
    /// Executes an instruction of `tcgen05`.
    pub fn tensor(&mut self, instruction: &TensorInstruction, active: u32) -> Step {
        match &instruction.action {
            TensorAction::Fence(fence) => {
                let warp = self.agent(0).warp;
                match fence {
                    TensorFence::Before => self.machine.races.fence_tensors_before(warp, active),
                    TensorFence::After => self.machine.races.fence_tensors_after(warp, active),
                }
            }
            TensorAction::Commit(address, ranks) => self.commit_tensors(address, *ranks, active),
            TensorAction::Multiply(multiply) => self.multiply_tensors(instruction, multiply, active),
            TensorAction::Copy(copy) => self.copy_to_tensors(instruction, copy, active),
            TensorAction::Shift(address, group) => self.shift_tensors(instruction, address, *group, active),
            _ => {
                if let Some(step) = self.converge(Convergence::Required, active) {
                    return step;
                }
                return self.tensor_together(instruction, active);
            }
        }
        Step::Next
    }

    /// What a warp executes together.
    fn tensor_together(&mut self, instruction: &TensorInstruction, active: u32) -> Step {
        let leader = active.trailing_zeros() as usize;
        match &instruction.action {
            TensorAction::Load(tile, _) | TensorAction::Store(tile, _)
                if tile.elements == TileElements::Spread && self.needs_exploration(instruction) => {}
            TensorAction::Allocate(to, columns, group) => return self.allocate_tensors(to, (*columns, *group), active),
            TensorAction::Free(address, columns) => {
                let [address, columns] = [*address, *columns].map(|one| self.tensor_operand(one, leader));
                self.free_tensors(TensorAddress(address), columns, active);
            }
            TensorAction::Relinquish => {
                self.machine.ctas[self.warp.cta].tensors.has_relinquished = true;
                self.change_allocations(TensorRegion::of_lanes(0, 0..0), active);
            }
            TensorAction::Load(tile, registers) => self.load_tile(tile, registers, active),
            TensorAction::Store(tile, registers) => self.store_tile(tile, registers, active),
            TensorAction::Wait(tiles) => {
                let warp = self.agent(0).warp;
                self.machine.races.await_tiles(warp, active, *tiles);
            }
            _ => {}
        }
        Step::Next
    }

    fn allocate_tensors(&mut self, to: &MachineAddress, (columns, group): (Source, CtaGroup), active: u32) -> Step {
        let leader = active.trailing_zeros() as usize;
        let columns = self.tensor_operand(columns, leader);
        if !is_allocation_size(columns) {
            self.report_tensors(TensorMemoryMistake::Size(columns), leader);
            return Step::Next;
        }
        if self.machine.ctas[self.warp.cta].tensors.has_relinquished {
            self.report_tensors(TensorMemoryMistake::Relinquished, leader);
        }
        let Some(first) = self.machine.ctas[self.warp.cta].tensors.room(columns) else {
            return Step::WaitAt(SplitState::TensorMemory(columns), active);
        };
        if group == CtaGroup::Two && self.cta_group(group).len() == 1 {
            self.report_tensors(TensorMemoryMistake::NoPeer, leader);
        }
        let allocation = TensorAllocation { columns, thread: self.thread(leader), place: self.place() };
        self.machine.ctas[self.warp.cta].tensors.allocate(first, allocation);
        self.machine.version += 1;
        self.change_allocations(TensorRegion::new(0..TENSOR_LANES, first..first + columns), active);
        self.require_defined(to.base, 1 << leader);
        let address = self.address(to, leader);
        let kind = MachineAccessKind::Write;
        match self.locate(MachineAccess { space: to.space, address, size: 4, kind }, 4) {
            Ok(place) => {
                self.note_stored(place, 0, 4, None);
                let effect = self.write(place, 0, 4, first.into(), leader).max(WriteEffect::Changes);
                let (order, proxy) = (AccessOrder::WEAK, AccessProxy::Generic);
                let warp = self.agent(0).warp;
                self.machine.races.precede_in_warp(warp, active, leader as u32);
                self.record(
                    RecordedAccess { place, address, element: 4, count: 1, kind, order, effect, proxy },
                    leader,
                );
                self.machine.races.share_in_warp(warp, active, leader as u32);
            }
            Err(problem) => self.report(problem, leader),
        }
        Step::Next
    }

    fn free_tensors(&mut self, address: TensorAddress, columns: u32, active: u32) {
        let leader = active.trailing_zeros() as usize;
        let slot = self.warp.cta;
        let range = address.column()..address.column().saturating_add(columns);
        if !self.machine.ctas[slot].tensors.free(range.start, columns) {
            let mistake = match is_allocation_size(columns) {
                true => TensorMemoryMistake::NotTogether(range.start, range.end),
                false => TensorMemoryMistake::Size(columns),
            };
            return self.report_tensors(mistake, leader);
        }
        self.machine.version += 1;
        let region = TensorRegion::new(0..TENSOR_LANES, range);
        let access = TensorAccess { slot, region, role: TensorRole::Output };
        self.begin_tensor_operation((TensorOperationKind::Free, CtaGroup::One), vec![access], active);
        self.change_allocations(TensorRegion::of_lanes(0, 0..0), active);
    }

    /// Notes a change of what is allocated, with the columns that are from now on.
    fn change_allocations(&mut self, region: TensorRegion, lanes: u32) {
        let (agent, place, slot) = (self.agent(lanes.trailing_zeros() as usize), self.place(), self.warp.cta);
        let accesses = vec![TensorAccess { slot, region, role: TensorRole::Output }];
        let (kind, group) = (TensorOperationKind::Allocation, CtaGroup::One);
        let change = TensorOperation { agent, lanes, place, kind, group, accesses };
        self.machine.races.change_allocations(change, slot);
    }

    /// Reports columns that are not freed, if some lanes are the last of their CTA.
    pub fn check_freed(&mut self, lanes: u32) {
        let cta = &self.machine.ctas[self.warp.cta];
        if cta.live != lanes.count_ones() {
            return;
        }
        let left: Vec<TensorAllocation> = cta.tensors.allocations().copied().collect();
        let (ended, here) = (self.thread(lanes.trailing_zeros() as usize), self.place());
        for TensorAllocation { columns, thread, place } in left {
            let kind = ProblemKind::TensorMemory { mistake: TensorMemoryMistake::NotFreed(columns) };
            self.machine.problems.report(kind, thread, place, vec![(ended, here)]);
        }
    }

    /// The parts of a tile of the warp. Which lanes they are in is a matter of the warp.
    fn tile_regions(&mut self, tile: &TensorTile, leader: usize) -> Option<Vec<TensorRegion>> {
        let address = self.tensor_address(&tile.address, leader);
        let first = self.warp.number % WARPS * LANES_OF_WARP + address.lane() % LANES_OF_WARP;
        // The distance of the second tile may be negative. There are no columns before the first one, as there are none after the last one.
        let second = tile.second.map(|second| address.column().wrapping_add(second).min(u16::MAX.into()));
        let region = |column: u32| TensorRegion::new(first..first + tile.lanes, column..column + tile.columns);
        let regions: Vec<TensorRegion> = std::iter::once(address.column()).chain(second).map(region).collect();
        let all = regions.iter().all(|region| self.require_allocated(self.warp.cta, region, leader));
        all.then_some(regions)
    }

    fn begin_tile(&mut self, kind: TensorOperationKind, role: TensorRole, regions: &[TensorRegion], active: u32) {
        let slot = self.warp.cta;
        let accesses = regions.iter().map(|region| TensorAccess { slot, region: region.clone(), role });
        self.begin_tensor_operation((kind, CtaGroup::One), accesses.collect(), active);
    }

    fn load_tile(&mut self, tile: &TensorTile, registers: &[Destination], active: u32) {
        let leader = active.trailing_zeros() as usize;
        for (register, lane) in registers.iter().flat_map(|one| lanes_of(active).map(move |lane| (*one, lane))) {
            self.set_lane(register, lane, 0);
        }
        let Some(regions) = self.tile_regions(tile, leader) else { return };
        self.begin_tile(TensorOperationKind::Load, TensorRole::Input, &regions, active);
        let Some(first) = regions.first() else { return };
        let mut undefined = Vec::new();
        for (number, register) in registers.iter().enumerate() {
            for lane in lanes_of(active) {
                match self.tile_element(tile.elements, first, number as u32, lane) {
                    TensorCell::Known(value) => self.set_lane(*register, lane, value.into()),
                    TensorCell::Unknown(place) => {
                        let reads = vec![(UndefinedCause::Result, place)];
                        self.set_undefined(*register, lane, UndefinedBits { bits: u64::MAX, reads });
                    }
                    TensorCell::Unwritten => {
                        let (address, size, space) = (u64::from(first.address()), first.bytes(), "tensor");
                        let kind = ProblemKind::UninitializedMemory { address, size, space };
                        let reads = vec![(UndefinedCause::Problem(kind), self.place())];
                        undefined.push((register.slot, lane, UndefinedBits { bits: u64::MAX, reads }));
                    }
                }
            }
        }
        if !undefined.is_empty() {
            self.mark_undefined(undefined);
        }
    }

    /// What a register of a lane gets.
    fn tile_element(&self, elements: TileElements, region: &TensorRegion, register: u32, lane: usize) -> TensorCell {
        let memory = &self.machine.ctas[self.warp.cta].tensors;
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
            TileElements::Spread => TensorCell::Unknown(self.place()),
        }
    }

    fn store_tile(&mut self, tile: &TensorTile, registers: &[Source], active: u32) {
        let leader = active.trailing_zeros() as usize;
        let Some(regions) = self.tile_regions(tile, leader) else { return };
        self.begin_tile(TensorOperationKind::Store, TensorRole::Output, &regions, active);
        let (place, slot) = (self.place(), self.warp.cta);
        let Some(first) = regions.first() else { return };
        if tile.elements == TileElements::Spread {
            let memory = &mut self.machine.ctas[slot].tensors;
            return regions.iter().for_each(|region| memory.fill(region, TensorCell::Unknown(place)));
        }
        let (row, column) = (first.lanes().trailing_zeros(), first.columns().start);
        for (number, register) in registers.iter().enumerate() {
            for lane in lanes_of(active) {
                let cell = self.stored_cell(*register, lane);
                let memory = &mut self.machine.ctas[slot].tensors;
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

    fn stored_cell(&self, register: Source, lane: usize) -> TensorCell {
        let undefined = self.undefined(register, lane);
        match undefined.result_of() {
            Some(place) => TensorCell::Unknown(place),
            None if undefined.bits as u32 == u32::MAX => TensorCell::Unwritten,
            None => TensorCell::Known(self.values(register)[lane] as u32),
        }
    }
}
