//! When two states are the same: what threads, memory and clocks can still do is.
//!
//! Clocks are compared by what they order: of the epochs of an agent only those matter in which something happened that is still remembered.
//!
//! Everything is taken in the order of the numbers that CTAs and threads are given ([`ThreadPermutation`]), and nothing depends on those that they had.

use machine::copies::pending_copy::{CopyBegin, PendingCopy};
use machine::launch::cluster_queue::ClusterQueue;
use machine::launch::cta::{Cluster, Cta};
use machine::launch::slots::Slots;
use machine::state::Machine;
use machine::threads::warp::{CallFrame, Split, SplitState, StackEntry, Warp};
use ordering::equivalence::canonical;
use ordering::messages::history_pruning;
use ordering::{Agent, Clock, ThreadPermutation};
use program::analysis::liveness::RegisterSet;
use program::lanes::{WARP_SIZE, lanes_of};
use program::launch::kernel_launch::UseRecording;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// Removes messages that no thread can read any more.
pub fn prune_history(machine: &mut Machine<'_>) {
    let agents = machine.live_agents();
    let as_numbered = ThreadPermutation::NONE;
    let clocks = order_clocks(&machine.ctas, &machine.clusters, (&machine.copies, &as_numbered));
    history_pruning::prune_history(&mut machine.races, &agents, clocks);
}

/// A number that is the same for states that are the same, once CTAs and threads have the numbers that they are given.
///
/// `live` are the registers that matter at each instruction of each function.
pub fn fingerprint(machine: &Machine<'_>, live: &[Vec<RegisterSet>], permutation: &ThreadPermutation) -> u64 {
    // Each field is here, so that a new one is not forgotten.
    #[rustfmt::skip]
    let Machine {
        launch, memory, ctas, clusters, copies, races, unknown,
        // The clusters that have begun, and whether threads know which ones have not.
        queue: ClusterQueue { next, cancelled, refused, end: _, residency: _, warps_of_cluster: _, first_of_grids: _ },
        // By threads, or in part, below.
        warps: _, version: _, explored: _,
        // The same in all states of a search.
        program: _, parameter_memory: _, choices: _, observer: _, code: _,
        // What was found on the way, and how long that was, decide nothing.
        problems: _, notes: _, output: _, executed: _, unsupported: _, trace: _, round: _, stopped: _, wait_cycles: _,
    } = machine;
    let mut hash = DefaultHasher::new();
    // The same memory at the end may come from fewer clusters.
    if machine.explored.withheld.is_none() || !machine.has_ended() {
        hash_ctas(machine, live, permutation, &mut hash);
    }
    for allocation in memory.allocations() {
        (allocation.kind as u8).hash(&mut hash);
        allocation.region.hash_contents(&mut hash);
    }
    copies.iter().for_each(|copy| hash_copy(copy, &mut hash));
    unknown.hash(&mut hash);
    // Also of ends: claims are about those that no limit on waiting has led to.
    machine.has_timed_out().hash(&mut hash);
    (&machine.explored.withheld, next).hash(&mut hash);
    if launch.uses == UseRecording::On {
        races.dependent_launch().hash(&mut hash);
    }
    let mut agents = machine.live_agents();
    if agents.is_empty() {
        return hash.finish();
    }
    cancelled.hash(&mut hash);
    agents.sort_by_key(|agent| permutation.agent(*agent));
    let refused = agents.iter().filter(|agent| refused.contains(agent));
    refused.for_each(|agent| permutation.agent(*agent).hash(&mut hash));
    hash_waits(machine, (&agents, permutation), &mut hash);
    let clocks = order_clocks(ctas, clusters, (copies, permutation));
    canonical::hash_order(races, clocks, (&agents, permutation), &mut hash);
    hash.finish()
}

fn hash_ctas(
    machine: &Machine<'_>,
    live: &[Vec<RegisterSet>],
    permutation: &ThreadPermutation,
    hash: &mut DefaultHasher,
) {
    for at in 0..machine.warps.len() {
        if permutation.moves_threads() {
            hash_threads(machine, at as u32, live, permutation, hash);
            continue;
        }
        match &machine.warps[permutation.warp_at(at)] {
            Some(warp) => hash_warp(machine, warp, live, hash),
            None => u32::MAX.hash(hash),
        }
    }
    for cta in in_new_order(&machine.ctas, permutation) {
        hash_cta(cta, hash);
    }
    in_new_order(&machine.clusters, permutation).for_each(|cluster| hash_cluster(cluster, hash));
}

