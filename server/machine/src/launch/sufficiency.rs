//! Whether summaries of the accesses of a launch can show that it has no races.

use crate::memory::global::GlobalMemory;
use program::analysis::independent::clusters_are_independent;
use program::effects::{InstructionMemory, Synchronization};
use program::launch::kernel_launch::{Launch, UseRecording};
use program::machine_program::{MachineAction, MachineProgram};
use program::proxy::AccessProxy;
use program::waiting::barrier_instruction::{BarrierAction, BarrierInstruction};

/// Whether summaries suffice: CTAs exchange nothing, and nothing accesses memory after its thread has gone on or through another proxy.
pub fn suffices(program: &MachineProgram, launch: &Launch, memory: &GlobalMemory) -> bool {
    launch.cluster.count() == 1
        && launch.beside.is_empty()
        && launch.trace.is_empty()
        && launch.uses == UseRecording::Off
        && !memory.has_earlier()
        && clusters_are_independent(program)
        && program.instructions().all(|one| is_known(&one.action))
}

/// Whether every thread that arrives at a barrier of the CTA waits there.
pub fn all_wait_at_barriers(program: &MachineProgram) -> bool {
    program.instructions().all(|one| match one.action.synchronization() {
        Synchronization::Barrier(BarrierInstruction::Cta(barrier)) => !matches!(barrier.mode, BarrierAction::Arrive),
        _ => true,
    })
}

fn is_known(action: &MachineAction) -> bool {
    let accesses = match action.memory() {
        InstructionMemory::Load(load) => matches!(load.proxy, AccessProxy::Generic | AccessProxy::NonCoherent),
        InstructionMemory::None
        | InstructionMemory::Store(_)
        | InstructionMemory::Update(_)
        | InstructionMemory::Matrix => true,
        InstructionMemory::Fill(_)
        | InstructionMemory::Mbarrier(_)
        | InstructionMemory::Image(_)
        | InstructionMemory::TensorMap(_)
        | InstructionMemory::Copy(_)
        | InstructionMemory::TensorCopy(_)
        | InstructionMemory::Answer
        | InstructionMemory::Descriptors
        | InstructionMemory::Unknown => false,
    };
    let synchronizes = match action.synchronization() {
        Synchronization::None
        | Synchronization::Fence(_)
        | Synchronization::Barrier(_)
        | Synchronization::Lanes(_)
        | Synchronization::Matrix
        | Synchronization::Call(_)
        | Synchronization::EarlierKernel
        | Synchronization::NextKernel => true,
        Synchronization::Proxies
        | Synchronization::TensorFence(_)
        | Synchronization::Warpgroup(_)
        | Synchronization::Tensor(_)
        | Synchronization::Mbarrier(_)
        | Synchronization::Copy
        | Synchronization::Group(_)
        | Synchronization::CancelLaunch
        | Synchronization::Answer
        | Synchronization::Unknown => false,
    };
    accesses && synchronizes
}
