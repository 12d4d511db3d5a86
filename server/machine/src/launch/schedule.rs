//! The schedule: which CTAs are resident, which warp runs next and how long, when copies end.

use crate::copies::copy_progress;
use crate::launch::paused_round::Round;
use crate::memory::region::MemoryBytes;
use crate::state::Machine;
use crate::tensor::warpgroup_wait;
use crate::threads::executor::Executor;
use crate::threads::warp::{SplitState, Warp};
use crate::waiting::barrier_ordering;
use crate::waiting::deadlock;
use crate::waiting::polling;
use ordering::accesses;
use program::machine_program::ThreadScheduling;

/// The shortest turn of a warp, in instructions.
const SHORTEST_TURN: u32 = 32;
/// A turn is the shortest one times a power of two below this.
const TURN_LENGTHS: u64 = 6;
/// In one of so many turns, a pending copy ends.
const COPY_CHANCE: u64 = 4;

/// Whether a run can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunProgress {
    /// It cannot.
    Ended,
    /// It can: its observer has paused it between the turns of two warps, or it was to pause after some instructions.
    Paused,
}

impl Machine<'_> {
    /// Runs until all threads have ended, none can make progress, or the observer pauses the run; then it goes on when it is called again.
    pub fn run(&mut self) -> RunProgress {
        self.run_for(u64::MAX)
    }

    /// Runs as [`Self::run`] does, but pauses when so many instructions were executed and clusters are left.
    pub fn run_for(&mut self, instructions: u64) -> RunProgress {
        loop {
            if self.executed >= instructions && self.queue.next < self.queue.end {
                return RunProgress::Paused;
            }
            self.begin_ctas();
            if self.warps.is_empty() || self.stopped {
                break;
            }
            let Some(progressed) = self.run_round() else { return RunProgress::Paused };
            self.warps.retain(Option::is_some);
            if !progressed && !self.stopped && !self.begin_another() && !deadlock::resolve_deadlock(self) {
                break;
            }
        }
        copy_progress::end_copies(self);
        RunProgress::Ended
    }

    /// Gives each warp a turn. Returns whether one of them ran or a copy ended; `None` if the observer pauses the run before a turn.
    fn run_round(&mut self) -> Option<bool> {
        let count = self.warps.len();
        let Round { first, turns, mut progressed } = match self.round.take() {
            Some(round) => round,
            None => Round { first: self.choices.below(count as u64) as usize, turns: 0, progressed: false },
        };
        for turns in turns..count {
            if self.observer.0.as_mut().is_some_and(|observer| observer.pauses()) {
                self.round = Some(Round { first, turns, progressed });
                return None;
            }
            let at = (first + turns) % count;
            let Some(mut warp) = self.warps[at].take() else { continue };
            self.wake(&mut warp);
            if warp.is_ready() {
                let turn = SHORTEST_TURN << self.choices.below(TURN_LENGTHS);
                progressed |= self.run_warp(&mut warp, turn);
            }
            if warp.live == 0 {
                let ended = self.first_agent(&warp).warp;
                accesses::end_warp(&mut self.races, ended);
            } else {
                self.warps[at] = Some(warp);
            }
            if self.executed > self.launch.max_instructions {
                deadlock::give_up(self, at);
            }
            if self.stopped || self.warps.is_empty() {
                break;
            }
            if !self.copies.is_empty() && self.choices.below(COPY_CHANCE) == 0 {
                let ended = self.choices.below(self.copies.len() as u64) as usize;
                copy_progress::end_copy(self, ended);
                // Lanes that waited for it had their turn before.
                progressed = true;
            }
        }
        Some(progressed)
    }

    /// Gives a warp a turn. Returns whether it ran: in lockstep, lanes that could run wait for those before them.
    fn run_warp(&mut self, warp: &mut Warp, turn: u32) -> bool {
        let mut left = turn;
        while left > 0 && !self.stopped {
            let Some(at) = choose(warp, self.program.scheduling) else { break };
            let used = Executor::new(self, warp, at).run(left);
            left = left.saturating_sub(used.max(1));
            warp.since_choice += used;
            warp.ahead = 0;
        }
        left < turn
    }

    /// Lets lanes go on whose wait has ended.
    pub fn wake(&mut self, warp: &mut Warp) {
        for at in 0..warp.splits.len() {
            let done = match warp.splits[at].state {
                SplitState::CtaBarrier(wait) => self.ctas[warp.cta].barriers[wait.barrier].phase() != wait.phase,
                SplitState::ClusterBarrier(phase) => self.clusters[self.ctas[warp.cta].cluster].phase != phase,
                SplitState::TensorMemory(columns) => self.ctas[warp.cta].tensors.room(columns).is_some(),
                SplitState::Warpgroup(before) => !warpgroup_wait::waits_for_products(self, warp, before),
                SplitState::Spinning(version) => self.version != version && polling::ends_polling(self, warp, at),
                SplitState::Ready | SplitState::LaneValues { .. } | SplitState::WarpBarrier(_) => false,
            };
            if !done {
                continue;
            }
            barrier_ordering::leave_barrier(self, warp, at);
            if let SplitState::CtaBarrier(wait) = warp.splits[at].state
                && let Some((reduction, destination)) = wait.result
            {
                let value = self.ctas[warp.cta].barriers[wait.barrier].result(wait.phase, reduction);
                let split = &warp.splits[at];
                let lanes = split.lanes;
                let frame = split.stack.last().map_or(0, |entry| entry.frame);
                warp.frames[frame].set(destination, &[value; 32], lanes);
            }
            warp.splits[at].state = SplitState::Ready;
        }
    }

    /// Threads have ended: barriers that wait for all others may end their phase.
    pub fn end_threads(&mut self, slot: usize, count: u32) {
        let cta = &mut self.ctas[slot];
        cta.live -= count;
        cta.end_phases();
        let (cluster, ended) = (cta.cluster, cta.live == 0);
        let cluster = &mut self.clusters[cluster];
        cluster.live -= count;
        cluster.end_phase();
        if ended && cluster.live == 0 {
            for slot in std::mem::take(&mut cluster.ctas) {
                // Copies to it may still be under way.
                if self.copies.is_empty() {
                    self.release_cta(slot);
                }
            }
        }
    }

    fn release_cta(&mut self, slot: usize) {
        self.ctas[slot].shared = MemoryBytes::undefined(0);
        self.ctas[slot].barriers = Vec::new();
        accesses::end_cta(&mut self.races, slot);
    }

    /// Releases what CTAs had that have ended before the last copy.
    pub fn release_ended_ctas(&mut self) {
        if !self.copies.is_empty() {
            return;
        }
        let has_ended = |slot: &usize| self.clusters[self.ctas[*slot].cluster].live == 0;
        let ended: Vec<usize> = (0..self.ctas.next()).filter(has_ended).collect();
        ended.into_iter().for_each(|slot| self.release_cta(slot));
    }
}

