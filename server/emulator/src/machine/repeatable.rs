//! Instructions that a loop which waits may execute again and again.

use super::mbarrier::MbarrierAction;
use super::program::MachineAction;

/// Whether a loop can execute an instruction in vain as often as it likes.
pub fn is_repeatable(action: &MachineAction) -> bool {
    match action {
        MachineAction::Scalar(_)
        | MachineAction::Load(_)
        | MachineAction::Atomic(_)
        | MachineAction::Branch(_)
        | MachineAction::Move(..)
        | MachineAction::Pack(..)
        | MachineAction::Unpack(..)
        | MachineAction::ConvertAddress(..)
        | MachineAction::Nothing
        | MachineAction::Fence(_)
        | MachineAction::ProxyFence(_)
        | MachineAction::AcquireTensorMap(_) => true,
        MachineAction::Mbarrier(instruction) => matches!(instruction.operation, MbarrierAction::Test(..)),
        _ => false,
    }
}
