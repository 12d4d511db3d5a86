//! Passes what barriers do to the detector of data races.

use crate::machine::launch::cta::Cluster;
use crate::machine::ordering::{BarrierThreads, Clock, EventAction, RelaxedArrival};
use crate::machine::state::Machine;
use crate::machine::threads::executor::Executor;
use crate::machine::threads::warp::{SplitState, Warp};

impl Executor<'_, '_> {
    /// Lanes arrive at a barrier of the CTA.
    ///
    /// `waited_for` are the threads that they wait for, if that is known.
    pub fn arrive_in_cta(&mut self, barrier: usize, waited_for: Option<BarrierThreads>, active: u32) {
        self.record_order(EventAction::Barrier, active);
        let (warp, slot) = (self.agent(0).warp, self.warp.cta);
        let clock = &mut self.machine.ctas[slot].barriers[barrier].clock;
        self.machine.races.arrive(warp, active, clock, waited_for);
    }

    /// Lanes leave a phase of a barrier of the CTA.
    pub fn leave_cta_barrier(&mut self, barrier: usize, phase: u64, active: u32) {
        let clock = self.machine.ctas[self.warp.cta].barriers[barrier].ended_clock(phase);
        let warp = self.agent(0).warp;
        self.machine.races.leave(warp, active, &clock);
    }

    /// Lanes arrive at the barrier of a cluster.
    pub fn arrive_in_cluster(&mut self, cluster: usize, active: u32) {
        self.record_order(EventAction::Barrier, active);
        let warp = self.agent(0).warp;
        let clock = &mut self.machine.clusters[cluster].clock;
        self.machine.races.arrive(warp, active, clock, None);
    }

    /// The same without an order of memory, but for that of earlier fences.
    pub fn arrive_relaxed_in_cluster(&mut self, cluster: usize, active: u32) {
        self.record_order(EventAction::Barrier, active);
        let warp = self.agent(0).warp;
        let rank = self.machine.ctas[self.warp.cta].rank as usize;
        let Cluster { clock, executed, of_ctas, .. } = &mut self.machine.clusters[cluster];
        if of_ctas.len() <= rank {
            of_ctas.resize_with(rank + 1, Clock::default);
        }
        let released = RelaxedArrival { clock, of_cta: &mut of_ctas[rank], executed };
        self.machine.races.arrive_relaxed(warp, active, released);
    }

    /// Lanes leave the barrier of a cluster.
    pub fn leave_cluster_barrier(&mut self, cluster: usize, active: u32) {
        let (warp, rank) = (self.agent(0).warp, self.machine.ctas[self.warp.cta].rank);
        let cluster = &self.machine.clusters[cluster];
        for clock in cluster.ended_clocks(rank as usize) {
            self.machine.races.leave(warp, active, clock);
        }
    }

    /// Lanes arrive at a barrier of the warp.
    pub fn arrive_at_warp_barrier(&mut self, mask: u32, active: u32) {
        self.record_order(EventAction::Barrier, active);
        let (warp, live) = (self.agent(0).warp, self.warp.live);
        self.machine.races.warp_barrier(warp, active, mask, live);
    }

    /// Lanes execute an instruction that each of them waits for the others at.
    pub fn meet(&mut self, lanes: u32) {
        if self.machine.explored.clock.is_some() {
            let warp = self.agent(0).warp;
            self.machine.races.meet(warp, lanes);
        }
    }

    /// Lanes have ended: barriers of the warp may be complete without them.
    pub fn end_warp_barriers(&mut self) {
        let (warp, live) = (self.agent(0).warp, self.warp.live);
        self.machine.races.end_warp_barriers(warp, live);
    }
}

impl Machine<'_> {
    /// Lanes that have waited for a barrier go on.
    pub fn leave_barrier(&mut self, warp: &Warp, split: usize) {
        let (agent, lanes) = (self.first_agent(warp), warp.splits[split].lanes);
        match warp.splits[split].state {
            SplitState::CtaBarrier(wait) => {
                let clock = self.ctas[warp.cta].barriers[wait.barrier].ended_clock(wait.phase);
                self.races.leave(agent.warp, lanes, &clock);
            }
            SplitState::ClusterBarrier(_) => {
                let cta = &self.ctas[warp.cta];
                for clock in self.clusters[cta.cluster].ended_clocks(cta.rank as usize) {
                    self.races.leave(agent.warp, lanes, clock);
                }
            }
            _ => {}
        }
    }
}