/// The lanes of a warp that run next: the innermost call first, then the earliest instruction, so that lanes meet again where their paths join. If
/// others could have run for long and lanes make progress independently, it is their turn.
fn choose(warp: &mut Warp, scheduling: ThreadScheduling) -> Option<usize> {
    const LONG: u32 = 512;
    if let [only] = &*warp.splits {
        return (only.state == SplitState::Ready).then_some(0);
    }
    let ready = |at: &usize| warp.splits[*at].state == SplitState::Ready;
    let order = |at: &usize| (std::cmp::Reverse(warp.splits[*at].stack.len()), warp.splits[*at].next);
    let first = (0..warp.splits.len()).filter(ready).min_by_key(order)?;
    let independent = scheduling == ThreadScheduling::Independent;
    let chosen = if independent && warp.since_choice > LONG {
        warp.since_choice = 0;
        warp.ahead = LONG;
        // The last one: the list changes its order as groups divide and join.
        (0..warp.splits.len()).rev().filter(ready).find(|at| *at != first).unwrap_or(first)
    } else {
        let earliest = (0..warp.splits.len()).min_by_key(order)?;
        if !independent && earliest != first && !waits_for_others(warp.splits[earliest].state) {
            return None;
        }
        first
    };
    Some(warp.join(chosen))
}

/// Whether lanes wait for other lanes of their warp.
fn waits_for_others(state: SplitState) -> bool {
    matches!(state, SplitState::LaneValues { .. } | SplitState::WarpBarrier(_) | SplitState::CtaBarrier(_))
}
