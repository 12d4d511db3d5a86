//! When two states are the same: what threads, memory and clocks can still do is.
//!
//! Clocks are compared by what they order: of the epochs of an agent only those matter in which something happened that is still remembered.

use super::super::asynchronous::PendingCopy;
use super::super::cta::{Cluster, Cta};
use super::super::explored::ExploredClock;
use super::super::lanes::lanes_of;
use super::super::liveness::RegisterSet;
use super::super::races::Clock;
use super::super::slots::Slots;
use super::super::state::Machine;
use super::super::warp::{Split, SplitState, Warp};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

impl Machine<'_> {
    /// Removes messages that no thread can read any more.
    pub fn prune_history(&mut self) {
        let agents = self.live_agents();
        self.races.prune_history(&agents, order_clocks(&self.ctas, &self.clusters, &self.copies));
    }

    /// A number that is the same for states that are the same.
    ///
    /// `live` are the registers that matter at each instruction of each function.
    pub fn fingerprint(&self, live: &[Vec<RegisterSet>]) -> u64 {
        let mut hash = DefaultHasher::new();
        for warp in &self.warps {
            match warp {
                Some(warp) => self.hash_warp(warp, live, &mut hash),
                None => u32::MAX.hash(&mut hash),
            }
        }
        for cta in self.ctas.iter() {
            hash_cta(cta, &mut hash);
        }
        for cluster in self.clusters.iter() {
            (cluster.live, cluster.arrived).hash(&mut hash);
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
        let agents = self.live_agents();
        if agents.is_empty() {
            return hash.finish();
        }
        let late = self.explored.clock.iter().flat_map(ExploredClock::late);
        late.filter(|agent| agents.contains(agent)).for_each(|agent| agent.hash(&mut hash));
        for (agent, streak) in self.explored.waits.iter().filter(|(agent, _)| agents.contains(agent)) {
            (agent, streak.rereads()).hash(&mut hash);
            streak.rounds().for_each(|(place, rounds)| (agent, place, rounds).hash(&mut hash));
        }
        let clocks = order_clocks(&self.ctas, &self.clusters, &self.copies);
        self.races.hash_order(clocks, &agents, &mut hash);
        hash.finish()
    }

    fn hash_warp(&self, warp: &Warp, live: &[Vec<RegisterSet>], hash: &mut DefaultHasher) {
        let cluster = &self.clusters[self.ctas[warp.cta].cluster];
        (warp.live, warp.separated, warp.cluster_phase == cluster.phase).hash(hash);
        warp.ways.iter().for_each(|ways| ways.hash(warp.live, hash));
        let mut splits: Vec<&Split> = warp.splits.iter().collect();
        splits.sort_unstable_by_key(|split| split.lanes);
        for split in splits {
            (split.lanes, split.next, split.stack.len()).hash(hash);
            match split.state {
                SplitState::Ready => 0.hash(hash),
                SplitState::LaneValues { required, .. } => (1, required).hash(hash),
                SplitState::WarpBarrier(mask) => (2, mask).hash(hash),
                SplitState::CtaBarrier(wait) => (3, wait.barrier).hash(hash),
                SplitState::ClusterBarrier(_) => 4.hash(hash),
                SplitState::TensorMemory(columns) => (6, columns).hash(hash),
                SplitState::Spinning(version) => (5, version == self.version).hash(hash),
            }
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

    fn hash_split(warp: &Warp, split: &Split, live: &[Vec<RegisterSet>], hash: &mut DefaultHasher) {
        for (depth, entry) in split.stack.iter().enumerate() {
            let frame = &warp.frames[entry.frame];
            (frame.function, frame.local, frame.local_bytes, entry.return_to).hash(hash);
            // Callers continue after the call of the next entry.
            let next = split.stack.get(depth + 1).map_or(split.next, |callee| callee.return_to);
            let live = &live[frame.function as usize][next as usize];
            let registers = frame.registers.iter().zip(&frame.defined).enumerate();
            for (at, (register, defined)) in registers.filter(|(at, _)| live.contains(*at)) {
                (defined & split.lanes).hash(hash);
                for lane in lanes_of(split.lanes & !defined) {
                    frame.undefined.get(&(at as u32, lane as u8)).map(|undefined| undefined.bits).hash(hash);
                }
                lanes_of(split.lanes).for_each(|lane| register[lane].hash(hash));
            }
        }
        for lane in lanes_of(split.lanes) {
            if let Some(local) = warp.local.get(lane) {
                local.hash_contents(hash);
            }
            if let Some(groups) = warp.groups.get(lane) {
                groups.hash(hash);
            }
        }
    }
}

/// The clocks of barriers, of ends, and of copies under way.
fn order_clocks<'c>(
    ctas: &'c Slots<Cta>,
    clusters: &'c Slots<Cluster>,
    copies: &'c [PendingCopy],
) -> impl Iterator<Item = &'c Clock> {
    let barriers = ctas.iter().flat_map(|cta| cta.barriers.iter().map(|barrier| &barrier.clock));
    let clusters = clusters
        .iter()
        .flat_map(|cluster| [&cluster.clock, &cluster.ended_clock, &cluster.executed, &cluster.ended_executed]);
    let exits = ctas.iter().filter(|cta| cta.live > 0).map(|cta| &cta.exit_clock);
    let copies = copies.iter().map(|copy| &copy.begin.clock);
    barriers.chain(clusters).chain(exits).chain(copies)
}

fn hash_cta(cta: &Cta, hash: &mut DefaultHasher) {
    cta.live.hash(hash);
    cta.shared.hash_contents(hash);
    cta.tensors.hash(hash);
    for barrier in &cta.barriers {
        barrier.hash_arrivals(hash);
    }
    for (offset, mbarrier) in &cta.mbarriers {
        (offset, mbarrier).hash(hash);
    }
}
