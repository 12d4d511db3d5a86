//! Passes what barriers do to the detector of data races.

use crate::debug::recording;
use crate::launch::cta::Cluster;
use crate::state::Machine;
use crate::threads::executor::Executor;
use crate::threads::warp::{SplitState, Warp};
use ordering::{BarrierThreads, Clock, EventAction, RelaxedArrival};

/// Lanes arrive at a barrier of the CTA.
///
/// `waited_for` are the threads that they wait for, if that is known.
pub fn arrive_in_cta(executor: &mut Executor<'_, '_>, barrier: usize, waited_for: Option<BarrierThreads>, active: u32) {
    recording::record_order(executor, EventAction::Barrier, active);
    let (warp, slot) = (executor.agent(0).warp, executor.warp.cta);
    let clock = &mut executor.machine.ctas[slot].barriers[barrier].clock;
    executor.machine.races.arrive(warp, active, clock, waited_for);
}

/// Lanes leave a phase of a barrier of the CTA.
pub fn leave_cta_barrier(executor: &mut Executor<'_, '_>, barrier: usize, phase: u64, active: u32) {
    let clock = executor.machine.ctas[executor.warp.cta].barriers[barrier].ended_clock(phase);
    let warp = executor.agent(0).warp;
    executor.machine.races.leave(warp, active, &clock);
}

/// Lanes arrive at the barrier of a cluster.
pub fn arrive_in_cluster(executor: &mut Executor<'_, '_>, cluster: usize, active: u32) {
    recording::record_order(executor, EventAction::Barrier, active);
    let warp = executor.agent(0).warp;
    let clock = &mut executor.machine.clusters[cluster].clock;
    executor.machine.races.arrive(warp, active, clock, None);
}

/// The same without an order of memory, but for that of earlier fences.
pub fn arrive_relaxed_in_cluster(executor: &mut Executor<'_, '_>, cluster: usize, active: u32) {
    recording::record_order(executor, EventAction::Barrier, active);
    let warp = executor.agent(0).warp;
    let rank = executor.machine.ctas[executor.warp.cta].rank as usize;
    let Cluster { clock, executed, of_ctas, .. } = &mut executor.machine.clusters[cluster];
    if of_ctas.len() <= rank {
        of_ctas.resize_with(rank + 1, Clock::default);
    }
    let released = RelaxedArrival { clock, of_cta: &mut of_ctas[rank], executed };
    executor.machine.races.arrive_relaxed(warp, active, released);
}

/// Lanes leave the barrier of a cluster.
pub fn leave_cluster_barrier(executor: &mut Executor<'_, '_>, cluster: usize, active: u32) {
    let (warp, rank) = (executor.agent(0).warp, executor.machine.ctas[executor.warp.cta].rank);
    let cluster = &executor.machine.clusters[cluster];
    for clock in cluster.ended_clocks(rank as usize) {
        executor.machine.races.leave(warp, active, clock);
    }
}

/// Lanes arrive at a barrier of the warp.
pub fn arrive_at_warp_barrier(executor: &mut Executor<'_, '_>, mask: u32, active: u32) {
    recording::record_order(executor, EventAction::Barrier, active);
    let (warp, live) = (executor.agent(0).warp, executor.warp.live);
    executor.machine.races.warp_barrier(warp, active, mask, live);
}

/// Lanes execute an instruction that each of them waits for the others at.
pub fn meet(executor: &mut Executor<'_, '_>, lanes: u32) {
    if executor.machine.explored.clock.is_some() {
        let warp = executor.agent(0).warp;
        executor.machine.races.meet(warp, lanes);
    }
}

/// Lanes have ended: barriers of the warp may be complete without them.
pub fn end_warp_barriers(executor: &mut Executor<'_, '_>) {
    let (warp, live) = (executor.agent(0).warp, executor.warp.live);
    executor.machine.races.end_warp_barriers(warp, live);
}

/// Lanes that have waited for a barrier go on.
pub fn leave_barrier(machine: &mut Machine<'_>, warp: &Warp, split: usize) {
    let (agent, lanes) = (machine.first_agent(warp), warp.splits[split].lanes);
    match warp.splits[split].state {
        SplitState::CtaBarrier(wait) => {
            let clock = machine.ctas[warp.cta].barriers[wait.barrier].ended_clock(wait.phase);
            machine.races.leave(agent.warp, lanes, &clock);
        }
        SplitState::ClusterBarrier(_) => {
            let cta = &machine.ctas[warp.cta];
            for clock in machine.clusters[cta.cluster].ended_clocks(cta.rank as usize) {
                machine.races.leave(agent.warp, lanes, clock);
            }
        }
        _ => {}
    }
}
