//! Barriers, and exchanges between the lanes of a warp.

use crate::machine::launch::cta::BARRIERS;
use crate::machine::ordering::{BarrierThreads, EventAction};
use crate::machine::problem::ProblemKind;
use crate::machine::program::collective::{Collective, CollectiveOperation};
use crate::machine::program::operand::Source;
use crate::machine::threads::executor::{Executor, Step};
use crate::machine::threads::lanes::{LaneValues, holding, lanes_of};
use crate::machine::threads::undefined_bits::UndefinedBits;
use crate::machine::threads::warp::{BarrierWait, SplitState};
use crate::machine::waiting::barrier::{
    BarrierAction, BarrierInstruction, Convergence, CtaBarrierInstruction, ExpectedThreads, WarpArrival,
};
use isa::types::Sem;

/// Lanes at the same instruction that name the same members.
struct MemberGroup {
    /// The members that they name.
    members: u32,
    /// The lanes.
    lanes: u32,
}

impl Executor<'_, '_> {
    /// Waits for the earlier kernel in some lanes.
    pub fn wait_for_earlier_kernel(&mut self, active: u32) {
        for lane in lanes_of(active) {
            let agent = self.agent(lane);
            self.machine.races.wait_for_earlier_kernel(agent);
        }
    }

    /// Lets the next kernel begin in some lanes.
    pub fn launch_dependents(&mut self, active: u32) {
        for lane in lanes_of(active) {
            let agent = self.agent(lane);
            self.machine.races.launch_dependents(agent);
        }
    }

    /// Executes a barrier instruction.
    pub fn barrier(&mut self, instruction: &BarrierInstruction, active: u32) -> Step {
        match instruction {
            BarrierInstruction::Cta(barrier) => self.cta_barrier(barrier, active),
            BarrierInstruction::ClusterArrive(convergence, order) => {
                if let Some(step) = self.converge(*convergence, active) {
                    return step;
                }
                self.report_skipped(active);
                let index = self.machine.ctas[self.warp.cta].cluster;
                if *order == Sem::Relaxed {
                    self.arrive_relaxed_in_cluster(index, active);
                } else {
                    self.arrive_in_cluster(index, active);
                }
                let cluster = &mut self.machine.clusters[index];
                self.warp.cluster_phase = cluster.phase;
                cluster.arrived += active.count_ones();
                cluster.end_phase();
                Step::Next
            }
            BarrierInstruction::ClusterWait(convergence) => {
                if let Some(step) = self.converge(*convergence, active) {
                    return step;
                }
                self.report_skipped(active);
                self.record_order(EventAction::Barrier, active);
                let index = self.machine.ctas[self.warp.cta].cluster;
                let phase = self.warp.cluster_phase;
                if self.machine.clusters[index].phase == phase {
                    return Step::WaitBehind(SplitState::ClusterBarrier(phase), active);
                }
                self.leave_cluster_barrier(index, active);
                Step::Next
            }
            BarrierInstruction::Warp(members) => {
                self.require_defined(*members, active);
                self.warp_barrier(*members, active)
            }
        }
    }

    fn warp_barrier(&mut self, members: Source, active: u32) -> Step {
        let mut waiting = None;
        for MemberGroup { members, lanes } in self.member_groups(members, active) {
            self.arrive_at_warp_barrier(members, lanes);
            if members & self.warp.live & !lanes == 0 {
                continue;
            }
            if let Some((state, lanes)) = waiting.replace((SplitState::WarpBarrier(members), lanes)) {
                self.detach(lanes, self.next + 1, state);
            }
        }
        waiting.map_or(Step::Next, |(state, lanes)| Step::WaitBehind(state, lanes))
    }

    /// The active lanes by the mask of members that each names: the lanes of a warp can be at the same instruction in several groups.
    fn member_groups(&self, members: Source, active: u32) -> impl Iterator<Item = MemberGroup> + use<> {
        let masks = *self.values(members);
        let mut left = active;
        std::iter::from_fn(move || {
            let first = *masks.get(left.trailing_zeros() as usize)?;
            let lanes = lanes_of(left).filter(|lane| masks[*lane] == first).fold(0, |all, lane| all | 1 << lane);
            left &= !lanes;
            Some(MemberGroup { members: first as u32, lanes })
        })
    }

    /// The value of the first active lane.
    fn first(&self, source: Source, active: u32) -> u64 {
        self.values(source)[active.trailing_zeros() as usize % 32]
    }

    /// The wait for the other lanes of the warp, if an instruction needs them.
    pub fn converge(&mut self, convergence: Convergence, active: u32) -> Option<Step> {
        let required = self.warp.live;
        if convergence == Convergence::Required && active == required {
            self.meet(active);
        }
        let needed = convergence == Convergence::Required && active != required && active & !self.warp.separated != 0;
        needed.then_some(Step::WaitAt(SplitState::LaneValues { required, aligned: true }, active))
    }

