//! What a loop that waits polls: its lanes go on only when that has changed, not after each change of memory.
//!
//! An iteration of the loop is watched when the lanes are woken, and from then on whenever the warp comes back to the loop, or when a test of an mbarrier
//! has failed. If it ends in the state in which it began, the next one is the same as long as what it has read is.

use crate::memory::locate::MemoryPlace;
use crate::state::Machine;
use crate::threads::executor::Executor;
use crate::threads::warp::{SplitState, Warp};
use crate::waiting::polled_loop::{PolledLoop, PolledRead};
use program::analysis::loop_registers::DecidingRegisters;
use program::analysis::repeatable::is_repeatable;
use program::lanes::lanes_of;
use program::machine_program::MachineAction;
use program::memory::location::{LocationKey, RacedMemory};

/// The most reads of an iteration that are remembered.
const MOST_READS: usize = 64;
/// The jumps backwards after which the lanes have left the loop.
const LONGEST: u32 = 48;
/// The most loops that a warp remembers.
const MOST_LOOPS: usize = 8;

/// The instruction, the registers that decide what the loop around it does as a hash, and the version of memory.
pub fn spin_state(executor: &mut Executor<'_, '_>) -> (u32, u64, u64) {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let place = executor.place();
    // Where all executions are explored, states are compared in another way.
    let explores = executor.machine.races.history().is_some();
    let deciding = (!explores).then(|| executor.machine.code.loops.at(executor.function, place));
    let stack = &executor.warp.splits[executor.at].stack;
    let outer = &stack[..stack.len() - 1];
    let is_outermost = outer.is_empty();
    let lanes = if deciding.is_some_and(DecidingRegisters::is_all) { executor.warp.live } else { executor.lanes };
    let mut add = |value: u64| hash = (hash ^ value).wrapping_mul(PRIME).rotate_left(23);
    let decides = |at: usize| !is_outermost || deciding.is_none_or(|deciding| deciding.contains(at));
    for (_, register) in executor.frame.registers.iter().enumerate().filter(|(at, _)| decides(*at)) {
        lanes_of(lanes).for_each(|lane| add(register[lane]));
    }
    // A loop in a function may be the same each time that a loop of its caller gets there.
    for entry in outer {
        add(entry.return_to.into());
        for register in &executor.warp.frames[entry.frame].registers {
            lanes_of(lanes).for_each(|lane| add(register[lane]));
        }
    }
    (executor.next, hash, executor.machine.version)
}

/// Stops to watch the iteration if an instruction has effects of its own.
pub fn watch_instruction(executor: &mut Executor<'_, '_>, action: &MachineAction) {
    if !is_repeatable(action) {
        stop_polling(executor);
    }
}

fn stop_polling(executor: &mut Executor<'_, '_>) {
    executor.warp.splits[executor.at].spin.polling = None;
    executor.is_watching = false;
}

/// Remembers that memory is read.
pub fn watch_memory(executor: &mut Executor<'_, '_>, place: MemoryPlace, size: u64) {
    // Nobody else writes local memory.
    let Some(location) = place.raced() else { return };
    if let Some(bytes) = polled_bytes(executor.machine, location, size as usize) {
        let bytes = bytes.to_vec();
        watch(executor, PolledRead::Memory(location, bytes));
    }
}

/// Remembers that an mbarrier is tested.
pub fn watch_mbarrier(executor: &mut Executor<'_, '_>, slot: usize, offset: u32) {
    watch(executor, PolledRead::Mbarrier(slot, offset, current_phase(executor.machine, slot, offset)));
}

fn watch(executor: &mut Executor<'_, '_>, read: PolledRead) {
    let Some(polling) = &mut executor.warp.splits[executor.at].spin.polling else { return };
    let reads = polling.reads.get_or_insert_default();
    if reads.contains(&read) {
        return;
    }
    reads.push(read);
    if reads.len() > MOST_READS {
        stop_polling(executor);
    }
}

/// After a jump backwards: watches the iteration that begins, if the loop probably waits.
pub fn watch_probable_wait(executor: &mut Executor<'_, '_>) {
    let has_failed = std::mem::take(&mut executor.warp.has_tested_in_vain);
    let probable = has_failed || executor.warp.waiting_loops.contains(&executor.place());
    // Where all executions are explored, an access may see different values.
    if probable && executor.machine.races.history().is_none() {
        let state = spin_state(executor);
        let polling = PolledLoop { state, jumps: 0, reads: Some(Vec::new()) };
        executor.warp.splits[executor.at].spin.polling = Some(Box::new(polling));
        executor.is_watching = true;
    }
}

/// The lanes wait in a loop from now on.
pub fn wait_in_loop(executor: &mut Executor<'_, '_>) {
    let place = executor.place();
    let loops = &mut executor.warp.waiting_loops;
    if loops.len() < MOST_LOOPS && !loops.contains(&place) {
        loops.push(place);
    }
    executor.warp.splits[executor.at].state = SplitState::Spinning(executor.machine.version);
    executor.save();
}

/// After a jump backwards: whether the watched iteration has led back to its state, so that the lanes wait again.
pub fn has_polled_in_vain(executor: &mut Executor<'_, '_>) -> bool {
    let state = spin_state(executor);
    let Some(polling) = &mut executor.warp.splits[executor.at].spin.polling else { return false };
    let (instruction, registers, version) = state;
    polling.jumps += 1;
    if polling.state == state && polling.reads.is_some() {
        return true;
    }
    let has_begun = (polling.state.0, polling.state.1) == (instruction, registers);
    let is_other = polling.state.0 != instruction;
    if polling.jumps >= LONGEST || !is_other && !has_begun {
        stop_polling(executor);
    } else if is_other {
        watch_probable_wait(executor);
    } else if has_begun {
        // Memory has changed in the meantime.
        polling.state.2 = version;
        polling.reads = Some(Vec::new());
    }
    false
}

fn polled_bytes<'m>(machine: &'m Machine<'_>, (region, offset): LocationKey, size: usize) -> Option<&'m [u8]> {
    let region = match region {
        RacedMemory::Global(allocation) => &machine.memory.allocations()[allocation].region,
        RacedMemory::Shared(slot) => &machine.ctas[slot].shared,
    };
    region.bytes().get(offset..offset + size)
}

fn current_phase(machine: &Machine<'_>, slot: usize, offset: u32) -> Option<u64> {
    machine.ctas[slot].mbarriers.get(&offset).map(crate::waiting::mbarrier::Mbarrier::phase)
}

/// Whether lanes that wait in a loop would read something else now. If so, the iteration is watched.
pub fn ends_polling(machine: &Machine<'_>, warp: &mut Warp, split: usize) -> bool {
    let split = &mut warp.splits[split];
    let Some(polling) = &mut split.spin.polling else { return true };
    let is_same = |read: &PolledRead| match read {
        PolledRead::Memory(place, bytes) => polled_bytes(machine, *place, bytes.len()) == Some(bytes),
        PolledRead::Mbarrier(slot, offset, phase) => current_phase(machine, *slot, *offset) == *phase,
    };
    if polling.reads.as_ref().is_some_and(|reads| reads.iter().all(is_same)) {
        split.state = SplitState::Spinning(machine.version);
        return false;
    }
    polling.state.2 = machine.version;
    polling.jumps = 0;
    polling.reads = Some(Vec::new());
    true
}
