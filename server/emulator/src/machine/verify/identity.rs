//! Where threads can no longer tell by instructions which CTA they are in: what they have read before is in their registers and in memory.

use super::super::barrier::BarrierInstruction;
use super::super::launch::Launch;
use super::super::liveness::successors;
use super::super::program::{
    CallTarget, MachineAction, MachineFunction, MachineProgram, OrderedMemory, SystemFunction,
};
use super::super::proxy::AccessProxy;
use super::super::special::SpecialValue;
use super::super::warp::{Split, Warp};

/// The most threads that are compared.
const MOST_THREADS: u64 = 64;

/// Which instructions of a program can tell the CTA of their thread.
#[derive(Clone, Debug)]
pub struct CtaIdentity {
    /// For each instruction of each function, whether it or one that may follow it in the function can.
    after: Vec<Vec<bool>>,
}

impl CtaIdentity {
    /// Those of a launch, if CTAs may change places at all.
    pub fn of(program: &MachineProgram, launch: &Launch) -> Option<Self> {
        let threads = launch.grid.count() * launch.block.count();
        let is_alike = launch.beside.is_empty()
            && launch.first_host_cta().is_none()
            && launch.cluster.count() == 1
            && launch.trace.is_empty()
            && launch.grid.count() > 1
            && threads <= MOST_THREADS;
        if !is_alike {
            return None;
        }
        let functions = &program.functions;
        let own: Option<Vec<Vec<bool>>> = functions
            .iter()
            .map(|function| function.code.iter().map(|instruction| tells_cta(&instruction.action)).collect())
            .collect();
        let own = own?;
        let mut whole: Vec<bool> = own.iter().map(|code| code.contains(&true)).collect();
        while add_called(functions, &mut whole) {}
        let all = functions.iter().zip(own).map(|(function, own)| reads_after(function, own, &whole));
        Some(Self { after: all.collect() })
    }

    /// Whether a group of threads can still tell its CTA, in one of its calls.
    pub fn is_told(&self, warp: &Warp, split: &Split) -> bool {
        split.stack.iter().enumerate().any(|(depth, entry)| {
            let next = split.stack.get(depth + 1).map_or(split.next, |callee| callee.return_to);
            let function = &self.after[warp.frames[entry.frame].function as usize];
            function.get(next as usize) == Some(&true)
        })
    }
}

/// Whether the function of a call can tell.
fn called(target: CallTarget, whole: &[bool]) -> bool {
    match target {
        CallTarget::Function(function) => whole[function as usize],
        CallTarget::Register(_) => whole.contains(&true),
        CallTarget::System(_) => false,
    }
}

/// Adds the functions that call one that can tell. Returns whether there were new ones.
fn add_called(functions: &[MachineFunction], whole: &mut [bool]) -> bool {
    let mut changed = false;
    for (number, function) in functions.iter().enumerate() {
        let before = whole[number];
        for instruction in &function.code {
            if let MachineAction::Call(call) = &instruction.action {
                whole[number] |= called(call.target, whole);
            }
        }
        changed |= whole[number] != before;
    }
    changed
}

/// For each instruction of a function whether it or one after it can tell.
fn reads_after(function: &MachineFunction, mut after: Vec<bool>, whole: &[bool]) -> Vec<bool> {
    for (instruction, found) in function.code.iter().zip(&mut after) {
        if let MachineAction::Call(call) = &instruction.action {
            *found |= called(call.target, whole);
        }
    }
    loop {
        let mut changed = false;
        for at in (0..after.len()).rev() {
            let mut found = after[at];
            successors(&function.code[at], at, |next| found |= after.get(next) == Some(&true));
            changed |= found != after[at];
            after[at] = found;
        }
        if !changed {
            return after;
        }
    }
}

/// Whether an instruction itself can tell; `None` if states with it are not compared under other numbers of their CTAs.
fn tells_cta(action: &MachineAction) -> Option<bool> {
    match action {
        MachineAction::Nothing
        | MachineAction::Scalar(_)
        | MachineAction::Move(..)
        | MachineAction::Pack(..)
        | MachineAction::Unpack(..)
        | MachineAction::ConvertAddress(..)
        | MachineAction::IsSpace(..)
        | MachineAction::Store(_)
        | MachineAction::Atomic(_)
        | MachineAction::Branch(_)
        | MachineAction::BranchIndexed(..)
        | MachineAction::Return
        | MachineAction::Exit
        | MachineAction::Trap
        | MachineAction::Collective(_)
        | MachineAction::Barrier(BarrierInstruction::Cta(_) | BarrierInstruction::Warp(_)) => Some(false),
        MachineAction::Fence(fence) => (fence.memory == OrderedMemory::All).then_some(false),
        MachineAction::Load(load) => {
            matches!(load.proxy, AccessProxy::Generic | AccessProxy::NonCoherent).then_some(false)
        }
        MachineAction::ReadSpecial(_, value) => Some(special_tells_cta(*value)),
        MachineAction::Call(call) => match call.target {
            // What it prints, and where memory is allocated, depends on who was first.
            CallTarget::System(SystemFunction::Printf | SystemFunction::Allocate | SystemFunction::Free) => None,
            CallTarget::System(SystemFunction::AssertionFailed) | CallTarget::Function(_) | CallTarget::Register(_) => {
                Some(false)
            }
        },
        _ => None,
    }
}

/// Whether a special register can.
const fn special_tells_cta(value: SpecialValue) -> bool {
    match value {
        SpecialValue::CtaIndex(_)
        | SpecialValue::ClusterIndex(_)
        | SpecialValue::CtaInCluster(_)
        | SpecialValue::CtaRank
        | SpecialValue::Multiprocessor => true,
        SpecialValue::ThreadIndex(_)
        | SpecialValue::Lane
        | SpecialValue::Warp
        | SpecialValue::LaneMask(_)
        | SpecialValue::BlockSize(_)
        | SpecialValue::GridSize(_)
        | SpecialValue::ClusterCount(_)
        | SpecialValue::ClusterSize(_)
        | SpecialValue::CtaRanks
        | SpecialValue::IsCluster
        | SpecialValue::Warps
        | SpecialValue::Multiprocessors
        | SpecialValue::Clock
        | SpecialValue::ClockHigh
        | SpecialValue::DynamicShared
        | SpecialValue::TotalShared
        | SpecialValue::GridWorkspace(_)
        | SpecialValue::Zero => false,
    }
}