    fn cta_barrier(&mut self, instruction: &CtaBarrierInstruction, active: u32) -> Step {
        if let Some(step) = self.converge(instruction.convergence, active) {
            return step;
        }
        self.report_skipped(active);
        self.require_defined(instruction.barrier, active);
        let number = self.first(instruction.barrier, active);
        let lane = active.trailing_zeros() as usize;
        let Some(barrier) = usize::try_from(number).ok().filter(|number| *number < BARRIERS) else {
            self.report(ProblemKind::InvalidTarget { value: number }, lane);
            return Step::Next;
        };
        let expected = match instruction.threads {
            None => ExpectedThreads::All,
            Some(threads) => {
                self.require_defined(threads, active);
                ExpectedThreads::Threads(self.first(threads, active) as u32)
            }
        };
        let holds = match instruction.mode {
            BarrierAction::Reduce(_, predicate, _) => {
                self.require_defined(predicate, active);
                holding(self.values(predicate), active).count_ones()
            }
            BarrierAction::Wait | BarrierAction::Arrive => 0,
        };
        let arrival = WarpArrival { warp: self.warp.number, lanes: active, live: self.warp.live, holding: holds };
        let waits = !matches!(instruction.mode, BarrierAction::Arrive) && expected == ExpectedThreads::All;
        self.arrive_in_cta(barrier, waits.then_some(BarrierThreads::Cta), active);
        let cta = &mut self.machine.ctas[self.warp.cta];
        let phase = cta.barriers[barrier].phase();
        cta.barriers[barrier].arrive(arrival, expected);
        let ended = cta.barriers[barrier].end_phase(cta.live);
        let result = match instruction.mode {
            BarrierAction::Reduce(reduction, _, destination) => Some((reduction, destination)),
            BarrierAction::Wait => None,
            BarrierAction::Arrive => return Step::Next,
        };
        if !ended {
            return Step::WaitBehind(SplitState::CtaBarrier(BarrierWait { barrier, phase, result }), active);
        }
        self.leave_cta_barrier(barrier, phase, active);
        if let Some((reduction, destination)) = result {
            let value = self.machine.ctas[self.warp.cta].barriers[barrier].result(phase, reduction);
            self.frame.set(destination, &[value; 32], active);
        }
        Step::Next
    }

    /// Executes an exchange between lanes; those whose partners are not there wait for them.
    pub fn collective(&mut self, collective: &Collective, active: u32) -> Step {
        let Some(members) = collective.members else {
            self.exchange(collective, active, active);
            return Step::Next;
        };
        self.require_defined(members, active);
        let mut waiting: Option<(SplitState, u32)> = None;
        for MemberGroup { members, lanes } in self.member_groups(members, active) {
            let required = members & self.warp.live;
            if required & !lanes != 0 && lanes & !self.warp.separated != 0 {
                let others = waiting.map_or(0, |(_, others)| others);
                waiting = Some((SplitState::LaneValues { required, aligned: false }, lanes | others));
            } else {
                if required & !lanes == 0 {
                    self.meet(required);
                }
                self.exchange(collective, members & lanes, lanes);
            }
        }
        waiting.map_or(Step::Next, |(state, lanes)| Step::WaitAt(state, lanes))
    }

    /// Computes an exchange between `members` for the active lanes.
    fn exchange(&mut self, collective: &Collective, members: u32, active: u32) {
        let is_shuffle = matches!(collective.operation, CollectiveOperation::Shuffle(_));
        for source in &collective.sources[usize::from(is_shuffle)..] {
            self.require_defined(*source, active);
        }
        let sources = collective.sources.map(|source| *self.values(source));
        let result = collective.operation.compute(members, [&sources[0], &sources[1], &sources[2]]);
        let defined = if is_shuffle { self.shuffled_definedness(collective, members, &sources) } else { active };
        let unknown = if is_shuffle { self.shuffled_results(collective, members, &sources) } else { Vec::new() };
        if let Some(destination) = collective.destination {
            self.set(destination, &result.value, active, defined);
            unknown.into_iter().for_each(|(lane, undefined)| self.set_undefined(destination, lane, undefined));
        }
        if let Some(predicate) = collective.predicate {
            self.frame.set(predicate, &result.predicate, active);
        }
    }

    /// What lanes receive in a shuffle that depends on a result that is not computed.
    fn shuffled_results(
        &self,
        collective: &Collective,
        members: u32,
        [_, b, c]: &[LaneValues; 3],
    ) -> Vec<(usize, UndefinedBits)> {
        let source = collective.sources[0];
        if self.missing(source, members) == 0 {
            return Vec::new();
        }
        let numbers: LaneValues = std::array::from_fn(|lane| lane as u64);
        let from = collective.operation.compute(members, [&numbers, b, c]).value;
        lanes_of(members)
            .filter(|lane| members >> from[*lane] & 1 == 1)
            .map(|lane| (lane, self.undefined(source, from[lane] as usize)))
            .filter(|(_, undefined)| undefined.result_of().is_some())
            .collect()
    }

    /// The lanes that receive a defined value in a shuffle: one of a lane that takes part.
    fn shuffled_definedness(&self, collective: &Collective, lanes: u32, [_, b, c]: &[LaneValues; 3]) -> u32 {
        let defined = self.defined(collective.sources[0], u32::MAX) & lanes;
        if defined == u32::MAX {
            return lanes;
        }
        let bits: LaneValues = std::array::from_fn(|lane| (defined >> lane & 1).into());
        let shuffled = collective.operation.compute(lanes, [&bits, b, c]).value;
        lanes_of(lanes).filter(|lane| shuffled[*lane] == 1).fold(0, |all, lane| all | 1 << lane)
    }
}
