//! The steps of threads: which ones others can notice, and how they are executed one at a time.

use crate::Operation;
use crate::machine::explorer::choices::message_choices::{UnconstrainedValues, combinations, unconstrained_choices};
use crate::machine::explorer::choices::sharing::{FENCES, SharedLocations, SharingAccess};
use crate::machine::explorer::choices::transition::{PossibleSteps, Transition, outcomes};
use crate::machine::ordering::{Agent, Clock, LocationKey, OrderRule};
use crate::machine::problem::MachineAccessKind;
use crate::machine::program::effects::{InstructionMemory, Synchronization};
use crate::machine::program::operand::MachineAddress;
use crate::machine::state::Machine;
use crate::machine::threads::executor::Executor;
use crate::machine::threads::lanes::lanes_of;
use crate::machine::threads::warp::{SplitState, Warp};
use crate::machine::waiting::mbarrier::{MBARRIER_BYTES, MbarrierAction, MbarrierInstruction};
use isa::types::{Op, Sem};

/// What lanes do next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NextStep {
    /// Something that others cannot notice.
    Local,
    /// Something that lanes of the warp do together.
    Together,
    /// A wait for what others can notice.
    Waiting,
    /// An instruction that tells which lanes execute it together.
    TellingLanes,
    /// An attempt to cancel a cluster, with its outcomes.
    Cancelling(Vec<Vec<usize>>),
    /// Something that others can notice, with the messages that it can read or be written after, per element.
    Visible(Vec<Vec<usize>>),
}

/// How many instructions of a warp are executed before it is asked again whether to go on.
const STEPS_BETWEEN_QUESTIONS: u64 = 1 << 14;

/// For steps that are not cancelled.
pub(in crate::machine::explorer) fn never() -> bool {
    false
}

