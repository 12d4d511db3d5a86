//! Which instructions access memory strongly.

use super::super::program::MachineAction;
use isa::types::Sem;

/// Whether an instruction reads memory strongly.
pub fn is_strong_read(action: &MachineAction) -> bool {
    match action {
        MachineAction::Load(load) => load.order.sem != Sem::Weak,
        MachineAction::Atomic(atomic) => atomic.order.sem != Sem::Weak,
        _ => false,
    }
}

/// Whether an instruction may write strongly, or call what does.
pub fn may_write_strongly(action: &MachineAction) -> bool {
    match action {
        MachineAction::Store(store) => store.order.sem != Sem::Weak,
        MachineAction::Load(_) => false,
        MachineAction::Call(_) | MachineAction::Copy(_) | MachineAction::TensorCopy(_) => true,
        action => is_strong_read(action),
    }
}
