//! Instructions on matrices in the registers of a warp.

use crate::machine::memory::locate::{MachineAccess, MemoryPlace};
use crate::machine::ordering::WriteEffect;
use crate::machine::ordering::execution_events::RecordedAccess;
use crate::machine::problem::MachineAccessKind;
use crate::machine::program::matrix::{MatrixInstruction, MatrixLayout, MatrixOperation};
use crate::machine::program::operand::{AccessOrder, Destination, MachineAddress, Source};
use crate::machine::program::proxy::AccessProxy;
use crate::machine::threads::executor::{Executor, Step};
use crate::machine::threads::lanes::LaneValues;
use crate::machine::waiting::barrier::Convergence;

/// The rows of a matrix, and the elements of a row.
const ROWS: usize = 8;
/// The size of a row in bytes.
const ROW_BYTES: u64 = 16;
/// The size of an element in bytes.
const ELEMENT_BYTES: u32 = 2;
/// The width of an element in bits.
const ELEMENT_BITS: u32 = 16;

impl Executor<'_, '_> {
    /// Executes an instruction on matrices, once the lanes of the warp are together.
    pub fn matrix(&mut self, MatrixInstruction { operation, layout }: &MatrixInstruction, active: u32) -> Step {
        if let Some(step) = self.converge(Convergence::Required, active) {
            return step;
        }
        match operation {
            MatrixOperation::Load(address, registers) => self.load_matrices(address, registers, *layout),
            MatrixOperation::Store(address, registers) => self.store_matrices(address, registers, *layout),
            MatrixOperation::Move(destination, source) => {
                self.require_defined(*source, active);
                let values = *self.values(*source);
                let element = |lane: usize, element: usize| {
                    // The row of a lane is a column of the source.
                    let (row, column) = MatrixLayout::Columns.position(lane, element);
                    values[row * 4 + column / 2] >> (ELEMENT_BITS as usize * (column % 2)) & 0xffff
                };
                let moved = std::array::from_fn(|lane| element(lane, 0) | element(lane, 1) << ELEMENT_BITS);
                self.frame.set(*destination, &moved, active);
            }
        }
        Step::Next
    }

    /// The places of the rows of a matrix, by the addresses of eight lanes; a row that is not in memory is reported.
    fn matrix_rows(
        &mut self,
        address: &MachineAddress,
        matrix: usize,
        kind: MachineAccessKind,
    ) -> [Option<MemoryPlace>; ROWS] {
        std::array::from_fn(|row| {
            let lane = matrix * ROWS + row;
            self.require_defined(address.base, 1 << lane);
            let access =
                MachineAccess { space: address.space, address: self.address(address, lane), size: ROW_BYTES, kind };
            self.locate(access, ROW_BYTES).map_err(|problem| self.report(problem, lane)).ok()
        })
    }

    /// Checks the accesses to the rows of a matrix, once they have what is written.
    fn record_rows(
        &mut self,
        address: &MachineAddress,
        matrix: usize,
        kind: MachineAccessKind,
        rows: [Option<(MemoryPlace, WriteEffect)>; ROWS],
    ) {
        for (row, (place, effect)) in rows.into_iter().enumerate().filter_map(|(row, one)| Some((row, one?))) {
            let lane = matrix * ROWS + row;
            let (element, count) = (ELEMENT_BYTES, ROWS as u32);
            let (address, order, proxy) = (self.address(address, lane), AccessOrder::WEAK, AccessProxy::Generic);
            self.record(RecordedAccess { place, address, element, count, kind, order, effect, proxy }, lane);
        }
    }

    fn load_matrices(&mut self, address: &MachineAddress, registers: &[Destination], layout: MatrixLayout) {
        for (matrix, destination) in registers.iter().enumerate() {
            let rows = self.matrix_rows(address, matrix, MachineAccessKind::Read);
            let read = rows.map(|place| place.map(|place| (place, WriteEffect::None)));
            self.record_rows(address, matrix, MachineAccessKind::Read, read);
            let (mut values, mut defined): (LaneValues, u32) = ([0; 32], u32::MAX);
            for (lane, held) in values.iter_mut().enumerate() {
                for element in 0..2 {
                    let (row, column) = layout.position(lane, element);
                    let Some(place) = rows[row] else { continue };
                    let offset = column as u32 * ELEMENT_BYTES;
                    if let Some(result) = self.unknown_at(place, offset, ELEMENT_BYTES) {
                        return self.machine.need_result(result);
                    }
                    let (value, is_defined) = self.read(place, offset, ELEMENT_BYTES, lane);
                    *held |= value << (ELEMENT_BITS as usize * element);
                    defined &= !(u32::from(!is_defined) << lane);
                }
            }
            self.set(*destination, &values, u32::MAX, defined);
        }
    }

    fn store_matrices(&mut self, address: &MachineAddress, registers: &[Source], layout: MatrixLayout) {
        for (matrix, source) in registers.iter().enumerate() {
            self.require_defined(*source, u32::MAX);
            let rows = self.matrix_rows(address, matrix, MachineAccessKind::Write);
            let mut written = rows.map(|place| place.map(|place| (place, WriteEffect::None)));
            let values = *self.values(*source);
            for (lane, value) in values.iter().enumerate() {
                for element in 0..2 {
                    let (row, column) = layout.position(lane, element);
                    let Some((place, effect)) = &mut written[row] else { continue };
                    let value = value >> (ELEMENT_BITS as usize * element) & 0xffff;
                    let own = self.write(*place, column as u32 * ELEMENT_BYTES, ELEMENT_BYTES, value, lane);
                    *effect = own.max(*effect);
                }
            }
            self.record_rows(address, matrix, MachineAccessKind::Write, written);
        }
    }
}
