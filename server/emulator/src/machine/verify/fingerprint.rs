//! When two states are the same: what threads, memory and clocks can still do is.
//!
//! Clocks are compared by what they order: of the epochs of an agent only those matter in which something happened that is still remembered.
//!
//! Everything is taken in the order of the numbers that CTAs and threads are given ([`Renaming`]), and nothing depends on those that they had.

use super::super::asynchronous::PendingCopy;
use super::super::cta::{Cluster, Cta};
use super::super::lanes::{WARP_SIZE, lanes_of};
use super::super::launch::UseRecording;
use super::super::liveness::RegisterSet;
use super::super::races::{Agent, Clock, Renaming};
use super::super::slots::Slots;
use super::super::state::Machine;
use super::super::warp::{Split, SplitState, Warp};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

impl Machine<'_> {
    /// Removes messages that no thread can read any more.
    pub fn prune_history(&mut self) {
        let agents = self.live_agents();
        let as_numbered = Renaming::NONE;
        let clocks = order_clocks(&self.ctas, &self.clusters, (&self.copies, &as_numbered));
        self.races.prune_history(&agents, clocks);
    }

    /// A number that is the same for states that are the same, once CTAs and threads have the numbers that they are given.
    ///
    /// `live` are the registers that matter at each instruction of each function.
    pub fn fingerprint(&self, live: &[Vec<RegisterSet>], renaming: &Renaming) -> u64 {
        let mut hash = DefaultHasher::new();
        // The same memory at the end may come from fewer clusters.
        if self.explored.withheld.is_none() || !self.has_ended() {
            self.hash_ctas(live, renaming, &mut hash);
        }
        for allocation in self.memory.allocations() {
            (allocation.kind as u8).hash(&mut hash);
            allocation.region.hash_contents(&mut hash);
        }
        for copy in &self.copies {
            (copy.thread, copy.place, copy.length, copy.destination).hash(&mut hash);
            (copy.notified, &copy.part, &copy.data).hash(&mut hash);
        }
        self.unknown.hash(&mut hash);
        // Also of ends: claims are about those that no limit on waiting has led to.
        self.has_timed_out().hash(&mut hash);
        (&self.explored.withheld, self.queue.next).hash(&mut hash);
        if self.launch.uses == UseRecording::On {
            self.races.dependent_launch().hash(&mut hash);
        }
        let mut agents = self.live_agents();
        if agents.is_empty() {
            return hash.finish();
        }
        self.queue.cancelled.hash(&mut hash);
        agents.sort_by_key(|agent| renaming.agent(*agent));
        let refused = agents.iter().filter(|agent| self.queue.refused.contains(agent));
        refused.for_each(|agent| renaming.agent(*agent).hash(&mut hash));
        self.hash_waits((&agents, renaming), &mut hash);
        let clocks = order_clocks(&self.ctas, &self.clusters, (&self.copies, renaming));
        self.races.hash_order(clocks, (&agents, renaming), &mut hash);
        hash.finish()
    }

    fn hash_ctas(&self, live: &[Vec<RegisterSet>], renaming: &Renaming, hash: &mut DefaultHasher) {
        for at in 0..self.warps.len() {
            if renaming.moves_threads() {
                self.hash_threads(at as u32, live, renaming, hash);
                continue;
            }
            match &self.warps[renaming.warp_at(at)] {
                Some(warp) => self.hash_warp(warp, live, hash),
                None => u32::MAX.hash(hash),
            }
        }
        for cta in in_new_order(&self.ctas, renaming) {
            hash_cta(cta, hash);
        }
        for cluster in in_new_order(&self.clusters, renaming) {
            (cluster.live, cluster.arrived).hash(hash);
        }
    }

    /// The threads that have the places of a warp now.
    fn hash_threads(&self, warp: u32, live: &[Vec<RegisterSet>], renaming: &Renaming, hash: &mut DefaultHasher) {
        for new in (0..WARP_SIZE).map(|lane| Agent { warp, lane }) {
            let agent = renaming.thread_at(new);
            let Some(Some(warp)) = self.warps.get(agent.warp as usize) else { continue };
            // Also those that have ended: which way they went is remembered.
            for ways in &warp.ways {
                let way = ways.of_lane(agent.lane as usize, warp.live);
                (new.lane, ways.condition.instruction, way).hash(hash);
            }
            if warp.live >> agent.lane & 1 == 0 {
                continue;
            }
            new.hash(hash);
            let number = |lane: usize| renaming.agent(Agent { lane: lane as u32, ..agent });
            self.hash_thread(warp, agent.lane, (live, &number), hash);
        }
    }

    /// A thread, with the threads of its group and those that it waits for by other numbers.
    fn hash_thread(
        &self,
        warp: &Warp,
        lane: u32,
        (live, number): (&[Vec<RegisterSet>], &dyn Fn(usize) -> Agent),
        hash: &mut DefaultHasher,
    ) {
        let Some(at) = warp.split_of(lane) else { return };
        let split = &warp.splits[at];
        let hash_lanes = |lanes: u32, hash: &mut DefaultHasher| {
            let mut others: Vec<Agent> = lanes_of(lanes).map(number).collect();
            others.sort_unstable();
            others.hash(hash);
        };
        let cluster = &self.clusters[self.ctas[warp.cta].cluster];
        (warp.separated >> lane & 1, warp.cluster_phase == cluster.phase).hash(hash);
        (split.next, split.stack.len(), split.lanes.count_ones()).hash(hash);
        if !split.lanes.is_power_of_two() {
            hash_lanes(split.lanes, hash);
        }
        hash_state(split.state, self.version, hash, hash_lanes);
        Self::hash_lanes(warp, split, (1 << lane, live), hash);
    }

    /// What threads have waited for, for those that have not ended.
    fn hash_waits(&self, (agents, renaming): (&[Agent], &Renaming), hash: &mut DefaultHasher) {
        let clock = self.explored.clock.as_ref();
        let late = agents.iter().filter(|agent| clock.is_some_and(|clock| clock.is_late(**agent)));
        late.for_each(|agent| renaming.agent(*agent).hash(hash));
        for agent in agents {
            let Some(streak) = self.explored.waits.get(agent) else { continue };
            let new = renaming.agent(*agent);
            (new, streak.rereads()).hash(hash);
            streak.rounds().for_each(|(place, rounds)| (new, place, rounds).hash(hash));
        }
    }

    fn hash_warp(&self, warp: &Warp, live: &[Vec<RegisterSet>], hash: &mut DefaultHasher) {
        let cluster = &self.clusters[self.ctas[warp.cta].cluster];
        (warp.live, warp.separated, warp.cluster_phase == cluster.phase).hash(hash);
        warp.ways.iter().for_each(|ways| ways.hash(warp.live, hash));
        let mut splits: Vec<&Split> = warp.splits.iter().collect();
        splits.sort_unstable_by_key(|split| split.lanes);
        for split in splits {
            (split.lanes, split.next, split.stack.len()).hash(hash);
            hash_state(split.state, self.version, hash, |lanes, hash| lanes.hash(hash));
            Self::hash_split(warp, split, live, hash);
        }
    }

    /// A number that is the same for states of a split in which it can do the same: registers, calls, local memory.
    pub fn split_fingerprint(&self, warp: &Warp, split: &Split, live: &[Vec<RegisterSet>]) -> u64 {
        let mut hash = DefaultHasher::new();
        split.stack.len().hash(&mut hash);
        Self::hash_split(warp, split, live, &mut hash);
        hash.finish()
    }

    /// A number of a thread that is the same for threads that can do the same next, but for what they know. `place` is its own, if it has to keep it.
    pub fn thread_color(&self, warp: &Warp, lane: u32, live: &[Vec<RegisterSet>], place: Option<u32>) -> u64 {
        let mut hash = DefaultHasher::new();
        place.hash(&mut hash);
        // Whom it waits for is told by what they do.
        self.hash_thread(warp, lane, (live, &|_| Agent::NOBODY), &mut hash);
        let agent = Agent { lane, ..self.first_agent(warp) };
        self.explored.clock.as_ref().is_some_and(|clock| clock.is_late(agent)).hash(&mut hash);
        if let Some(streak) = self.explored.waits.get(&agent) {
            streak.rereads().hash(&mut hash);
            streak.rounds().for_each(|round| round.hash(&mut hash));
        }
        hash.finish()
    }

    fn hash_split(warp: &Warp, split: &Split, live: &[Vec<RegisterSet>], hash: &mut DefaultHasher) {
        Self::hash_lanes(warp, split, (split.lanes, live), hash);
    }

    /// Some lanes of a group: their registers and local memory.
    fn hash_lanes(warp: &Warp, split: &Split, (lanes, live): (u32, &[Vec<RegisterSet>]), hash: &mut DefaultHasher) {
        for (depth, entry) in split.stack.iter().enumerate() {
            let frame = &warp.frames[entry.frame];
            (frame.function, frame.local, frame.local_bytes, entry.return_to).hash(hash);
            // Callers continue after the call of the next entry.
            let next = split.stack.get(depth + 1).map_or(split.next, |callee| callee.return_to);
            let live = &live[frame.function as usize][next as usize];
            let registers = frame.registers.iter().zip(&frame.defined).enumerate();
            for (at, (register, defined)) in registers.filter(|(at, _)| live.contains(*at)) {
                ((defined & lanes) >> lanes.trailing_zeros()).hash(hash);
                for lane in lanes_of(lanes & !defined) {
                    frame.undefined.get(&(at as u32, lane as u8)).map(|undefined| undefined.bits).hash(hash);
                }
                lanes_of(lanes).for_each(|lane| register[lane].hash(hash));
            }
        }
        for lane in lanes_of(lanes) {
            if let Some(local) = warp.local.get(lane) {
                local.hash_contents(hash);
            }
            if let Some(groups) = warp.groups.get(lane) {
                groups.hash(hash);
            }
        }
    }
}

