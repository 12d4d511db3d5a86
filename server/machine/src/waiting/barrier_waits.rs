//! Loops that wait at barriers: others may count their turns there, and signal late.

use crate::launch::residency::Residency;
use crate::state::Machine;
use crate::threads::executor::Executor;
use crate::threads::warp::{SpinWatch, SplitState};
use crate::waiting::polling;
use crate::waiting::wait_cycles::WaitCycles;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Called when no thread can run. Loops with barriers go on if the threads were never at the same before: what they wait for may come after more
/// turns. Returns whether some do.
pub fn wake_barrier_waits(machine: &mut Machine<'_>) -> bool {
    // Where all executions are explored, states are compared in another way.
    if machine.races.history().is_some() {
        return false;
    }
    // A cluster that began later has wait_cycles of its own.
    if matches!(machine.queue.residency, Residency::One { begun_at } if begun_at > machine.wait_cycles.begun_at()) {
        machine.wait_cycles = WaitCycles::default();
    }
    let mut hash = DefaultHasher::new();
    let mut waits = false;
    for at in 0..machine.warps.len() {
        let Some(mut warp) = machine.warps[at].take() else { continue };
        for split in 0..warp.splits.len() {
            let (lanes, state) = (warp.splits[split].lanes, warp.splits[split].state);
            let mut executor = Executor::new(machine, &mut warp, split);
            (at, lanes, polling::spin_state(&mut executor)).hash(&mut hash);
            let place = executor.place();
            waits |= matches!(state, SplitState::Spinning(_))
                && executor.machine.code.loops.at(executor.function, place).meets_others;
            executor.return_frame();
        }
        machine.warps[at] = Some(warp);
    }
    if !waits || !machine.wait_cycles.add(hash.finish(), machine.executed) {
        return false;
    }
    for split in machine.warps.iter_mut().flatten().flat_map(|warp| &mut warp.splits) {
        if matches!(split.state, SplitState::Spinning(_)) {
            (split.state, split.spin) = (SplitState::Ready, SpinWatch::default());
        }
    }
    true
}
