//! Where threads can no longer tell by instructions which CTA they are in, or which thread of it they are: what they have read before is in their
//! registers and in memory.

use machine::threads::warp::{Split, Warp};
use program::call::CallTarget;
use program::effects::{RevealedIdentity, successors};
use program::launch::kernel_launch::Launch;
use program::machine_program::{MachineFunction, MachineProgram};

/// What the instructions of a program tell of their threads.
#[derive(Clone, Debug)]
pub struct ThreadIdentity {
    /// For each instruction of each function, what it and those that may follow it in the function tell.
    after: Vec<Vec<RevealedIdentity>>,
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
        let own: Option<Vec<Vec<RevealedIdentity>>> = functions
            .iter()
            .map(|function| function.code.iter().map(|instruction| instruction.action.revealed()).collect())
            .collect();
        let own = own?;
        let all =
            |code: &Vec<RevealedIdentity>| code.iter().copied().fold(RevealedIdentity::NOTHING, RevealedIdentity::and);
        let mut whole: Vec<RevealedIdentity> = own.iter().map(all).collect();
        while add_called(functions, &mut whole) {}
        let all = functions.iter().zip(own).map(|(function, own)| revealed_after(function, own, &whole));
        Some(Self { after: all.collect() })
    }

    /// What a group of threads can still tell, in one of its calls.
    pub fn revealed(&self, warp: &Warp, split: &Split) -> RevealedIdentity {
        let mut all = RevealedIdentity::NOTHING;
        for (depth, entry) in split.stack.iter().enumerate() {
            let next = split.stack.get(depth + 1).map_or(split.next, |callee| callee.return_to);
            let function = &self.after[warp.frames[entry.frame].function as usize];
            all.add(function.get(next as usize).copied().unwrap_or_default());
        }
        all
    }
}

/// What the function of a call tells.
fn called(target: CallTarget, whole: &[RevealedIdentity]) -> RevealedIdentity {
    match target {
        CallTarget::Function(function) => whole[function as usize],
        CallTarget::Register(_) => whole.iter().copied().fold(RevealedIdentity::NOTHING, RevealedIdentity::and),
        CallTarget::System(_) => RevealedIdentity::NOTHING,
    }
}

/// Adds to what functions tell what those tell that they call. Returns whether there was more.
fn add_called(functions: &[MachineFunction], whole: &mut [RevealedIdentity]) -> bool {
    let mut changed = false;
    for (number, function) in functions.iter().enumerate() {
        let before = whole[number];
        for instruction in &function.code {
            if let Some(call) = instruction.action.flow().call() {
                whole[number] = whole[number].and(called(call.target, whole));
            }
        }
        changed |= whole[number] != before;
    }
    changed
}

/// What each instruction of a function and those after it tell.
fn revealed_after(
    function: &MachineFunction,
    mut after: Vec<RevealedIdentity>,
    whole: &[RevealedIdentity],
) -> Vec<RevealedIdentity> {
    for (instruction, found) in function.code.iter().zip(&mut after) {
        if let Some(call) = instruction.action.flow().call() {
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