/// The state of a group, whose lanes are added by a function.
fn hash_state(state: SplitState, version: u64, hash: &mut DefaultHasher, hash_lanes: impl Fn(u32, &mut DefaultHasher)) {
    match state {
        SplitState::Ready => 0.hash(hash),
        SplitState::LaneValues { required, .. } => {
            1.hash(hash);
            hash_lanes(required, hash);
        }
        SplitState::WarpBarrier(mask) => {
            2.hash(hash);
            hash_lanes(mask, hash);
        }
        SplitState::CtaBarrier(wait) => (3, wait.barrier).hash(hash),
        SplitState::ClusterBarrier(_) => 4.hash(hash),
        SplitState::TensorMemory(columns) => (6, columns).hash(hash),
        SplitState::Warpgroup(before) => (7, before).hash(hash),
        SplitState::Spinning(at) => (5, at == version).hash(hash),
    }
}

/// CTAs or clusters, which are CTAs where threads have other numbers, in the order of those.
fn in_new_order<'s, T>(all: &'s Slots<T>, renaming: &'s Renaming) -> impl Iterator<Item = &'s T> {
    let count = if renaming.is_some() { 0 } else { usize::MAX };
    let kept = all.iter().take(count);
    let renamed = if renaming.is_some() { all.next() } else { 0 };
    kept.chain((0..renamed).map(|new| &all[renaming.cta_at(new)]))
}

