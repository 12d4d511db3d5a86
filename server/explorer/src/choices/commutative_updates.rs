//! Updates of which no execution tells the order: they return nothing that is read, and no thread synchronizes with another one through them.

use isa::types::{Op, Sem};
use program::analysis::liveness::RegisterSet;
use program::analysis::unread_results::is_never_used;
use program::effects::{ControlTransfer, Synchronization, successors};
use program::machine_program::{Atomic, MachineAction, MachineFunction};
use program::problem::CodePlace;
use program::tensor::tensor_instruction::TensorFence;
use std::collections::BTreeSet;
use values::Operation;
use values::value::Element;

/// The updates of some functions whose order to their like does not matter, given those whose results nothing uses. The first function is a kernel.
pub fn commuting_updates(functions: &[MachineFunction], unread: &BTreeSet<CodePlace>) -> BTreeSet<CodePlace> {
    let action = |place: CodePlace| &functions[place.function as usize].code[place.instruction as usize].action;
    let update = |place: &CodePlace| action(*place).memory().update();
    // It acquires nothing by itself.
    let is_like =
        |place: &CodePlace| update(place).is_some_and(|atomic| matches!(atomic.order.sem, Sem::Relaxed | Sem::Release));
    let updates: BTreeSet<CodePlace> = unread.iter().copied().filter(is_like).collect();
    without_acquiring(functions, updates)
}

/// Those of some updates that acquire nothing themselves which acquire nothing by a fence after them either.
fn without_acquiring(functions: &[MachineFunction], updates: BTreeSet<CodePlace>) -> BTreeSet<CodePlace> {
    let action = |place: CodePlace| &functions[place.function as usize].code[place.instruction as usize].action;
    let update = |place: &CodePlace| action(*place).memory().update();
    let releases = |place: &CodePlace| update(place).is_some_and(|atomic| atomic.order.sem == Sem::Release);
    let has_fence =
        functions.iter().any(|function| function.code.iter().any(|one| FenceEffect::of(&one.action).releases));
    if !has_fence && !updates.iter().any(releases) {
        return updates;
    }
    // A thread that executes a fence after `atom` synchronizes with those that have updated the location before; after `red`, it does not.
    let acquires: Vec<Vec<bool>> = (0..functions.len()).map(|number| acquires_after(functions, number)).collect();
    let is_free = |place: &CodePlace| {
        let reads = update(place).is_none_or(|atomic| !atomic.destination.is_empty());
        !reads || !acquires[place.function as usize][place.instruction as usize]
    };
    updates.into_iter().filter(is_free).collect()
}

/// The atomics that compute the same in any order with their like, and whose results nothing uses, given the registers that matter at each instruction.
pub fn unread_updates(functions: &[MachineFunction], live: &[Vec<RegisterSet>]) -> BTreeSet<CodePlace> {
    unread(functions, live, &|atomic| has_any_order(atomic.in_global))
}

/// The exchanges whose results nothing uses, and by which no thread synchronizes with what they have read: what they read does not matter. They
/// release what their threads know, so that those who acquire it need not know what was released before.
pub fn unread_exchanges(functions: &[MachineFunction], live: &[Vec<RegisterSet>]) -> BTreeSet<CodePlace> {
    let is_one = |atomic: &Atomic| atomic.in_global.op() == Op::Exch && atomic.order.sem == Sem::Release;
    without_acquiring(functions, unread(functions, live, &is_one))
}

/// The atomics of some kind whose results nothing uses.
fn unread(
    functions: &[MachineFunction],
    live: &[Vec<RegisterSet>],
    is_one: &dyn Fn(&Atomic) -> bool,
) -> BTreeSet<CodePlace> {
    let is_unread = |place: &CodePlace| {
        let (number, instruction) = (place.function as usize, place.instruction as usize);
        let Some(atomic) = functions[number].code[instruction].action.memory().update() else { return false };
        let after = live.get(number).and_then(|function| function.get(instruction + 1));
        let is_live = |slot: u32| after.is_none_or(|live| live.contains(slot as usize));
        let is_used = |slot: u32| is_live(slot) && !is_never_used(functions, number, slot);
        is_one(atomic) && !atomic.destination.iter().flatten().any(|result| is_used(result.slot))
    };
    let places = |number: usize| {
        let places = 0..functions[number].code.len() as u32;
        places.map(move |instruction| CodePlace { function: number as u32, instruction })
    };
    (0..functions.len()).flat_map(places).filter(is_unread).collect()
}

/// Whether updates by an operation have the same result in any order.
pub fn has_any_order(operation: Operation) -> bool {
    let element = operation.shape().element();
    let is_integer = matches!(element, Element::Bits(_) | Element::Unsigned(_) | Element::Signed(_));
    is_integer && matches!(operation.op(), Op::Add | Op::Min | Op::Max | Op::And | Op::Or | Op::Xor)
}

/// What a fence does.
#[derive(Clone, Copy, Default)]
struct FenceEffect {
    releases: bool,
    acquires: bool,
}

impl FenceEffect {
    fn of(action: &MachineAction) -> Self {
        match action.synchronization() {
            Synchronization::Fence(fence) => Self { releases: fence.releases, acquires: fence.acquires },
            Synchronization::TensorFence(TensorFence::Before) => Self { releases: true, acquires: false },
            Synchronization::TensorFence(TensorFence::After) => Self { releases: false, acquires: true },
            _ => Self::default(),
        }
    }
}

/// For each instruction of a function, whether a fence that acquires may follow it.
fn acquires_after(functions: &[MachineFunction], number: usize) -> Vec<bool> {
    let has_fence = |function: &MachineFunction| function.code.iter().any(|one| FenceEffect::of(&one.action).acquires);
    let anywhere = functions.iter().any(has_fence);
    let is_kernel = number == 0;
    let code = &functions[number].code;
    // What a function that is called, or the caller, does is not followed: it may call this one again.
    let acquires = |action: &MachineAction| match action.flow() {
        ControlTransfer::Call(_) => anywhere,
        ControlTransfer::Return => anywhere && !is_kernel,
        ControlTransfer::Next
        | ControlTransfer::Branch(_)
        | ControlTransfer::BranchIndexed(..)
        | ControlTransfer::Exit
        | ControlTransfer::Trap => FenceEffect::of(action).acquires,
    };
    let mut after = vec![false; code.len()];
    loop {
        let mut changed = false;
        for at in (0..code.len()).rev() {
            let mut found = after[at];
            successors(&code[at], at, |next| {
                found |= code.get(next).is_some_and(|one| acquires(&one.action)) || after.get(next) == Some(&true);
            });
            changed |= found != after[at];
            after[at] = found;
        }
        if !changed {
            return after;
        }
    }
}
