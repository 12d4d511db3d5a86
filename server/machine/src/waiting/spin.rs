//! Recognises loops that wait: their state is the same after an iteration, so only a change of memory can end them.

use crate::threads::executor::Executor;
use crate::threads::warp::SpinWatch;
use crate::waiting::polled_loop::PolledLoop;
use crate::waiting::polling;
use program::lanes::lanes_of;

/// Jumps backwards between two looks at the state.
const INTERVAL: u32 = 48;

/// Called after a jump backwards. If registers and memory are as they were at the same instruction some jumps before, the lanes wait until
/// memory changes. Returns whether they do.
pub fn is_spinning(executor: &mut Executor<'_, '_>) -> bool {
    if !executor.is_watching {
        polling::watch_probable_wait(executor);
    } else if polling::has_polled_in_vain(executor) {
        polling::wait_in_loop(executor);
        return true;
    }
    let step = executor.machine.explored.steps;
    let spin = &mut executor.warp.splits[executor.at].spin;
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
        Some((instruction, ..)) if instruction != executor.next && jumps < 2 * INTERVAL => {}
        Some(seen) => {
            spins = seen == polling::spin_state(executor) && !time_passes(executor);
            watch = SpinWatch { step, ..SpinWatch::default() };
            // Where all executions are explored, an access may see different values.
            if spins && executor.machine.races.history().is_none() {
                watch.polling = Some(PolledLoop::new(seen));
            }
        }
        None => watch.seen = Some(polling::spin_state(executor)),
    }
    executor.warp.splits[executor.at].spin = watch;
    if spins {
        let place = executor.place();
        let reads = executor.machine.code.loops.at(executor.function, place).reads;
        executor.warp.splits[executor.at].spin.reads_nothing = !reads;
        polling::wait_in_loop(executor);
    }
    spins
}

/// A long time passes for lanes that have read a clock which stands still, when all executions are explored; or it is doubted that nobody else accesses
/// the locations which they read. Returns whether something of it does.
fn time_passes(executor: &mut Executor<'_, '_>) -> bool {
    let mut passes = false;
    for lane in lanes_of(executor.lanes) {
        let agent = executor.agent(lane);
        if let Some(location) = executor.machine.explored.owned_reads.remove(&agent) {
            executor.machine.explored.waited_for.insert(location);
            passes = true;
        } else {
            passes |= executor.machine.explored.pass_time(agent);
        }
    }
    passes
}
