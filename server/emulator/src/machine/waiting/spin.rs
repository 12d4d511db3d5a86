//! Recognises loops that wait: their state is the same after an iteration, so only a change of memory can end them.

use crate::machine::program::analysis::polled_loop::PolledLoop;
use crate::machine::threads::executor::Executor;
use crate::machine::threads::lanes::lanes_of;
use crate::machine::threads::warp::SpinWatch;

/// Jumps backwards between two looks at the state.
const INTERVAL: u32 = 48;

impl Executor<'_, '_> {
    /// Called after a jump backwards. If registers and memory are as they were at the same instruction some jumps before, the lanes wait until
    /// memory changes. Returns whether they do.
    pub fn is_spinning(&mut self) -> bool {
        if !self.is_watching {
            self.watch_probable_wait();
        } else if self.has_polled_in_vain() {
            self.wait_in_loop();
            return true;
        }
        let step = self.machine.explored.steps;
        let spin = &mut self.warp.splits[self.at].spin;
        if spin.step != step {
            // In between somebody has done what others can notice, perhaps while these lanes waited at a barrier of the loop.
            *spin = SpinWatch { step, ..SpinWatch::default() };
        }
        let SpinWatch { jumps, seen, ref mut polling, .. } = *spin;
        let (jumps, polling) = (jumps + 1, polling.take());
        let (mut watch, mut spins) = (SpinWatch { jumps, seen, polling, reads_nothing: false, step }, false);
        match seen {
            _ if jumps < INTERVAL => {}
            // The loop may have others inside: the same instruction comes again later.
            Some((instruction, ..)) if instruction != self.next && jumps < 2 * INTERVAL => {}
            Some(seen) => {
                spins = seen == self.spin_state() && !self.time_passes();
                watch = SpinWatch { step, ..SpinWatch::default() };
                // Where all executions are explored, an access may see different values.
                if spins && self.machine.races.history().is_none() {
                    watch.polling = Some(PolledLoop::new(seen));
                }
            }
            None => watch.seen = Some(self.spin_state()),
        }
        self.warp.splits[self.at].spin = watch;
        if spins {
            let place = self.place();
            let reads = self.machine.code.loops.at(self.function, place).reads;
            self.warp.splits[self.at].spin.reads_nothing = !reads;
            self.wait_in_loop();
        }
        spins
    }

    /// A long time passes for lanes that have read a clock which stands still, when all executions are explored; or it is doubted that nobody else accesses
    /// the locations which they read. Returns whether something of it does.
    fn time_passes(&mut self) -> bool {
        let mut passes = false;
        for lane in lanes_of(self.lanes) {
            let agent = self.agent(lane);
            if let Some(location) = self.machine.explored.owned_reads.remove(&agent) {
                self.machine.explored.waited_for.insert(location);
                passes = true;
            } else {
                passes |= self.machine.explored.pass_time(agent);
            }
        }
        passes
    }
}
