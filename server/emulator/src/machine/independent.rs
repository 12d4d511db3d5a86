//! Whether the clusters of a kernel can have to do with each other.

use super::asynchronous::AsyncCopy;
use super::operand::{AccessOrder, MemorySpace};
use super::program::{CallTarget, MachineAction, MachineProgram, SystemFunction};
use super::special::SpecialValue;
use super::tensor_map::TensorDirection;
use isa::types::Sem;

/// Whether clusters exchange nothing unless they race: no instruction can make one wait for another, or hand a value to it in an order that is
/// defined. Then any order of the clusters is as good as any other one.
pub fn clusters_are_independent(program: &MachineProgram) -> bool {
    let mut code = program.functions.iter().flat_map(|function| &function.code);
    code.all(|instruction| is_confined(&instruction.action))
}

/// Whether clusters can take over the work of others that have not begun.
pub fn cancels_launches(program: &MachineProgram) -> bool {
    let mut code = program.functions.iter().flat_map(|function| &function.code);
    code.any(|instruction| matches!(instruction.action, MachineAction::CancelLaunch(_)))
}

/// Whether an instruction exchanges nothing with other clusters.
fn is_confined(action: &MachineAction) -> bool {
    match action {
        MachineAction::Atomic(atomic) => !may_be_global(atomic.address.space),
        MachineAction::Load(load) => is_plain(load.order) || !may_be_global(load.address.space),
        MachineAction::Store(store) => is_plain(store.order) || !may_be_global(store.address.space),
        MachineAction::Copy(copy) => is_plain_copy(copy),
        MachineAction::TensorCopy(copy) => !matches!(copy.direction, TensorDirection::Reduce(_)),
        MachineAction::CancelLaunch(_) => false,
        // Clocks count the instructions of the grid.
        MachineAction::ReadSpecial(_, register) => {
            !matches!(register, SpecialValue::Clock | SpecialValue::ClockHigh | SpecialValue::GridWorkspace(_))
        }
        // The heap and the output are those of the grid.
        MachineAction::Call(call) => {
            !matches!(call.target, CallTarget::System(function) if function != SystemFunction::AssertionFailed)
        }
        _ => true,
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
