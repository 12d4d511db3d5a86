//! Steps at mbarriers that are not explored in all orders: they are taken as soon as they are possible.
//!
//! - A test that finds its phase ended. Nobody else can change what it finds, unless another phase ends before the thread has looked.
//! - An arrival that its phase waits for, also the last one, if nobody looks at how many are missing. Others can tell only by tests that fail for longer,
//!   so each test has to be in a loop that does nothing but repeat it; and the phase must not be able to end without the arrival, by others in its place.
//!
//! Then each phase has the same arrivals in all executions. All of this is supposed until it is found wrong: by a thread that arrives or looks and does
//! not know of what it has to be after (`races/barriers.rs`). Then all orders of the steps at that mbarrier are explored.

use crate::choices::sharing::SharedLocations;
use crate::equivalence::fingerprint;
use machine::threads::executor::Executor;
use machine::threads::warp::{SpinWatch, SplitState, Warp};
use machine::waiting::mbarrier_access;
use program::call::Formal;
use program::effects::{ControlTransfer, RegisterAccesses, RegisterComputation, Synchronization};
use program::machine_program::{MachineAction, MachineInstruction};
use program::memory::location::RacedMemory;
use program::operand::{Destination, Source};
use program::problem::Problems;
use program::waiting::mbarrier_instruction::{
    MBARRIER_BYTES, MbarrierAction, MbarrierInstruction, Participation, TestedPhase,
};

/// The most instructions from a test that fails back to it.
const LONGEST_LOOP: usize = 32;

/// Whether a step at an mbarrier may be taken before all those of others.
pub fn comes_first(
    executor: &mut Executor<'_, '_>,
    mbarrier: &MbarrierInstruction,
    (region, offset): (RacedMemory, usize),
    lane: usize,
    shared: &mut SharedLocations,
) -> bool {
    let RacedMemory::Shared(slot) = region else { return false };
    let key = (slot, offset as u32);
    if shared.surprised {
        return false;
    }
    match &mbarrier.operation {
        MbarrierAction::Test(..) if !shared.looks_in_time(key, executor.agent(lane)) => false,
        MbarrierAction::Test(destination, phase) => {
            if !shared.ordered_arrivals.contains(&key) && !only_repeats(executor, *destination, lane, shared) {
                shared.note_ordered_arrivals(key);
            }
            mbarrier_access::test_succeeds(executor, *phase, slot, key.1, lane)
        }
        MbarrierAction::Arrive { count, bytes, participation: Participation::Continues, state } => {
            if state.is_some_and(|state| is_count_read(executor, state)) {
                shared.note_ordered_arrivals(key);
            }
            shared.takes_arrivals_early(key) && mbarrier_access::is_awaited(executor, (*count, *bytes), key, lane)
        }
        MbarrierAction::Arrive { state: Some(state), .. } if is_count_read(executor, *state) => {
            shared.note_ordered_arrivals(key);
            false
        }
        // The thread that copies for others to know may not know what they do. Bytes that come before others expect them may be too many.
        MbarrierAction::ArriveAfterCopies(_) | MbarrierAction::CompleteBytes(_) => {
            shared.note_ordered_arrivals(key);
            false
        }
        _ => false,
    }
}

/// Who comes to an mbarrier after its memory was written makes a mistake: it matters who has arrived before.
pub fn note_overwritten(
    executor: &Executor<'_, '_>,
    (region, offset): (RacedMemory, usize),
    size: u32,
    shared: &mut SharedLocations,
) {
    let RacedMemory::Shared(slot) = region else { return };
    let (begin, end) = (offset as u32, offset as u32 + size);
    let overlaps = |at: &&u32| **at < end && begin < **at + MBARRIER_BYTES as u32;
    let mbarriers = executor.machine.ctas[slot].mbarriers.keys().filter(overlaps);
    mbarriers.for_each(|at| shared.note_ordered_arrivals((slot, *at)));
}

