//! Barriers, and exchanges between the lanes of a warp.

use crate::debug::recording;
use crate::launch::cta::BARRIERS;
use crate::state::Machine;
use crate::threads::executor::{Executor, Step};
use crate::threads::undefined_bits::UndefinedBits;
use crate::threads::warp::{BarrierWait, SplitState};
use crate::waiting::barrier::{ExpectedThreads, WarpArrival};
use crate::waiting::barrier_ordering;
use crate::waiting::skipped;
use isa::types::Sem;
use ordering::{BarrierThreads, EventAction};
use program::collective::{Collective, CollectiveOperation};
use program::lanes::{LaneValues, holding, lanes_of};
use program::operand::Source;
use program::problem::ProblemKind;
use program::waiting::barrier_instruction::{BarrierAction, BarrierInstruction, Convergence, CtaBarrierInstruction};

/// Lanes at the same instruction that name the same members.
struct MemberGroup {
    /// The members that they name.
    members: u32,
    /// The lanes.
    lanes: u32,
}

/// Waits for the earlier kernel in some lanes.
pub fn wait_for_earlier_kernel(executor: &mut Executor<'_, '_>, active: u32) {
    for lane in lanes_of(active) {
        let agent = executor.agent(lane);
        executor.machine.races.wait_for_earlier_kernel(agent);
    }
}

/// Lets the next kernel begin in some lanes.
pub fn launch_dependents(executor: &mut Executor<'_, '_>, active: u32) {
    for lane in lanes_of(active) {
        let agent = executor.agent(lane);
        executor.machine.races.launch_dependents(agent);
    }
}

/// Executes a barrier instruction.
pub fn barrier(executor: &mut Executor<'_, '_>, instruction: &BarrierInstruction, active: u32) -> Step {
    match instruction {
        BarrierInstruction::Cta(barrier) => cta_barrier(executor, barrier, active),
        BarrierInstruction::ClusterArrive(convergence, order) => {
            if let Some(step) = converge(executor, *convergence, active) {
                return step;
            }
            skipped::report_skipped(executor, active);
            let index = executor.machine.ctas[executor.warp.cta].cluster;
            if *order == Sem::Relaxed {
                barrier_ordering::arrive_relaxed_in_cluster(executor, index, active);
            } else {
                barrier_ordering::arrive_in_cluster(executor, index, active);
            }
            let cluster = &mut executor.machine.clusters[index];
            executor.warp.cluster_phase = cluster.phase;
            cluster.arrived += active.count_ones();
            cluster.end_phase();
            Step::Next
        }
        BarrierInstruction::ClusterWait(convergence) => {
            if let Some(step) = converge(executor, *convergence, active) {
                return step;
            }
            skipped::report_skipped(executor, active);
            recording::record_order(executor, EventAction::Barrier, active);
            let index = executor.machine.ctas[executor.warp.cta].cluster;
            let phase = executor.warp.cluster_phase;
            if executor.machine.clusters[index].phase == phase {
                return Step::WaitBehind(SplitState::ClusterBarrier(phase), active);
            }
            barrier_ordering::leave_cluster_barrier(executor, index, active);
            Step::Next
        }
        BarrierInstruction::Warp(members) => {
            executor.require_defined(*members, active);
            warp_barrier(executor, *members, active)
        }
    }
}

fn warp_barrier(executor: &mut Executor<'_, '_>, members: Source, active: u32) -> Step {
    let mut waiting = None;
    for MemberGroup { members, lanes } in member_groups(executor, members, active) {
        barrier_ordering::arrive_at_warp_barrier(executor, members, lanes);
        if members & executor.warp.live & !lanes == 0 {
            continue;
        }
        if let Some((state, lanes)) = waiting.replace((SplitState::WarpBarrier(members), lanes)) {
            executor.detach(lanes, executor.next + 1, state);
        }
    }
    waiting.map_or(Step::Next, |(state, lanes)| Step::WaitBehind(state, lanes))
}

