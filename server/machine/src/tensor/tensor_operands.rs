//! Operands of instructions on tensor memory, and the operations that they begin.

use crate::threads::executor::Executor;
use ordering::tensor_memory::operations;
use ordering::{TensorAccess, TensorOperation, TensorOperationKind, TensorRace};
use program::launch::kernel_launch::ThreadId;
use program::operand::{MachineAddress, Source};
use program::problem::{CodePlace, MachineAccessKind, ProblemKind};
use program::tensor::tensor_instruction::CtaGroup;
use program::tensor::tensor_mistake::{TensorMemoryMistake, TensorRaceCause};
use program::tensor::tensor_region::{TensorAddress, TensorRegion, TensorRole};

/// The value of an operand of 32 bits.
pub fn tensor_operand(executor: &mut Executor<'_, '_>, source: Source, lane: usize) -> u32 {
    executor.require_defined(source, 1 << lane);
    executor.values(source)[lane] as u32
}

/// An address in tensor memory.
pub fn tensor_address(executor: &mut Executor<'_, '_>, address: &MachineAddress, lane: usize) -> TensorAddress {
    executor.require_defined(address.base, 1 << lane);
    TensorAddress(executor.address(address, lane) as u32)
}

/// Reports a wrong use of tensor memory.
pub fn report_tensors(executor: &mut Executor<'_, '_>, mistake: TensorMemoryMistake, lane: usize) {
    executor.report(ProblemKind::TensorMemory { mistake }, lane);
}

/// Begins an operation of some lanes, and reports what it races with.
pub fn begin_tensor_operation(
    executor: &mut Executor<'_, '_>,
    (kind, group): (TensorOperationKind, CtaGroup),
    accesses: Vec<TensorAccess>,
    lanes: u32,
) {
    let leader = lanes.trailing_zeros() as usize;
    let (agent, place) = (executor.agent(leader), executor.place());
    let operation = TensorOperation { agent, lanes, place, kind, group, accesses };
    let thread = executor.thread(leader);
    for race in operations::begin_tensor_operation(&mut executor.machine.races, operation) {
        report_tensor_race(executor, &race, thread, place);
    }
}

fn report_tensor_race(executor: &mut Executor<'_, '_>, race: &TensorRace, thread: ThreadId, place: CodePlace) {
    let (slot, number) = executor.machine.races.thread(race.earlier);
    let other = ThreadId { cta: executor.machine.cta_number(slot), thread: number };
    let kind = |role: TensorRole| if role.writes() { MachineAccessKind::Write } else { MachineAccessKind::Read };
    let (access, other_access) = (kind(race.role), kind(race.earlier_role));
    let kind = ProblemKind::TensorRace { address: race.address, access, other: other_access, cause: race.cause };
    let list = match race.cause {
        TensorRaceCause::NotFenced => &mut executor.machine.notes,
        _ => &mut executor.machine.problems,
    };
    list.report(kind, thread, place, vec![(other, race.place)]);
}

/// Reports a part that is not allocated.
pub fn require_allocated(executor: &mut Executor<'_, '_>, slot: usize, region: &TensorRegion, lane: usize) -> bool {
    let columns = region.columns();
    let is_allocated = executor.machine.ctas[slot].tensors.is_allocated(&columns);
    if !is_allocated {
        report_tensors(executor, TensorMemoryMistake::NotAllocated(columns.start, columns.end), lane);
    }
    is_allocated
}
