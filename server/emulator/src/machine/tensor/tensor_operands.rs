//! Operands of instructions on tensor memory, and the operations that they begin.

use crate::machine::launch::kernel_launch::ThreadId;
use crate::machine::ordering::{TensorAccess, TensorOperation, TensorOperationKind, TensorRace};
use crate::machine::problem::{CodePlace, MachineAccessKind, ProblemKind};
use crate::machine::program::operand::{MachineAddress, Source};
use crate::machine::tensor::tensor_instruction::CtaGroup;
use crate::machine::tensor::tensor_mistake::{TensorMemoryMistake, TensorRaceCause};
use crate::machine::tensor::tensor_region::{TensorAddress, TensorRegion, TensorRole};
use crate::machine::threads::executor::Executor;

impl Executor<'_, '_> {
    /// The value of an operand of 32 bits.
    pub fn tensor_operand(&mut self, source: Source, lane: usize) -> u32 {
        self.require_defined(source, 1 << lane);
        self.values(source)[lane] as u32
    }

    /// An address in tensor memory.
    pub fn tensor_address(&mut self, address: &MachineAddress, lane: usize) -> TensorAddress {
        self.require_defined(address.base, 1 << lane);
        TensorAddress(self.address(address, lane) as u32)
    }

    /// Reports a wrong use of tensor memory.
    pub fn report_tensors(&mut self, mistake: TensorMemoryMistake, lane: usize) {
        self.report(ProblemKind::TensorMemory { mistake }, lane);
    }

    /// Begins an operation of some lanes, and reports what it races with.
    pub fn begin_tensor_operation(
        &mut self,
        (kind, group): (TensorOperationKind, CtaGroup),
        accesses: Vec<TensorAccess>,
        lanes: u32,
    ) {
        let leader = lanes.trailing_zeros() as usize;
        let (agent, place) = (self.agent(leader), self.place());
        let operation = TensorOperation { agent, lanes, place, kind, group, accesses };
        let thread = self.thread(leader);
        for race in self.machine.races.begin_tensor_operation(operation) {
            self.report_tensor_race(&race, thread, place);
        }
    }

    fn report_tensor_race(&mut self, race: &TensorRace, thread: ThreadId, place: CodePlace) {
        let (slot, number) = self.machine.races.thread(race.earlier);
        let other = ThreadId { cta: self.machine.cta_number(slot), thread: number };
        let kind = |role: TensorRole| if role.writes() { MachineAccessKind::Write } else { MachineAccessKind::Read };
        let (access, other_access) = (kind(race.role), kind(race.earlier_role));
        let kind = ProblemKind::TensorRace { address: race.address, access, other: other_access, cause: race.cause };
        let list = match race.cause {
            TensorRaceCause::NotFenced => &mut self.machine.notes,
            _ => &mut self.machine.problems,
        };
        list.report(kind, thread, place, vec![(other, race.place)]);
    }

    /// Reports a part that is not allocated.
    pub fn require_allocated(&mut self, slot: usize, region: &TensorRegion, lane: usize) -> bool {
        let columns = region.columns();
        let is_allocated = self.machine.ctas[slot].tensors.is_allocated(&columns);
        if !is_allocated {
            self.report_tensors(TensorMemoryMistake::NotAllocated(columns.start, columns.end), lane);
        }
        is_allocated
    }
}
