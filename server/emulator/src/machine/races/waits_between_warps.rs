//! Whether threads of different warps may be executed after each other without reading what the other one has written.

use super::super::barrier::BarrierInstruction;
use super::super::program::{MachineAction, MachineProgram};

/// Whether a program has barriers of CTAs or clusters, mbarriers, or what else one thread does and another one waits for.
///
/// Where it has none, what is executed after the instructions that lanes of a warp execute together is what these lanes do, and what reads what they
/// write.
pub fn waits_between_warps(program: &MachineProgram) -> bool {
    program.instructions().any(|instruction| !is_of_warp(&instruction.action))
}

fn is_of_warp(action: &MachineAction) -> bool {
    matches!(
        action,
        MachineAction::Nothing
            | MachineAction::Scalar(_)
            | MachineAction::Move(..)
            | MachineAction::Pack(..)
            | MachineAction::Unpack(..)
            | MachineAction::ReadSpecial(..)
            | MachineAction::ConvertAddress(..)
            | MachineAction::IsSpace(..)
            | MachineAction::MapToRank(..)
            | MachineAction::RankOf(..)
            | MachineAction::Load(_)
            | MachineAction::Store(_)
            | MachineAction::Atomic(_)
            | MachineAction::Fence(_)
            | MachineAction::Branch(_)
            | MachineAction::BranchIndexed(..)
            | MachineAction::Call(_)
            | MachineAction::Return
            | MachineAction::Exit
            | MachineAction::Trap
            | MachineAction::Barrier(BarrierInstruction::Warp(_))
            | MachineAction::Collective(_)
            | MachineAction::Matrix(_)
            | MachineAction::AllocateLocal(..)
    )
}