/// Whether the state that an arrival returns is read by others than tests, which do not look at the number of arrivals in it.
fn is_count_read(executor: &Executor<'_, '_>, state: Destination) -> bool {
    let is_result = |formal: &Formal| *formal == Formal::Register(state.slot);
    executor.function.formals.results.iter().any(is_result)
        || executor.function.code.iter().any(|instruction| reads_other_than_phase(&instruction.action, state.slot))
}

/// Whether a thread that is before a test comes back to it if it fails, as it was and without an effect.
fn only_repeats(
    executor: &mut Executor<'_, '_>,
    destination: Destination,
    lane: usize,
    shared: &mut SharedLocations,
) -> bool {
    if branches_back(executor, destination) {
        return true;
    }
    let place = executor.place();
    let state = executor.look(|_, warp, split| fingerprint::split_fingerprint(warp, split, &shared.live));
    if let Some(known) = shared.repeated_tests.get(&(place, state)) {
        return *known;
    }
    let mut warp = executor.warp_now();
    let mut split = warp.splits.swap_remove(executor.at);
    split.spin = SpinWatch::default();
    warp.splits = vec![split];
    let repeats = comes_back(executor, &mut warp, destination, lane, shared) == Some(state);
    shared.repeated_tests.insert((place, state), repeats);
    repeats
}

/// Whether the instruction after a test does nothing but to branch back to it if it fails, so that no state has to be compared.
fn branches_back(executor: &Executor<'_, '_>, destination: Destination) -> bool {
    let test = executor.next as usize;
    let is_back = |next: &MachineInstruction| {
        matches!(next.action.flow(), ControlTransfer::Branch(to) if to as usize == test)
            && next.guard.is_some_and(|guard| guard.predicate == destination.slot && !guard.expected)
    };
    let code = &executor.function.code;
    code[test].guard.is_none() && code.get(test + 1).is_some_and(is_back)
}

/// Lets the test before which a lane is fail. Returns the state in which it comes back to it, if it does.
fn comes_back(
    executor: &Executor<'_, '_>,
    warp: &mut Warp,
    destination: Destination,
    lane: usize,
    shared: &SharedLocations,
) -> Option<u64> {
    let mut machine = executor.machine.clone();
    machine.problems = Problems::default();
    let mut failing = Executor::new(&mut machine, warp, 0);
    let place = failing.place();
    failing.set_lane(destination, lane, 0);
    failing.next += 1;
    failing.save();
    failing.return_frame();
    for _ in 0..LONGEST_LOOP {
        let split = warp.splits.first().filter(|split| warp.splits.len() == 1 && split.state == SplitState::Ready)?;
        if warp.place(0) == place {
            let is_right = machine.problems.list().is_empty();
            return is_right.then(|| fingerprint::split_fingerprint(warp, split, &shared.live));
        }
        if !is_of_registers(&machine.instruction(warp.place(0)).action) {
            return None;
        }
        Executor::new(&mut machine, warp, 0).run(1);
    }
    None
}

/// Whether an instruction reads a register other than to test the phase of the state in it.
fn reads_other_than_phase(action: &MachineAction, register: u32) -> bool {
    if matches!(action.flow(), ControlTransfer::Return) {
        return false;
    }
    match action.synchronization() {
        Synchronization::Mbarrier(MbarrierInstruction {
            address,
            operation: MbarrierAction::Test(_, TestedPhase::State(_)),
            ..
        }) => address.base == Source::Register(register),
        _ => RegisterAccesses::of(action).is_none_or(|accesses| accesses.read.contains(&register)),
    }
}

/// Whether an instruction does nothing but compute registers from registers, or decide what comes next by them.
fn is_of_registers(action: &MachineAction) -> bool {
    matches!(action.computation(), Some(RegisterComputation::Nothing | RegisterComputation::Value))
        || matches!(action.flow(), ControlTransfer::Branch(_))
}
