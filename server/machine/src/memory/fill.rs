//! `st.bulk`: fills shared memory with zeros.

use crate::memory::locate::{MachineAccess, MemoryPlace};
use crate::recording::recorded_access::RecordedAccess;
use crate::threads::executor::Executor;
use ordering::WriteEffect;
use program::lanes::lanes_of;
use program::machine_program::Fill;
use program::operand::AccessOrder;
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;

/// The bytes that are written at a time.
const UNIT: u32 = 8;

/// Fills memory in each active lane.
pub fn fill(executor: &mut Executor<'_, '_>, fill: &Fill, active: u32) {
    executor.require_defined(fill.address.base, active);
    executor.require_defined(fill.bytes, active);
    for lane in lanes_of(active) {
        if let Err(problem) = fill_lane(executor, fill, lane) {
            executor.report(problem, lane);
        }
    }
}

fn fill_lane(executor: &mut Executor<'_, '_>, fill: &Fill, lane: usize) -> Result<(), ProblemKind> {
    let size = executor.values(fill.bytes)[lane];
    if !size.is_multiple_of(UNIT.into()) {
        return Err(ProblemKind::BulkSize { operation: "store", bytes: size, multiple: UNIT.into() });
    }
    let address = executor.address(&fill.address, lane);
    let kind = MachineAccessKind::Write;
    let place = executor.locate(MachineAccess { space: fill.address.space, address, size, kind }, UNIT.into())?;
    if !matches!(place, MemoryPlace::Shared(..)) {
        return Err(ProblemKind::WrongSpace { address, expected: "shared", found: place.space_name() });
    }
    let count = (size / u64::from(UNIT)) as u32;
    let mut effect = WriteEffect::None;
    for number in 0..count {
        effect = effect.max(executor.write(place, number * UNIT, UNIT, 0, lane));
    }
    if count > 0 {
        let (order, proxy) = (AccessOrder::WEAK, AccessProxy::Generic);
        executor.record(RecordedAccess { place, address, element: UNIT, count, kind, order, effect, proxy }, lane);
    }
    Ok(())
}