/// The threads that have the places of a warp now.
fn hash_threads(
    machine: &Machine<'_>,
    warp: u32,
    live: &[Vec<RegisterSet>],
    permutation: &ThreadPermutation,
    hash: &mut DefaultHasher,
) {
    for new in (0..WARP_SIZE).map(|lane| Agent { warp, lane }) {
        let agent = permutation.thread_at(new);
        let Some(Some(warp)) = machine.warps.get(agent.warp as usize) else { continue };
        // Also those that have ended: which way they went is remembered.
        for ways in &warp.ways {
            let way = ways.of_lane(agent.lane as usize, warp.live);
            (new.lane, ways.condition.instruction, way).hash(hash);
        }
        if warp.live >> agent.lane & 1 == 0 {
            continue;
        }
        new.hash(hash);
        let number = |lane: usize| permutation.agent(Agent { lane: lane as u32, ..agent });
        hash_thread(machine, warp, agent.lane, (live, &number), hash);
    }
}

/// A thread, with the threads of its group and those that it waits for by other numbers.
fn hash_thread(
    machine: &Machine<'_>,
    warp: &Warp,
    lane: u32,
    (live, number): (&[Vec<RegisterSet>], &dyn Fn(usize) -> Agent),
    hash: &mut DefaultHasher,
) {
    let Some(at) = warp.split_of(lane) else { return };
    let split = &warp.splits[at];
    let Split { lanes, next, stack, state, spin: _ } = split;
    let hash_others = |lanes: u32, hash: &mut DefaultHasher| {
        let mut others: Vec<Agent> = lanes_of(lanes).map(number).collect();
        others.sort_unstable();
        others.hash(hash);
    };
    let cluster = &machine.clusters[machine.ctas[warp.cta].cluster];
    (warp.separated >> lane & 1, warp.cluster_phase == cluster.phase).hash(hash);
    (next, stack.len(), lanes.count_ones()).hash(hash);
    if !lanes.is_power_of_two() {
        hash_others(*lanes, hash);
    }
    hash_state(*state, machine.version, hash, hash_others);
    hash_lanes(warp, split, (1 << lane, live), hash);
}

/// What threads have waited for, for those that have not ended.
fn hash_waits(machine: &Machine<'_>, (agents, permutation): (&[Agent], &ThreadPermutation), hash: &mut DefaultHasher) {
    let clock = machine.explored.clock.as_ref();
    let late = agents.iter().filter(|agent| clock.is_some_and(|clock| clock.is_late(**agent)));
    late.for_each(|agent| permutation.agent(*agent).hash(hash));
    for agent in agents {
        let Some(streak) = machine.explored.waits.get(agent) else { continue };
        let new = permutation.agent(*agent);
        (new, streak.rereads()).hash(hash);
        streak.rounds().for_each(|(place, rounds)| (new, place, rounds).hash(hash));
    }
}

fn hash_warp(machine: &Machine<'_>, warp: &Warp, live: &[Vec<RegisterSet>], hash: &mut DefaultHasher) {
    #[rustfmt::skip]
    let Warp {
        cta, live: lanes, splits, cluster_phase, separated, ways,
        // By the groups of lanes.
        frames: _, local: _, groups: _,
        // Its place, and where its frames are.
        number: _, first_unused: _, slots: _,
        // The choices of a schedule, and what messages say.
        since_choice: _, ahead: _, polled: _, has_tested_in_vain: _, waiting_loops: _,
    } = warp;
    let cluster = &machine.clusters[machine.ctas[*cta].cluster];
    (lanes, separated, *cluster_phase == cluster.phase).hash(hash);
    ways.iter().for_each(|ways| ways.hash(*lanes, hash));
    let mut splits: Vec<&Split> = splits.iter().collect();
    splits.sort_unstable_by_key(|split| split.lanes);
    for split in splits {
        let Split { lanes, next, stack, state, spin: _ } = split;
        (lanes, next, stack.len()).hash(hash);
        hash_state(*state, machine.version, hash, |lanes, hash| lanes.hash(hash));
        hash_split(warp, split, live, hash);
    }
}

/// A number that is the same for states of a split in which it can do the same: registers, calls, local memory.
pub fn split_fingerprint(warp: &Warp, split: &Split, live: &[Vec<RegisterSet>]) -> u64 {
    let mut hash = DefaultHasher::new();
    split.stack.len().hash(&mut hash);
    hash_split(warp, split, live, &mut hash);
    hash.finish()
}

/// A number of a thread that is the same for threads that can do the same next, but for what they know. `place` is its own, if it has to keep it.
pub fn thread_color(
    machine: &Machine<'_>,
    warp: &Warp,
    lane: u32,
    live: &[Vec<RegisterSet>],
    place: Option<u32>,
) -> u64 {
    let mut hash = DefaultHasher::new();
    place.hash(&mut hash);
    // Whom it waits for is told by what they do.
    hash_thread(machine, warp, lane, (live, &|_| Agent::NOBODY), &mut hash);
    let agent = Agent { lane, ..machine.first_agent(warp) };
    machine.explored.clock.as_ref().is_some_and(|clock| clock.is_late(agent)).hash(&mut hash);
    if let Some(streak) = machine.explored.waits.get(&agent) {
        streak.rereads().hash(&mut hash);
        streak.rounds().for_each(|round| round.hash(&mut hash));
    }
    hash.finish()
}