/// The active lanes by the mask of members that each names: the lanes of a warp can be at the same instruction in several groups.
fn member_groups(
    executor: &Executor<'_, '_>,
    members: Source,
    active: u32,
) -> impl Iterator<Item = MemberGroup> + use<> {
    let masks = *executor.values(members);
    let mut left = active;
    std::iter::from_fn(move || {
        let first = *masks.get(left.trailing_zeros() as usize)?;
        let lanes = lanes_of(left).filter(|lane| masks[*lane] == first).fold(0, |all, lane| all | 1 << lane);
        left &= !lanes;
        Some(MemberGroup { members: first as u32, lanes })
    })
}

/// The value of the first active lane.
fn first(executor: &Executor<'_, '_>, source: Source, active: u32) -> u64 {
    executor.values(source)[active.trailing_zeros() as usize % 32]
}

/// The wait for the other lanes of the warp, if an instruction needs them.
pub fn converge(executor: &mut Executor<'_, '_>, convergence: Convergence, active: u32) -> Option<Step> {
    let required = executor.warp.live;
    if convergence == Convergence::Required && active == required {
        barrier_ordering::meet(executor, active);
    }
    let needed = convergence == Convergence::Required && active != required && active & !executor.warp.separated != 0;
    needed.then_some(Step::WaitAt(SplitState::LaneValues { required, aligned: true }, active))
}

fn cta_barrier(executor: &mut Executor<'_, '_>, instruction: &CtaBarrierInstruction, active: u32) -> Step {
    if let Some(step) = converge(executor, instruction.convergence, active) {
        return step;
    }
    skipped::report_skipped(executor, active);
    executor.require_defined(instruction.barrier, active);
    let number = first(executor, instruction.barrier, active);
    let lane = active.trailing_zeros() as usize;
    let Some(barrier) = usize::try_from(number).ok().filter(|number| *number < BARRIERS) else {
        executor.report(ProblemKind::InvalidTarget { value: number }, lane);
        return Step::Next;
    };
    let expected = match instruction.threads {
        None => ExpectedThreads::All,
        Some(threads) => {
            executor.require_defined(threads, active);
            ExpectedThreads::Threads(first(executor, threads, active) as u32)
        }
    };
    let holds = match instruction.mode {
        BarrierAction::Reduce(_, predicate, _) => {
            executor.require_defined(predicate, active);
            holding(executor.values(predicate), active).count_ones()
        }
        BarrierAction::Wait | BarrierAction::Arrive => 0,
    };
    let arrival = WarpArrival { warp: executor.warp.number, lanes: active, live: executor.warp.live, holding: holds };
    let waits = !matches!(instruction.mode, BarrierAction::Arrive) && expected == ExpectedThreads::All;
    barrier_ordering::arrive_in_cta(executor, barrier, waits.then_some(BarrierThreads::Cta), active);
    let cta = &mut executor.machine.ctas[executor.warp.cta];
    let phase = cta.barriers[barrier].phase();
    cta.barriers[barrier].arrive(arrival, expected);
    let ended = cta.barriers[barrier].end_phase(cta.live);
    let slot = executor.warp.cta;
    if ended && has_all_threads(executor.machine, slot, expected) {
        executor.machine.races.end_era(slot);
    }
    let result = match instruction.mode {
        BarrierAction::Reduce(reduction, _, destination) => Some((reduction, destination)),
        BarrierAction::Wait => None,
        BarrierAction::Arrive => return Step::Next,
    };
    if !ended {
        return Step::WaitBehind(SplitState::CtaBarrier(BarrierWait { barrier, phase, result }), active);
    }
    barrier_ordering::leave_cta_barrier(executor, barrier, phase, active);
    if let Some((reduction, destination)) = result {
        let value = executor.machine.ctas[executor.warp.cta].barriers[barrier].result(phase, reduction);
        executor.frame.set(destination, &[value; 32], active);
    }
    Step::Next
}

