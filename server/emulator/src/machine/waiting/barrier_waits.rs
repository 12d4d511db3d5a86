//! Loops that wait at barriers: others may count their turns there, and signal late.

use crate::machine::launch::residency::Residency;
use crate::machine::state::Machine;
use crate::machine::threads::executor::Executor;
use crate::machine::threads::warp::{SpinWatch, SplitState};
use crate::machine::waiting::wait_cycles::WaitCycles;
use std::hash::{DefaultHasher, Hash, Hasher};

impl Machine<'_> {
    /// Called when no thread can run. Loops with barriers go on if the threads were never at the same before: what they wait for may come after more
    /// turns. Returns whether some do.
    pub fn wake_barrier_waits(&mut self) -> bool {
        // Where all executions are explored, states are compared in another way.
        if self.races.history().is_some() {
            return false;
        }
        // A cluster that began later has wait_cycles of its own.
        if matches!(self.queue.residency, Residency::One { begun_at } if begun_at > self.wait_cycles.begun_at()) {
            self.wait_cycles = WaitCycles::default();
        }
        let mut hash = DefaultHasher::new();
        let mut waits = false;
        for at in 0..self.warps.len() {
            let Some(mut warp) = self.warps[at].take() else { continue };
            for split in 0..warp.splits.len() {
                let (lanes, state) = (warp.splits[split].lanes, warp.splits[split].state);
                let mut executor = Executor::new(self, &mut warp, split);
                (at, lanes, executor.spin_state()).hash(&mut hash);
                let place = executor.place();
                waits |= matches!(state, SplitState::Spinning(_))
                    && executor.machine.code.loops.at(executor.function, place).meets_others;
                executor.return_frame();
            }
            self.warps[at] = Some(warp);
        }
        if !waits || !self.wait_cycles.add(hash.finish(), self.executed) {
            return false;
        }
        for split in self.warps.iter_mut().flatten().flat_map(|warp| &mut warp.splits) {
            if matches!(split.state, SplitState::Spinning(_)) {
                (split.state, split.spin) = (SplitState::Ready, SpinWatch::default());
            }
        }
        true
    }
}