fn hash_split(warp: &Warp, split: &Split, live: &[Vec<RegisterSet>], hash: &mut DefaultHasher) {
    hash_lanes(warp, split, (split.lanes, live), hash);
}

/// Some lanes of a group: their registers and local memory.
fn hash_lanes(warp: &Warp, split: &Split, (lanes, live): (u32, &[Vec<RegisterSet>]), hash: &mut DefaultHasher) {
    for (depth, entry) in split.stack.iter().enumerate() {
        let StackEntry { frame, return_to } = entry;
        let CallFrame { function, registers, defined, undefined, pending, local, local_bytes, users: _ } =
            &warp.frames[*frame];
        (function, local, local_bytes, return_to).hash(hash);
        pending.iter().for_each(|pending| pending.hash(hash));
        // Callers continue after the call of the next entry.
        let next = split.stack.get(depth + 1).map_or(split.next, |callee| callee.return_to);
        let live = &live[*function as usize][next as usize];
        let registers = registers.iter().zip(defined).enumerate();
        for (at, (register, defined)) in registers.filter(|(at, _)| live.contains(*at)) {
            ((defined & lanes) >> lanes.trailing_zeros()).hash(hash);
            for lane in lanes_of(lanes & !defined) {
                undefined.get(&(at as u32, lane as u8)).map(|undefined| undefined.bits).hash(hash);
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
fn in_new_order<'s, T>(all: &'s Slots<T>, permutation: &'s ThreadPermutation) -> impl Iterator<Item = &'s T> {
    let count = if permutation.is_some() { 0 } else { usize::MAX };
    let kept = all.iter().take(count);
    let renamed = if permutation.is_some() { all.next() } else { 0 };
    kept.chain((0..renamed).map(|new| &all[permutation.cta_at(new)]))
}

/// The clocks of barriers, of ends, and of copies under way.
fn order_clocks<'c>(
    ctas: &'c Slots<Cta>,
    clusters: &'c Slots<Cluster>,
    (copies, permutation): (&'c [PendingCopy], &'c ThreadPermutation),
) -> impl Iterator<Item = &'c Clock> {
    let barriers = in_new_order(ctas, permutation).flat_map(|cta| cta.barriers.iter().map(|barrier| &barrier.clock));
    let clusters = in_new_order(clusters, permutation).flat_map(|cluster| {
        let all = [&cluster.clock, &cluster.ended_clock, &cluster.executed, &cluster.ended_executed];
        all.into_iter().chain(&cluster.of_ctas).chain(&cluster.ended_of_ctas)
    });
    let exits = in_new_order(ctas, permutation).filter(|cta| cta.live > 0).map(|cta| &cta.exit_clock);
    let copies = copies.iter().map(|copy| &copy.begin.clock);
    barriers.chain(clusters).chain(exits).chain(copies)
}

/// A CTA, without its clock.
fn hash_cta(cta: &Cta, hash: &mut DefaultHasher) {
    #[rustfmt::skip]
    let Cta {
        shared, barriers, mbarriers, tensors, products, live,
        // Its place.
        grid: _, number: _, position: _, cluster: _, rank: _, position_in_cluster: _,
        // By what is remembered of accesses.
        exit_clock: _,
    } = cta;
    live.hash(hash);
    shared.hash_contents(hash);
    tensors.hash(hash);
    products.hash(hash);
    for barrier in barriers {
        barrier.hash_arrivals(hash);
    }
    for (offset, mbarrier) in mbarriers {
        (offset, mbarrier).hash(hash);
    }
}

/// A cluster, without its clocks. Threads that have yet to leave the last phase have a phase of their own.
fn hash_cluster(cluster: &Cluster, hash: &mut DefaultHasher) {
    #[rustfmt::skip]
    let Cluster {
        live, arrived, ctas: _, phase: _,
        // By what is remembered of accesses.
        clock: _, ended_clock: _, of_ctas: _, ended_of_ctas: _, executed: _, ended_executed: _,
    } = cluster;
    (live, arrived).hash(hash);
}

/// A copy that is under way. What its instruction says is the same for all of that instruction.
fn hash_copy(copy: &PendingCopy, hash: &mut DefaultHasher) {
    let PendingCopy { thread, place, begin, destination, length, data, reduction: _, notified, proxy: _, part } = copy;
    let CopyBegin { agent: _, part: number, clock: _ } = begin;
    (thread, place, length, destination).hash(hash);
    (notified, part, data, number).hash(hash);
}