/// Whether a barrier that waits for so many threads waits for all that a CTA has begun with.
fn has_all_threads(machine: &Machine<'_>, slot: usize, expected: ExpectedThreads) -> bool {
    let all = machine.launch.sizes(machine.ctas[slot].grid).block.count();
    let is_whole = u64::from(machine.ctas[slot].live) == all;
    is_whole
        && match expected {
            ExpectedThreads::All => true,
            ExpectedThreads::Threads(threads) => u64::from(threads) >= all,
        }
}

/// Executes an exchange between lanes; those whose partners are not there wait for them.
pub fn collective(executor: &mut Executor<'_, '_>, collective: &Collective, active: u32) -> Step {
    let Some(members) = collective.members else {
        exchange(executor, collective, active, active);
        return Step::Next;
    };
    executor.require_defined(members, active);
    let mut waiting: Option<(SplitState, u32)> = None;
    for MemberGroup { members, lanes } in member_groups(executor, members, active) {
        let required = members & executor.warp.live;
        if required & !lanes != 0 && lanes & !executor.warp.separated != 0 {
            let others = waiting.map_or(0, |(_, others)| others);
            waiting = Some((SplitState::LaneValues { required, aligned: false }, lanes | others));
        } else {
            if required & !lanes == 0 {
                barrier_ordering::meet(executor, required);
            }
            exchange(executor, collective, members & lanes, lanes);
        }
    }
    waiting.map_or(Step::Next, |(state, lanes)| Step::WaitAt(state, lanes))
}

/// Computes an exchange between `members` for the active lanes.
fn exchange(executor: &mut Executor<'_, '_>, collective: &Collective, members: u32, active: u32) {
    let is_shuffle = matches!(collective.operation, CollectiveOperation::Shuffle(_));
    for source in &collective.sources[usize::from(is_shuffle)..] {
        executor.require_defined(*source, active);
    }
    let sources = collective.sources.map(|source| *executor.values(source));
    let result = collective.operation.compute(members, [&sources[0], &sources[1], &sources[2]]);
    let defined = if is_shuffle { shuffled_definedness(executor, collective, members, &sources) } else { active };
    let unknown = if is_shuffle { shuffled_results(executor, collective, members, &sources) } else { Vec::new() };
    if let Some(destination) = collective.destination {
        executor.set(destination, &result.value, active, defined);
        unknown.into_iter().for_each(|(lane, undefined)| executor.set_undefined(destination, lane, undefined));
    }
    if let Some(predicate) = collective.predicate {
        executor.frame.set(predicate, &result.predicate, active);
    }
}

/// What lanes receive in a shuffle that depends on a result that is not computed.
fn shuffled_results(
    executor: &Executor<'_, '_>,
    collective: &Collective,
    members: u32,
    [_, b, c]: &[LaneValues; 3],
) -> Vec<(usize, UndefinedBits)> {
    let source = collective.sources[0];
    if executor.missing(source, members) == 0 {
        return Vec::new();
    }
    let numbers: LaneValues = std::array::from_fn(|lane| lane as u64);
    let from = collective.operation.compute(members, [&numbers, b, c]).value;
    lanes_of(members)
        .filter(|lane| members >> from[*lane] & 1 == 1)
        .map(|lane| (lane, executor.undefined(source, from[lane] as usize)))
        .filter(|(_, undefined)| undefined.result_of().is_some())
        .collect()
}

/// The lanes that receive a defined value in a shuffle: one of a lane that takes part.
fn shuffled_definedness(
    executor: &Executor<'_, '_>,
    collective: &Collective,
    lanes: u32,
    [_, b, c]: &[LaneValues; 3],
) -> u32 {
    let defined = executor.defined(collective.sources[0], u32::MAX) & lanes;
    if defined == u32::MAX {
        return lanes;
    }
    let bits: LaneValues = std::array::from_fn(|lane| (defined >> lane & 1).into());
    let shuffled = collective.operation.compute(lanes, [&bits, b, c]).value;
    lanes_of(lanes).filter(|lane| shuffled[*lane] == 1).fold(0, |all, lane| all | 1 << lane)
}
