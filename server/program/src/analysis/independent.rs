//! Whether the clusters of a kernel can have to do with each other.

use crate::analysis::liveness::{RegisterSet, read_registers};
use crate::call::{CallTarget, SystemFunction};
use crate::copies::async_copy::AsyncCopy;
use crate::copies::tensor_map::TensorDirection;
use crate::effects::{InstructionMemory, RegisterComputation, Synchronization};
use crate::machine_program::{MachineAction, MachineProgram};
use crate::memory::commutative_update::is_commutative;
use crate::operand::{AccessOrder, MemorySpace};
use crate::special::SpecialValue;
use isa::types::Sem;
use std::cell::OnceCell;

/// Whether clusters exchange nothing unless they race: no instruction can make one wait for another, or hand a value to it in an order that is
/// defined. Then any order of the clusters is as good as any other one. Atomics may update the same words if nothing can tell their order.
pub fn clusters_are_independent(program: &MachineProgram) -> bool {
    program.functions.iter().all(|function| {
        let read = OnceCell::new();
        let read = || read.get_or_init(|| read_registers(function));
        function.code.iter().all(|one| is_confined(&one.action, read))
    })
}

/// Whether an atomic may update global memory.
pub fn has_global_atomics(program: &MachineProgram) -> bool {
    program
        .instructions()
        .filter_map(|one| one.action.memory().update())
        .any(|atomic| may_be_global(atomic.address.space))
}

/// Whether clusters can take over the work of others that have not begun.
pub fn cancels_launches(program: &MachineProgram) -> bool {
    let synchronizations = program.instructions().map(|instruction| instruction.action.synchronization());
    synchronizations.into_iter().any(|one| matches!(one, Synchronization::CancelLaunch))
}

/// Whether an instruction exchanges nothing with other clusters, by the registers that its function reads.
fn is_confined<'r>(action: &MachineAction, read: impl FnOnce() -> &'r RegisterSet) -> bool {
    // Clocks count the instructions of the grid.
    if let Some(RegisterComputation::Special(value)) = action.computation() {
        return !value.is_clock() && !matches!(value, SpecialValue::GridWorkspace(_));
    }
    // The heap and the output are those of the grid.
    if let Some(call) = action.flow().call() {
        return !matches!(call.target, CallTarget::System(function) if function != SystemFunction::AssertionFailed);
    }
    match action.memory() {
        InstructionMemory::Update(atomic) => !may_be_global(atomic.address.space) || is_commutative(atomic, read),
        InstructionMemory::Load(load) => is_plain(load.order) || !may_be_global(load.address.space),
        InstructionMemory::Store(store) => is_plain(store.order) || !may_be_global(store.address.space),
        InstructionMemory::Copy(copy) => is_plain_copy(copy),
        InstructionMemory::TensorCopy(copy) => !matches!(copy.direction, TensorDirection::Reduce(_)),
        InstructionMemory::Answer => false,
        InstructionMemory::None
        | InstructionMemory::Fill(_)
        | InstructionMemory::Matrix
        | InstructionMemory::Mbarrier(_)
        | InstructionMemory::Image(_)
        | InstructionMemory::TensorMap(_)
        | InstructionMemory::Descriptors
        | InstructionMemory::Unknown => true,
    }
}

const fn may_be_global(space: MemorySpace) -> bool {
    matches!(space, MemorySpace::Generic | MemorySpace::Global)
}

fn is_plain(order: AccessOrder) -> bool {
    order.sem == Sem::Weak
}

/// Whether a copy is no reduction in global memory.
const fn is_plain_copy(copy: &AsyncCopy) -> bool {
    copy.reduction.is_none() || !may_be_global(copy.destination.space)
}
