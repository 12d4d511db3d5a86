//! Instructions on matrices in the registers of a warp.

use crate::memory::locate::{MachineAccess, MemoryPlace};
use crate::memory::unknown_results;
use crate::recording::recorded_access::RecordedAccess;
use crate::threads::executor::{Executor, Step};
use crate::threads::fragment_access;
use crate::threads::matrix_product;
use crate::waiting::synchronize;
use ordering::WriteEffect;
use program::lanes::LaneValues;
use program::matrix::{MatrixInstruction, MatrixLayout};
use program::operand::{AccessOrder, Destination, MachineAddress, Source};
use program::problem::MachineAccessKind;
use program::proxy::AccessProxy;
use program::waiting::barrier_instruction::Convergence;

/// The rows of a matrix, and the elements of a row.
const ROWS: usize = 8;
/// The size of a row in bytes.
const ROW_BYTES: u64 = 16;
/// The size of an element in bytes.
const ELEMENT_BYTES: u32 = 2;
/// The width of an element in bits.
const ELEMENT_BITS: u32 = 16;

/// Executes an instruction on matrices, once the lanes of the warp are together.
pub fn matrix(executor: &mut Executor<'_, '_>, instruction: &MatrixInstruction, active: u32) -> Step {
    if let Some(step) = synchronize::converge(executor, Convergence::Required, active) {
        return step;
    }
    match instruction {
        MatrixInstruction::Load(address, registers, layout) => load_matrices(executor, address, registers, *layout),
        MatrixInstruction::Store(address, registers, layout) => store_matrices(executor, address, registers, *layout),
        MatrixInstruction::Multiply(product) => matrix_product::multiply_fragments(executor, product, active),
        MatrixInstruction::LoadFragment(access) => fragment_access::load_fragment(executor, access, active),
        MatrixInstruction::StoreFragment(access) => fragment_access::store_fragment(executor, access, active),
        MatrixInstruction::Move(destination, source) => {
            executor.require_defined(*source, active);
            let values = *executor.values(*source);
            let element = |lane: usize, element: usize| {
                // The row of a lane is a column of the source.
                let (row, column) = MatrixLayout::Columns.position(lane, element);
                values[row * 4 + column / 2] >> (ELEMENT_BITS as usize * (column % 2)) & 0xffff
            };
            let moved = std::array::from_fn(|lane| element(lane, 0) | element(lane, 1) << ELEMENT_BITS);
            executor.frame.set(*destination, &moved, active);
        }
    }
    Step::Next
}

/// The places of the rows of a matrix, by the addresses of eight lanes; a row that is not in memory is reported.
fn matrix_rows(
    executor: &mut Executor<'_, '_>,
    address: &MachineAddress,
    matrix: usize,
    kind: MachineAccessKind,
) -> [Option<MemoryPlace>; ROWS] {
    std::array::from_fn(|row| {
        let lane = matrix * ROWS + row;
        executor.require_defined(address.base, 1 << lane);
        let access =
            MachineAccess { space: address.space, address: executor.address(address, lane), size: ROW_BYTES, kind };
        executor.locate(access, ROW_BYTES).map_err(|problem| executor.report(problem, lane)).ok()
    })
}

/// Checks the accesses to the rows of a matrix, once they have what is written.
fn record_rows(
    executor: &mut Executor<'_, '_>,
    address: &MachineAddress,
    matrix: usize,
    kind: MachineAccessKind,
    rows: [Option<(MemoryPlace, WriteEffect)>; ROWS],
) {
    for (row, (place, effect)) in rows.into_iter().enumerate().filter_map(|(row, one)| Some((row, one?))) {
        let lane = matrix * ROWS + row;
        let (element, count) = (ELEMENT_BYTES, ROWS as u32);
        let (address, order, proxy) = (executor.address(address, lane), AccessOrder::WEAK, AccessProxy::Generic);
        executor.record(RecordedAccess { place, address, element, count, kind, order, effect, proxy }, lane);
    }
}

fn load_matrices(
    executor: &mut Executor<'_, '_>,
    address: &MachineAddress,
    registers: &[Destination],
    layout: MatrixLayout,
) {
    for (matrix, destination) in registers.iter().enumerate() {
        let rows = matrix_rows(executor, address, matrix, MachineAccessKind::Read);
        let read = rows.map(|place| place.map(|place| (place, WriteEffect::None)));
        record_rows(executor, address, matrix, MachineAccessKind::Read, read);
        let (mut values, mut defined): (LaneValues, u32) = ([0; 32], u32::MAX);
        for (lane, held) in values.iter_mut().enumerate() {
            for element in 0..2 {
                let (row, column) = layout.position(lane, element);
                let Some(place) = rows[row] else { continue };
                let offset = column as u32 * ELEMENT_BYTES;
                if let Some(result) = unknown_results::unknown_at(executor, place, offset, ELEMENT_BYTES) {
                    return executor.machine.need_result(result);
                }
                let (value, is_defined) = executor.read(place, offset, ELEMENT_BYTES, lane);
                *held |= value << (ELEMENT_BITS as usize * element);
                defined &= !(u32::from(!is_defined) << lane);
            }
        }
        executor.set(*destination, &values, u32::MAX, defined);
    }
}

fn store_matrices(
    executor: &mut Executor<'_, '_>,
    address: &MachineAddress,
    registers: &[Source],
    layout: MatrixLayout,
) {
    for (matrix, source) in registers.iter().enumerate() {
        executor.require_defined(*source, u32::MAX);
        let rows = matrix_rows(executor, address, matrix, MachineAccessKind::Write);
        let mut written = rows.map(|place| place.map(|place| (place, WriteEffect::None)));
        let values = *executor.values(*source);
        for (lane, value) in values.iter().enumerate() {
            for element in 0..2 {
                let (row, column) = layout.position(lane, element);
                let Some((place, effect)) = &mut written[row] else { continue };
                let value = value >> (ELEMENT_BITS as usize * element) & 0xffff;
                let own = executor.write(*place, column as u32 * ELEMENT_BYTES, ELEMENT_BYTES, value, lane);
                *effect = own.max(*effect);
            }
        }
        record_rows(executor, address, matrix, MachineAccessKind::Write, written);
    }
}
