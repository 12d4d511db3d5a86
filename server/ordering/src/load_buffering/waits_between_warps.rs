//! Whether threads of different warps may be executed after each other without reading what the other one has written.

use program::machine_program::{MachineAction, MachineProgram};

/// Whether a program has barriers of CTAs or clusters, mbarriers, or what else one thread does and another one waits for.
///
/// Where it has none, what is executed after the instructions that lanes of a warp execute together is what these lanes do, and what reads what they
/// write.
pub fn waits_between_warps(program: &MachineProgram) -> bool {
    program.instructions().any(|instruction| !is_of_warp(&instruction.action))
}

fn is_of_warp(action: &MachineAction) -> bool {
    action.synchronization().is_within_warp() && action.asynchronous_end().is_none()
}
