//! Loads and stores of matrices by the lanes of a warp, each of its part: `wmma.load` and `wmma.store`.

use crate::memory::locate::{MachineAccess, MemoryPlace};
use crate::memory::unknown_results;
use crate::recording::recorded_access::RecordedAccess;
use crate::threads::executor::Executor;
use crate::threads::undefined_bits::{UndefinedBits, UndefinedCause};
use ordering::WriteEffect;
use program::lanes::lanes_of;
use program::matrix::FragmentAccess;
use program::operand::{AccessOrder, Destination, MachineAddress, Source};
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;

/// Neighbours in memory that a register holds.
#[derive(Clone, Copy)]
struct FragmentRun {
    /// The first byte from the address on.
    offset: i64,
    /// The size in bytes.
    size: u32,
    /// How far their bits are shifted in the register.
    shift: u32,
}

/// The bits of the place in a line.
const PLACE_BITS: u32 = 16;

/// What each register of a lane holds, with a distance of lines.
fn runs<R: Copy>(access: &FragmentAccess<R>, lane: usize, stride: u64) -> Vec<(R, Vec<FragmentRun>)> {
    let bits = access.fragment.bits;
    let size = bits.div_ceil(8);
    let offset = |position: u32| {
        let (line, place) = (u64::from(position >> PLACE_BITS), u64::from(position & ((1 << PLACE_BITS) - 1)));
        let in_bits = line.wrapping_mul(stride).wrapping_mul(access.stride.1.into()) + place * u64::from(bits);
        in_bits as i64 / 8
    };
    let mut registers = Vec::new();
    for (register, parts) in access.fragment.parts() {
        let mut runs: Vec<FragmentRun> = Vec::new();
        for (shift, position) in parts {
            let offset = offset(position + access.fragment.lanes[lane]);
            match runs.last_mut() {
                // Two elements of 4 bits are in a byte.
                Some(last) if bits < 8 && offset == last.offset + i64::from(last.size) - 1 => {}
                Some(last) if offset == last.offset + i64::from(last.size) => last.size += size,
                _ => runs.push(FragmentRun { offset, size, shift }),
            }
        }
        registers.push((register, runs));
    }
    registers
}

/// Loads the parts of a matrix.
pub fn load_fragment(executor: &mut Executor<'_, '_>, access: &FragmentAccess<Destination>, active: u32) {
    executor.require_defined(access.address.base, active);
    executor.require_defined(access.stride.0, active);
    let mut undefined = Vec::new();
    for lane in lanes_of(active) {
        for (register, runs) in runs(access, lane, executor.values(access.stride.0)[lane]) {
            let (mut value, mut missing) = (0, UndefinedBits::default());
            for run in runs {
                let kind = MachineAccessKind::Read;
                let Some((place, address)) = locate_run(executor, &access.address, run, kind, lane) else { continue };
                record_run(executor, place, (address, run.size), kind, WriteEffect::None, lane);
                if let Some(result) = unknown_results::unknown_at(executor, place, 0, run.size) {
                    return executor.machine.need_result(result);
                }
                let (read, is_defined) = executor.read(place, 0, run.size, lane);
                value |= read << run.shift;
                if !is_defined {
                    let (size, space) = (run.size.into(), place.space_name());
                    let kind = ProblemKind::UninitializedMemory { address, size, space };
                    missing.bits |= u64::MAX >> (64 - 8 * run.size) << run.shift;
                    missing.add_reads(UndefinedBits {
                        bits: 0,
                        reads: vec![(UndefinedCause::Problem(kind), executor.place())],
                    });
                }
            }
            executor.set_lane(register, lane, value);
            if missing.bits != 0 {
                undefined.push((register.slot, lane, missing));
            }
        }
    }
    executor.mark_undefined(undefined);
}

/// Stores the parts of a matrix.
pub fn store_fragment(executor: &mut Executor<'_, '_>, access: &FragmentAccess<Source>, active: u32) {
    executor.require_defined(access.address.base, active);
    executor.require_defined(access.stride.0, active);
    for lane in lanes_of(active) {
        for (register, runs) in runs(access, lane, executor.values(access.stride.0)[lane]) {
            executor.require_defined(register, 1 << lane);
            let value = executor.values(register)[lane];
            for run in runs {
                let kind = MachineAccessKind::Write;
                let Some((place, address)) = locate_run(executor, &access.address, run, kind, lane) else { continue };
                unknown_results::note_stored(executor, place, 0, run.size, None);
                let effect = executor.write(place, 0, run.size, value >> run.shift, lane);
                record_run(executor, place, (address, run.size), kind, effect, lane);
            }
        }
    }
}

/// Where neighbours are, with their address; `None` after it was reported that they are nowhere.
fn locate_run(
    executor: &mut Executor<'_, '_>,
    address: &MachineAddress,
    run: FragmentRun,
    kind: MachineAccessKind,
    lane: usize,
) -> Option<(MemoryPlace, u64)> {
    let at = executor.address(address, lane).wrapping_add(run.offset as u64);
    let size = u64::from(run.size);
    let access = MachineAccess { space: address.space, address: at, size, kind };
    match executor.locate(access, size) {
        Ok(place) => Some((place, at)),
        Err(problem) => {
            executor.report(problem, lane);
            None
        }
    }
}

fn record_run(
    executor: &mut Executor<'_, '_>,
    place: MemoryPlace,
    (address, element): (u64, u32),
    kind: MachineAccessKind,
    effect: WriteEffect,
    lane: usize,
) {
    let (order, proxy) = (AccessOrder::WEAK, AccessProxy::Generic);
    executor.record(RecordedAccess { place, address, element, count: 1, kind, order, effect, proxy }, lane);
}