impl Machine<'_> {
    /// Executes what others cannot notice, until each thread is before a step that they can, waits or has ended; or until `cancelled`, which is asked now and then:
    /// then what the machine shows means nothing.
    pub fn settle(&mut self, shared: &mut SharedLocations, cancelled: &dyn Fn() -> bool) {
        shared.begin_settling();
        if self.chooses_clusters() {
            return;
        }
        loop {
            let mut progressed = false;
            for at in 0..self.warps.len() {
                let Some(mut warp) = self.warps[at].take() else { continue };
                self.wake(&mut warp);
                progressed |= self.settle_warp(&mut warp, shared, cancelled);
                if warp.live == 0 {
                    self.races.end_warp(self.first_agent(&warp).warp);
                } else {
                    self.warps[at] = Some(warp);
                }
            }
            progressed |= !self.stopped && self.end_unnoticed_copies(shared);
            if !progressed || self.stopped {
                break;
            }
        }
        shared.note_overrun(self.races.drain_overrun());
    }

    fn settle_warp(&mut self, warp: &mut Warp, shared: &mut SharedLocations, cancelled: &dyn Fn() -> bool) -> bool {
        let mut progressed = false;
        separate(warp);
        let (mut at, mut steps) = (0, 0_u64);
        while at < warp.splits.len() && !self.stopped {
            let is_ready = warp.splits[at].state == SplitState::Ready;
            let next = if is_ready { self.next_step(warp, at, shared) } else { NextStep::Visible(Vec::new()) };
            match next {
                NextStep::Visible(_) | NextStep::Waiting | NextStep::TellingLanes | NextStep::Cancelling(_) => {
                    at += 1;
                    continue;
                }
                NextStep::Local => {}
                NextStep::Together => at = warp.join(at),
            }
            let lane = warp.splits[at].lanes.trailing_zeros() as usize;
            let mut executor = Executor::new(self, warp, at);
            if next == NextStep::Together {
                executor.note_joined();
            }
            executor.note_effect(lane);
            executor.note_dependencies();
            executor.run(1);
            self.races.end_instruction();
            std::mem::take(&mut self.explored.waited_for).into_iter().for_each(|location| shared.share(location));
            progressed = true;
            separate(warp);
            if self.executed > self.launch.max_instructions {
                self.give_up_in(warp);
            }
            steps += 1;
            self.stopped |= steps.is_multiple_of(STEPS_BETWEEN_QUESTIONS) && cancelled();
            at = 0;
        }
        progressed
    }

    fn next_step(&mut self, warp: &mut Warp, at: usize, shared: &mut SharedLocations) -> NextStep {
        let mut executor = Executor::new(self, warp, at);
        let next = executor.next_step(shared);
        executor.return_frame();
        next
    }

    /// The steps that are possible now.
    pub fn transitions(&mut self, shared: &mut SharedLocations) -> PossibleSteps {
        if self.chooses_clusters() {
            return PossibleSteps { kept: self.cluster_launches(), independent: Vec::new() };
        }
        let mut all = Vec::new();
        for at in 0..self.warps.len() {
            let Some(mut warp) = self.warps[at].take() else { continue };
            for split in 0..warp.splits.len() {
                if warp.splits[split].state != SplitState::Ready {
                    continue;
                }
                let lane = warp.splits[split].lanes.trailing_zeros();
                let step = |chosen| Transition::Thread(at, lane, chosen);
                match self.next_step(&mut warp, split, shared) {
                    NextStep::Visible(choices) => all.extend(combinations(choices, shared).into_iter().map(step)),
                    NextStep::Cancelling(choices) => all.extend(outcomes(combinations(choices, shared)).map(step)),
                    NextStep::TellingLanes => all.extend(self.active_groups((at, &warp), split)),
                    NextStep::Local | NextStep::Together | NextStep::Waiting => {}
                }
            }
            self.warps[at] = Some(warp);
        }
        let independent = if self.copies.is_empty() { self.keep_component(&mut all, shared) } else { Vec::new() };
        self.ends_of_copies(&mut all, shared);
        PossibleSteps { kept: all, independent }
    }

    /// Executes a step, and what others cannot notice after it; or until `cancelled`, as [`Machine::settle`].
    pub fn take(&mut self, transition: &Transition, shared: &mut SharedLocations, cancelled: &dyn Fn() -> bool) {
        self.explored.steps += 1;
        self.explored.owned_reads.clear();
        match transition {
            Transition::Launch(launch) => self.launch_cluster(*launch),
            Transition::EndCopy(at, chosen) => {
                self.explored.chosen_messages.clone_from(&chosen.indices);
                self.end_copy(*at);
                self.release_ended_ctas();
                self.explored.chosen_messages.clear();
            }
            Transition::ActiveLanes(at, lanes) => {
                let Some(mut warp) = self.warps[*at].take() else { return };
                self.take_active(&mut warp, *lanes);
                self.warps[*at] = Some(warp);
            }
            Transition::Thread(at, lane, chosen) => {
                let Some(mut warp) = self.warps[*at].take() else { return };
                self.explored.chosen_messages.clone_from(&chosen.indices);
                if let Some(split) = warp.split_of(*lane) {
                    let mut executor = Executor::new(self, &mut warp, split);
                    executor.note_effect(*lane as usize);
                    executor.note_dependencies();
                    executor.note_reread(*lane as usize);
                    executor.run(1);
                    self.races.end_instruction();
                }
                self.explored.chosen_messages.clear();
                if warp.live == 0 {
                    self.races.end_warp(self.first_agent(&warp).warp);
                } else {
                    self.warps[*at] = Some(warp);
                }
            }
        }
        self.settle(shared, cancelled);
    }

    /// The possible steps; if there are none, what is wrong is reported, or threads go on that wait in vain for others of their warp.
    pub fn settle_deadlocks(&mut self, shared: &mut SharedLocations, cancelled: &dyn Fn() -> bool) -> PossibleSteps {
        loop {
            self.prune_history();
            let transitions = self.transitions(shared);
            if !transitions.is_empty() || self.stopped {
                return transitions;
            }
            if self.has_ended() {
                while !self.copies.is_empty() {
                    self.end_copy(0);
                }
                self.release_ended_ctas();
                return transitions;
            }
            if !self.resolve_deadlock() {
                return transitions;
            }
            self.settle(shared, cancelled);
        }
    }
}