/// The clocks of barriers, of ends, and of copies under way.
fn order_clocks<'c>(
    ctas: &'c Slots<Cta>,
    clusters: &'c Slots<Cluster>,
    (copies, renaming): (&'c [PendingCopy], &'c Renaming),
) -> impl Iterator<Item = &'c Clock> {
    let barriers = in_new_order(ctas, renaming).flat_map(|cta| cta.barriers.iter().map(|barrier| &barrier.clock));
    let clusters = in_new_order(clusters, renaming).flat_map(|cluster| {
        let all = [&cluster.clock, &cluster.ended_clock, &cluster.executed, &cluster.ended_executed];
        all.into_iter().chain(&cluster.of_ctas).chain(&cluster.ended_of_ctas)
    });
    let exits = in_new_order(ctas, renaming).filter(|cta| cta.live > 0).map(|cta| &cta.exit_clock);
    let copies = copies.iter().map(|copy| &copy.begin.clock);
    barriers.chain(clusters).chain(exits).chain(copies)
}

fn hash_cta(cta: &Cta, hash: &mut DefaultHasher) {
    cta.live.hash(hash);
    cta.shared.hash_contents(hash);
    cta.tensors.hash(hash);
    cta.products.hash(hash);
    for barrier in &cta.barriers {
        barrier.hash_arrivals(hash);
    }
    for (offset, mbarrier) in &cta.mbarriers {
        (offset, mbarrier).hash(hash);
    }
}
