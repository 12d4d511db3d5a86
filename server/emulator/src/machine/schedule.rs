//! The schedule: which CTAs are resident, which warp runs next and how long, when copies end.

use super::barrier::Barrier;
use super::cta::{BARRIERS, Cluster, Cta};
use super::executor::Executor;
use super::lanes::WARP_SIZE;
use super::launch::{Dimensions, GridSizes, ThreadId};
use super::problem::{CodePlace, ProblemKind};
use super::program::ThreadScheduling;
use super::races::Clock;
use super::random::ScheduleChoices;
use super::region::MemoryBytes;
use super::residency::{LONG_CLUSTER, Residency};
use super::round::Round;
use super::state::Machine;
use super::tensor_memory::CtaTensorMemory;
use super::warp::{SplitState, Warp};
use std::collections::BTreeMap;

/// The warps that can be resident at a time: as many as an H100 holds.
const RESIDENT_WARPS: usize = 132 * 64;
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
            if !progressed && !self.stopped && !self.begin_another() && !self.resolve_stall() {
                break;
            }
        }
        self.end_copies();
        RunProgress::Ended
    }

    /// Ends the copies that nobody waits for.
    fn end_copies(&mut self) {
        while !self.copies.is_empty() && !self.stopped {
            self.end_copy(0);
        }
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
                self.races.end_warp(self.first_agent(&warp).warp);
            } else {
                self.warps[at] = Some(warp);
            }
            if self.executed > self.launch.max_instructions {
                self.give_up(at);
            }
            if self.stopped || self.warps.is_empty() {
                break;
            }
            if !self.copies.is_empty() && self.choices.below(COPY_CHANCE) == 0 {
                let ended = self.choices.below(self.copies.len() as u64) as usize;
                self.end_copy(ended);
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
                SplitState::Warpgroup(before) => !self.waits_for_products(warp, before),
                SplitState::Spinning(version) => self.version != version && self.ends_polling(warp, at),
                SplitState::Ready | SplitState::LaneValues { .. } | SplitState::WarpBarrier(_) => false,
            };
            if !done {
                continue;
            }
            self.leave_barrier(warp, at);
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

    /// Begins clusters as long as there is room, in place of those that have ended.
    pub fn begin_ctas(&mut self) {
        if self.runs_clusters_apart() && self.warps.is_empty() {
            self.end_copies();
        }
        self.drop_ended_clusters();
        while self.has_room() {
            if self.runs_clusters_apart() && self.warps.is_empty() {
                self.choices = ScheduleChoices::of_cluster(self.launch.seed, self.queue.next);
            }
            self.begin_next();
        }
    }

    /// Whether clusters run one after another.
    pub const fn runs_clusters_apart(&self) -> bool {
        matches!(self.queue.residency, Residency::One { .. })
    }

    /// Whether the next cluster begins now.
    fn has_room(&self) -> bool {
        let is_next = match self.queue.residency {
            Residency::All => true,
            Residency::One { begun_at } => self.warps.is_empty() || self.executed - begun_at > LONG_CLUSTER,
        };
        is_next && self.can_begin()
    }

    /// Whether there is another cluster, and it fits.
    fn can_begin(&self) -> bool {
        !self.stopped
            && self.queue.next < self.queue.end
            && self.warps.len() + self.warps_of_cluster() <= RESIDENT_WARPS.max(self.warps_of_cluster())
    }

    /// Begins another cluster beside one whose threads wait, possibly for this one. Returns whether there was one.
    fn begin_another(&mut self) -> bool {
        let begins = self.copies.is_empty() && self.can_begin();
        if begins {
            self.begin_next();
        }
        begins
    }

    fn begin_next(&mut self) {
        self.begin_cluster(self.queue.next);
        self.queue.next += 1;
        if let Residency::One { begun_at } = &mut self.queue.residency {
            *begun_at = self.executed;
        }
        if !self.races.has_numbers_for(self.ctas.next()) {
            let first = (self.ctas.next() as u64).saturating_sub(self.launch.cluster.count()) as usize;
            let thread = ThreadId { cta: self.cta_number(first), thread: 0 };
            let place = CodePlace { function: self.launch.kernel as u32, instruction: 0 };
            self.report(ProblemKind::InstructionLimit { limit: self.executed }, thread, place);
            self.stopped = true;
        }
    }

    /// The warps of one cluster, which always fit.
    fn warps_of_cluster(&self) -> usize {
        (u64::from(self.launch.warps_of_cta()) * self.launch.cluster.count()) as usize
    }

    /// Drops clusters that have ended, in the order in which they began. Copies to them may still be under way.
    fn drop_ended_clusters(&mut self) {
        while self.copies.is_empty() && self.clusters.first().is_some_and(|cluster| cluster.live == 0) {
            self.clusters.drop_first();
            (0..self.launch.cluster.count()).for_each(|_| self.ctas.drop_first());
        }
    }

    /// The position in a grid of a CTA of a cluster.
    fn position(&self, grid: usize, cluster: u64, rank: u64) -> [u32; 3] {
        let GridSizes { grid, cluster: size, .. } = self.launch.sizes(grid);
        let clusters = Dimensions(std::array::from_fn(|axis| grid.0[axis] / size.0[axis]));
        let (origin, inner) = (clusters.position(cluster), size.position(rank));
        std::array::from_fn(|axis| origin[axis] * size.0[axis] + inner[axis])
    }

    /// The position of the first CTA of a cluster of the first kernel.
    pub fn first_position(&self, cluster: u64) -> [u32; 3] {
        self.position(0, cluster, 0)
    }

    /// Cancels the launch of the next cluster, if the schedule chooses so; returns the position of its first CTA.
    pub fn cancel_next_cluster(&mut self) -> Option<[u32; 3]> {
        /// In one of so many attempts, the cluster begins instead.
        const FAILURE: u64 = 4;
        if self.queue.next >= self.queue.end || self.choices.below(FAILURE) == 0 {
            return None;
        }
        let first = self.first_position(self.queue.next);
        self.queue.cancelled.push(self.queue.next);
        self.queue.next += 1;
        Some(first)
    }

    /// The number in the grid of the CTA in a slot, which may have ended.
    pub fn cta_number(&self, slot: usize) -> u32 {
        let of_cluster = self.launch.cluster.count();
        if !self.launch.beside.is_empty() {
            return slot as u32;
        }
        let begun = slot as u64 / of_cluster;
        let cluster = self.queue.cancelled.iter().fold(begun, |cluster, other| cluster + u64::from(*other <= cluster));
        let position = self.position(0, cluster, slot as u64 % of_cluster);
        self.launch.grid.linear(position) as u32
    }

    /// Begins a cluster.
    pub fn begin_cluster(&mut self, number: u64) {
        let (grid, number) = self.launch.grid_of(number);
        let GridSizes { cluster, block, .. } = self.launch.sizes(grid);
        let live = (block.count() * cluster.count()) as u32;
        let index = self.clusters.next();
        let mut slots = Vec::new();
        for rank in 0..cluster.count() {
            let (inner, position) = (cluster.position(rank), self.position(grid, number, rank));
            slots.push(self.begin_cta(index, (grid, rank as u32), inner, position));
        }
        self.clusters.push(Cluster {
            ctas: slots,
            live,
            arrived: 0,
            phase: 0,
            clock: Clock::default(),
            ended_clock: Clock::default(),
            executed: Clock::default(),
            ended_executed: Clock::default(),
            of_ctas: Vec::new(),
            ended_of_ctas: Vec::new(),
        });
    }

    fn begin_cta(&mut self, cluster: usize, (grid, rank): (usize, u32), inner: [u32; 3], position: [u32; 3]) -> usize {
        let slot = self.ctas.next();
        let sizes = self.launch.sizes(grid);
        let threads = sizes.block.count() as u32;
        let kernel = &self.program.functions[sizes.kernel];
        let shared = kernel.shared.static_bytes + sizes.dynamic_shared;
        let number = if grid == 0 { sizes.grid.linear(position) as u32 } else { slot as u32 };
        self.ctas.push(Cta {
            grid,
            number,
            position,
            cluster,
            rank,
            position_in_cluster: inner,
            shared: MemoryBytes::undefined(shared as usize),
            barriers: vec![Barrier::default(); BARRIERS],
            mbarriers: BTreeMap::new(),
            tensors: CtaTensorMemory::default(),
            products: BTreeMap::new(),
            live: threads,
            exit_clock: Clock::default(),
        });
        for number in 0..threads.div_ceil(WARP_SIZE) {
            let lanes = threads - number * WARP_SIZE;
            let index = sizes.kernel as u32;
            let warp = Warp::new(slot, number, lanes.min(WARP_SIZE), index, kernel.registers, kernel.frame_bytes);
            self.warps.push(Some(Box::new(warp)));
        }
        slot
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
        self.races.end_cta(slot);
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