impl Executor<'_, '_> {
    fn next_step(&mut self, shared: &mut SharedLocations) -> NextStep {
        let instruction = &self.function.code[self.next as usize];
        let active = instruction.guard.map_or(self.lanes, |guard| self.guarded(guard));
        if active == 0 {
            return NextStep::Local;
        }
        let lane = active.trailing_zeros() as usize;
        match instruction.action.memory() {
            InstructionMemory::Load(load) if load.order.sem != Sem::Weak => {
                let bytes = (load.element_bytes, load.elements.len());
                let strong = StrongAccess::new(load.address, bytes, MachineAccessKind::Read);
                let strong = StrongAccess { free: self.unconstrained_values(instruction, shared), ..strong };
                self.visible_access(strong, None, lane, shared)
            }
            InstructionMemory::Store(store) if store.order.sem != Sem::Weak => {
                let bytes = (store.element_bytes, store.elements.len());
                let strong = StrongAccess::new(store.address, bytes, MachineAccessKind::Write);
                self.visible_access(strong, None, lane, shared)
            }
            InstructionMemory::Update(atomic) => {
                let strong = StrongAccess::new(atomic.address, (atomic.shape().bytes(), 1), MachineAccessKind::Atomic);
                let compared = (atomic.in_global.op() == Op::Cas).then(|| self.atomic_operand(atomic, &atomic.b, lane));
                let commuting = shared.commutes(self.place()).then_some(atomic.in_global);
                let free = self.unconstrained_values(instruction, shared);
                let strong = StrongAccess { compared, counts: self.counts(atomic, shared), free, ..strong };
                self.visible_access(strong, commuting, lane, shared)
            }
            _ => self.synchronizing_step(instruction.action.synchronization(), lane, shared),
        }
    }

    /// The step of an instruction that accesses no memory strongly.
    fn synchronizing_step(
        &mut self,
        synchronization: Synchronization,
        lane: usize,
        shared: &mut SharedLocations,
    ) -> NextStep {
        match synchronization {
            Synchronization::Group(wait) if self.waits_for_reduction(wait, lane, shared) => NextStep::Waiting,
            Synchronization::Mbarrier(mbarrier) => self.visible_mbarrier(mbarrier, lane, shared),
            Synchronization::Fence(fence) if fence.is_sequential && self.machine.races.explores_fences() => {
                self.visible_without_choice((FENCES, false), lane, shared)
            }
            Synchronization::CancelLaunch => {
                self.cancellations(lane, shared).map_or(NextStep::Local, NextStep::Cancelling)
            }
            Synchronization::Lanes(_) if self.tells_active_lanes(lane, shared) => NextStep::TellingLanes,
            synchronization if synchronization.is_of_whole_warp() => NextStep::Together,
            _ => NextStep::Local,
        }
    }

    fn visible_without_choice(
        &self,
        (key, may_wait): (LocationKey, bool),
        lane: usize,
        shared: &mut SharedLocations,
    ) -> NextStep {
        let agent = self.agent(lane);
        if shared.is_visible(key, SharingAccess { agent, may_wait, commuting: None, counts: None }) {
            NextStep::Visible(Vec::new())
        } else {
            NextStep::Local
        }
    }

    fn visible_mbarrier(
        &mut self,
        mbarrier: &MbarrierInstruction,
        lane: usize,
        shared: &mut SharedLocations,
    ) -> NextStep {
        let place = self.place_of(&mbarrier.address, MBARRIER_BYTES, MBARRIER_BYTES, lane);
        let Some(place) = place else { return NextStep::Local };
        let may_wait = matches!(mbarrier.operation, MbarrierAction::Test(..));
        let next = self.visible_without_choice((place, may_wait), lane, shared);
        if self.comes_first(mbarrier, place, lane, shared) {
            return NextStep::Local;
        }
        if next == NextStep::Local {
            let agent = self.agent(lane);
            self.machine.explored.owned_reads.insert(agent, place);
        }
        next
    }

