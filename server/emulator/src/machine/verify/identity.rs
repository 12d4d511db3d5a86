//! Where threads can no longer tell by instructions which CTA they are in, or which thread of it they are: what they have read before is in their
//! registers and in memory.

use super::super::barrier::BarrierInstruction;
use super::super::launch::Launch;
use super::super::liveness::successors;
use super::super::program::{
    CallTarget, MachineAction, MachineFunction, MachineProgram, OrderedMemory, SystemFunction,
};
use super::super::proxy::AccessProxy;
use super::super::special::SpecialValue;
use super::super::warp::{Split, Warp};

/// What instructions tell of the thread that executes them, or need of its warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told(u8);

impl Told {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
    /// The CTA.
    const CTA: Self = Self(1);
    /// The thread in its CTA.
    const THREAD: Self = Self(2);
    /// All lanes of the warp execute one together, or threads are counted by warps.
    const WARP: Self = Self(4);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Adds what another instruction tells.
    pub fn add(&mut self, other: Self) {
        *self = self.and(other);
    }

    /// Whether a thread can tell its CTA.
    pub const fn tells_cta(self) -> bool {
        self.0 & Self::CTA.0 != 0
    }

    /// Whether it can tell which one of its CTA it is.
    pub const fn tells_thread(self) -> bool {
        self.0 & Self::THREAD.0 != 0
    }

    /// Whether it matters in which warp a thread is.
    pub const fn needs_warp(self) -> bool {
        self.0 & Self::WARP.0 != 0
    }
}

/// What the instructions of a program tell of their threads.
#[derive(Clone, Debug)]
pub struct ThreadIdentity {
    /// For each instruction of each function, what it and those that may follow it in the function tell.
    after: Vec<Vec<Told>>,
}

impl ThreadIdentity {
    /// Those of a launch, if threads may change places at all.
    pub fn of(program: &MachineProgram, launch: &Launch) -> Option<Self> {
        let is_alike = launch.beside.is_empty()
            && launch.first_host_cta().is_none()
            && launch.cluster.count() == 1
            && launch.trace.is_empty();
        if !is_alike {
            return None;
        }
        let functions = &program.functions;
        let own: Option<Vec<Vec<Told>>> = functions
            .iter()
            .map(|function| function.code.iter().map(|instruction| told(&instruction.action)).collect())
            .collect();
        let own = own?;
        let all = |code: &Vec<Told>| code.iter().copied().fold(Told::NOTHING, Told::and);
        let mut whole: Vec<Told> = own.iter().map(all).collect();
        while add_called(functions, &mut whole) {}
        let all = functions.iter().zip(own).map(|(function, own)| told_after(function, own, &whole));
        Some(Self { after: all.collect() })
    }

    /// What a group of threads can still tell, in one of its calls.
    pub fn told(&self, warp: &Warp, split: &Split) -> Told {
        let mut all = Told::NOTHING;
        for (depth, entry) in split.stack.iter().enumerate() {
            let next = split.stack.get(depth + 1).map_or(split.next, |callee| callee.return_to);
            let function = &self.after[warp.frames[entry.frame].function as usize];
            all.add(function.get(next as usize).copied().unwrap_or_default());
        }
        all
    }
}

/// What the function of a call tells.
fn called(target: CallTarget, whole: &[Told]) -> Told {
    match target {
        CallTarget::Function(function) => whole[function as usize],
        CallTarget::Register(_) => whole.iter().copied().fold(Told::NOTHING, Told::and),
        CallTarget::System(_) => Told::NOTHING,
    }
}

/// Adds to what functions tell what those tell that they call. Returns whether there was more.
fn add_called(functions: &[MachineFunction], whole: &mut [Told]) -> bool {
    let mut changed = false;
    for (number, function) in functions.iter().enumerate() {
        let before = whole[number];
        for instruction in &function.code {
            if let MachineAction::Call(call) = &instruction.action {
                whole[number] = whole[number].and(called(call.target, whole));
            }
        }
        changed |= whole[number] != before;
    }
    changed
}

/// What each instruction of a function and those after it tell.
fn told_after(function: &MachineFunction, mut after: Vec<Told>, whole: &[Told]) -> Vec<Told> {
    for (instruction, found) in function.code.iter().zip(&mut after) {
        if let MachineAction::Call(call) = &instruction.action {
            found.add(called(call.target, whole));
        }
    }
    loop {
        let mut changed = false;
        for at in (0..after.len()).rev() {
            let mut found = after[at];
            successors(&function.code[at], at, |next| found.add(after.get(next).copied().unwrap_or_default()));
            changed |= found != after[at];
            after[at] = found;
        }
        if !changed {
            return after;
        }
    }
}

/// What an instruction itself tells; `None` if states with it are not compared under other numbers of their threads.
fn told(action: &MachineAction) -> Option<Told> {
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
        | MachineAction::Trap => Some(Told::NOTHING),
        MachineAction::Collective(_) | MachineAction::Barrier(BarrierInstruction::Warp(_)) => {
            Some(Told::THREAD.and(Told::WARP))
        }
        MachineAction::Barrier(BarrierInstruction::Cta(_)) => Some(Told::WARP),
        MachineAction::Fence(fence) => (fence.memory != OrderedMemory::Shared).then_some(Told::NOTHING),
        MachineAction::Load(load) => {
            matches!(load.proxy, AccessProxy::Generic | AccessProxy::NonCoherent).then_some(Told::NOTHING)
        }
        MachineAction::ReadSpecial(_, value) => Some(special_tells(*value)),
        MachineAction::Call(call) => match call.target {
            // What it prints, and where memory is allocated, depends on who was first.
            CallTarget::System(SystemFunction::Printf | SystemFunction::Allocate | SystemFunction::Free) => None,
            CallTarget::System(SystemFunction::AssertionFailed) | CallTarget::Function(_) | CallTarget::Register(_) => {
                Some(Told::NOTHING)
            }
        },
        _ => None,
    }
}

/// What a special register tells.
const fn special_tells(value: SpecialValue) -> Told {
    match value {
        SpecialValue::CtaIndex(_)
        | SpecialValue::ClusterIndex(_)
        | SpecialValue::CtaInCluster(_)
        | SpecialValue::CtaRank
        | SpecialValue::Multiprocessor => Told::CTA,
        SpecialValue::ThreadIndex(_) | SpecialValue::Lane | SpecialValue::Warp | SpecialValue::LaneMask(_) => {
            Told::THREAD
        }
        SpecialValue::BlockSize(_)
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
        | SpecialValue::Zero => Told::NOTHING,
    }
}