    /// The messages that a strong access can read or be written after; begins the histories of its locations.
    fn visible_access(
        &mut self,
        access: StrongAccess,
        commuting: Option<Operation>,
        lane: usize,
        shared: &mut SharedLocations,
    ) -> NextStep {
        let StrongAccess { address, element, count, kind, compared, counts, free } = access;
        let unconstrained_reads = self.machine.explored.unconstrained_reads.clone();
        let size = element * count;
        let Some((region, offset)) = self.place_of(&address, size.into(), size.into(), lane) else {
            return NextStep::Local;
        };
        if kind != MachineAccessKind::Read {
            self.note_overwritten((region, offset), size, shared);
        }
        let agent = self.agent(lane);
        // Nobody waits by writes, nor by updates whose results nothing uses.
        let may_wait = kind != MachineAccessKind::Write && counts.is_none();
        let mut is_visible = false;
        let mut choices = Vec::new();
        for number in 0..count {
            let key = (region, offset + (number * element) as usize);
            is_visible |= shared.is_visible(key, SharingAccess { agent, may_wait, commuting, counts });
            if kind == MachineAccessKind::Read || compared.is_some() {
                shared.read(key, agent, compared);
            }
            let value = self.machine.region_mut(region).load_wide(key.1, element);
            self.machine.races.begin_history(key, element, value);
            if shared.is_owned(key) {
                self.machine.races.prune_overwritten(key);
            }
            let (reader, known) = match self.machine.races.omits(OrderRule::Coherence) {
                true => (Agent::NOBODY, Clock::default()),
                false => (agent, self.machine.races.known(agent)),
            };
            let known = self.machine.races.known_for(region, &known).unwrap_or(known);
            let is_atomic = !self.machine.races.omits(OrderRule::Atomicity);
            let location = self.machine.races.history().and_then(|history| history.get(&key));
            if free != UnconstrainedValues::None {
                let choices_of = |location| {
                    unconstrained_choices(location, (key, agent, &known), (free, compared), &unconstrained_reads)
                };
                choices.extend(location.map(choices_of));
                continue;
            }
            choices.extend(location.map(|location| match kind {
                MachineAccessKind::Read => location.readable(reader, &known),
                MachineAccessKind::Write => location.predecessors(agent, &known),
                MachineAccessKind::Atomic if is_atomic => location.updatable(reader, &known, compared),
                MachineAccessKind::Atomic => location.readable(reader, &known),
            }));
        }
        if is_visible {
            return NextStep::Visible(choices);
        }
        if kind != MachineAccessKind::Write {
            self.machine.explored.owned_reads.insert(agent, (region, offset));
        }
        NextStep::Local
    }
}

/// A strong access of a lane.
struct StrongAccess {
    address: MachineAddress,
    element: u32,
    count: u32,
    kind: MachineAccessKind,
    /// The value that a compare-and-swap expects.
    compared: Option<u128>,
    /// The operation, if it is an update whose result nobody uses and whose order to its like does not matter.
    counts: Option<Operation>,
    /// The values of its read.
    free: UnconstrainedValues,
}

impl StrongAccess {
    /// An access that compares nothing, with the bytes of an element and the number of elements.
    const fn new(address: MachineAddress, (element, count): (u32, usize), kind: MachineAccessKind) -> Self {
        Self {
            address,
            element,
            count: count as u32,
            kind,
            compared: None,
            counts: None,
            free: UnconstrainedValues::None,
        }
    }
}

/// Each lane that can run becomes a group of its own.
fn separate(warp: &mut Warp) {
    for at in 0..warp.splits.len() {
        if warp.splits[at].state != SplitState::Ready {
            continue;
        }
        let lanes = warp.splits[at].lanes;
        let first = lanes & lanes.wrapping_neg();
        for lane in lanes_of(lanes & !first) {
            let mut split = warp.splits[at].clone();
            split.lanes = 1 << lane;
            warp.add_split(split);
        }
        warp.splits[at].lanes = first;
    }
}
