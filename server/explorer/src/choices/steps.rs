//! The steps of threads: which ones others can notice, and how they are executed one at a time.

use crate::choices::active_lanes;
use crate::choices::cluster_launches;
use crate::choices::early_ends;
use crate::choices::independent_threads;
use crate::choices::mbarrier_steps;
use crate::choices::message_choices;
use crate::choices::message_choices::{UnconstrainedValues, combinations, unconstrained_choices};
use crate::choices::reductions;
use crate::choices::sharing::{FENCES, SharedLocations, SharingAccess};
use crate::choices::transition::{PossibleSteps, Transition, outcomes};
use crate::choices::unread_updates;
use crate::choices::waits;
use crate::equivalence::fingerprint;
use isa::types::{Op, Sem};
use machine::copies::copy_progress;
use machine::exploration::withheld_clusters;
use machine::state::Machine;
use machine::threads::executor::Executor;
use machine::threads::warp::{SplitState, Warp};
use machine::waiting::deadlock;
use ordering::accesses;
use ordering::load_buffering::read_values;
use ordering::messages::history_pruning;
use ordering::step_log;
use ordering::{Agent, Clock, OrderRule};
use program::effects::{InstructionMemory, Synchronization};
use program::lanes::lanes_of;
use program::memory::location::LocationKey;
use program::operand::MachineAddress;
use program::problem::MachineAccessKind;
use program::waiting::mbarrier_instruction::{MBARRIER_BYTES, MbarrierAction, MbarrierInstruction};
use values::Operation;

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
pub fn never() -> bool {
    false
}

/// Executes what others cannot notice, until each thread is before a step that they can, waits or has ended; or until `cancelled`, which is asked now and then:
/// then what the machine shows means nothing.
pub fn settle(machine: &mut Machine<'_>, shared: &mut SharedLocations, cancelled: &dyn Fn() -> bool) {
    shared.begin_settling();
    if withheld_clusters::chooses_clusters(machine) {
        return;
    }
    loop {
        let mut progressed = false;
        for at in 0..machine.warps.len() {
            let Some(mut warp) = machine.warps[at].take() else { continue };
            machine.wake(&mut warp);
            progressed |= settle_warp(machine, &mut warp, shared, cancelled);
            if warp.live == 0 {
                let ended = machine.first_agent(&warp).warp;
                accesses::end_warp(&mut machine.races, ended);
            } else {
                machine.warps[at] = Some(warp);
            }
        }
        progressed |= !machine.stopped && early_ends::end_unnoticed_copies(machine, shared);
        if !progressed || machine.stopped {
            break;
        }
    }
    shared.note_overrun(step_log::drain_overrun(&mut machine.races));
}

fn settle_warp(
    machine: &mut Machine<'_>,
    warp: &mut Warp,
    shared: &mut SharedLocations,
    cancelled: &dyn Fn() -> bool,
) -> bool {
    let mut progressed = false;
    separate(warp);
    let (mut at, mut steps) = (0, 0_u64);
    while at < warp.splits.len() && !machine.stopped {
        let is_ready = warp.splits[at].state == SplitState::Ready;
        let next = if is_ready { next_step(machine, warp, at, shared) } else { NextStep::Visible(Vec::new()) };
        match next {
            NextStep::Visible(_) | NextStep::Waiting | NextStep::TellingLanes | NextStep::Cancelling(_) => {
                at += 1;
                continue;
            }
            NextStep::Local => {}
            NextStep::Together => at = warp.join(at),
        }
        let lane = warp.splits[at].lanes.trailing_zeros() as usize;
        let mut executor = Executor::new(machine, warp, at);
        if next == NextStep::Together {
            waits::note_joined(&mut executor);
        }
        waits::note_effect(&mut executor, lane);
        waits::note_dependencies(&mut executor);
        executor.run(1);
        read_values::end_instruction(&mut machine.races);
        std::mem::take(&mut machine.explored.waited_for).into_iter().for_each(|location| shared.share(location));
        progressed = true;
        separate(warp);
        if machine.executed > machine.launch.max_instructions {
            deadlock::give_up_in(machine, warp);
        }
        steps += 1;
        machine.stopped |= steps.is_multiple_of(STEPS_BETWEEN_QUESTIONS) && cancelled();
        at = 0;
    }
    progressed
}

fn next_step(machine: &mut Machine<'_>, warp: &mut Warp, at: usize, shared: &mut SharedLocations) -> NextStep {
    let mut executor = Executor::new(machine, warp, at);
    let next = step_of_executor(&mut executor, shared);
    executor.return_frame();
    next
}

/// The steps that are possible now.
pub fn transitions(machine: &mut Machine<'_>, shared: &mut SharedLocations) -> PossibleSteps {
    if withheld_clusters::chooses_clusters(machine) {
        return PossibleSteps { kept: cluster_launches::cluster_launches(machine), independent: Vec::new() };
    }
    let mut all = Vec::new();
    for at in 0..machine.warps.len() {
        let Some(mut warp) = machine.warps[at].take() else { continue };
        for split in 0..warp.splits.len() {
            if warp.splits[split].state != SplitState::Ready {
                continue;
            }
            let lane = warp.splits[split].lanes.trailing_zeros();
            let step = |chosen| Transition::Thread(at, lane, chosen);
            match next_step(machine, &mut warp, split, shared) {
                NextStep::Visible(choices) => all.extend(combinations(choices, shared).into_iter().map(step)),
                NextStep::Cancelling(choices) => all.extend(outcomes(combinations(choices, shared)).map(step)),
                NextStep::TellingLanes => all.extend(active_lanes::active_groups(machine, (at, &warp), split)),
                NextStep::Local | NextStep::Together | NextStep::Waiting => {}
            }
        }
        machine.warps[at] = Some(warp);
    }
    let independent = if machine.copies.is_empty() {
        independent_threads::keep_component(machine, &mut all, shared)
    } else {
        Vec::new()
    };
    reductions::ends_of_copies(machine, &mut all, shared);
    PossibleSteps { kept: all, independent }
}

/// Executes a step, and what others cannot notice after it; or until `cancelled`, as [`Machine::settle`].
pub fn take(
    machine: &mut Machine<'_>,
    transition: &Transition,
    shared: &mut SharedLocations,
    cancelled: &dyn Fn() -> bool,
) {
    machine.explored.steps += 1;
    machine.explored.owned_reads.clear();
    match transition {
        Transition::Launch(launch) => cluster_launches::launch_cluster(machine, *launch),
        Transition::EndCopy(at, chosen) => {
            machine.explored.chosen_messages.clone_from(&chosen.indices);
            copy_progress::end_copy(machine, *at);
            machine.release_ended_ctas();
            machine.explored.chosen_messages.clear();
        }
        Transition::ActiveLanes(at, lanes) => {
            let Some(mut warp) = machine.warps[*at].take() else { return };
            active_lanes::take_active(machine, &mut warp, *lanes);
            machine.warps[*at] = Some(warp);
        }
        Transition::Thread(at, lane, chosen) => {
            let Some(mut warp) = machine.warps[*at].take() else { return };
            machine.explored.chosen_messages.clone_from(&chosen.indices);
            if let Some(split) = warp.split_of(*lane) {
                let mut executor = Executor::new(machine, &mut warp, split);
                waits::note_effect(&mut executor, *lane as usize);
                waits::note_dependencies(&mut executor);
                waits::note_reread(&mut executor, *lane as usize);
                executor.run(1);
                read_values::end_instruction(&mut machine.races);
            }
            machine.explored.chosen_messages.clear();
            if warp.live == 0 {
                let ended = machine.first_agent(&warp).warp;
                accesses::end_warp(&mut machine.races, ended);
            } else {
                machine.warps[*at] = Some(warp);
            }
        }
    }
    settle(machine, shared, cancelled);
}

/// The possible steps; if there are none, what is wrong is reported, or threads go on that wait in vain for others of their warp.
pub fn settle_deadlocks(
    machine: &mut Machine<'_>,
    shared: &mut SharedLocations,
    cancelled: &dyn Fn() -> bool,
) -> PossibleSteps {
    loop {
        fingerprint::prune_history(machine);
        let transitions = transitions(machine, shared);
        if !transitions.is_empty() || machine.stopped {
            return transitions;
        }
        if machine.has_ended() {
            while !machine.copies.is_empty() {
                copy_progress::end_copy(machine, 0);
            }
            machine.release_ended_ctas();
            return transitions;
        }
        if !deadlock::resolve_deadlock(machine) {
            return transitions;
        }
        settle(machine, shared, cancelled);
    }
}

fn step_of_executor(executor: &mut Executor<'_, '_>, shared: &mut SharedLocations) -> NextStep {
    let instruction = &executor.function.code[executor.next as usize];
    let active = instruction.guard.map_or(executor.lanes, |guard| executor.guarded(guard));
    if active == 0 {
        return NextStep::Local;
    }
    let lane = active.trailing_zeros() as usize;
    match instruction.action.memory() {
        InstructionMemory::Load(load) if load.order.sem != Sem::Weak => {
            let strong = StrongAccess::new(load.address, load.parts(), MachineAccessKind::Read);
            let strong =
                StrongAccess { free: message_choices::unconstrained_values(executor, instruction, shared), ..strong };
            visible_access(executor, strong, None, lane, shared)
        }
        InstructionMemory::Store(store) if store.order.sem != Sem::Weak => {
            let strong = StrongAccess::new(store.address, store.parts(), MachineAccessKind::Write);
            visible_access(executor, strong, None, lane, shared)
        }
        InstructionMemory::Update(atomic) => {
            let strong = StrongAccess::new(atomic.address, (atomic.shape().bytes(), 1), MachineAccessKind::Atomic);
            let compared = (atomic.in_global.op() == Op::Cas).then(|| executor.atomic_operand(atomic, &atomic.b, lane));
            let commuting = shared.commutes(executor.place()).then_some(atomic.in_global);
            let free = message_choices::unconstrained_values(executor, instruction, shared);
            let strong =
                StrongAccess { compared, counts: unread_updates::counts(executor, atomic, shared), free, ..strong };
            visible_access(executor, strong, commuting, lane, shared)
        }
        _ => synchronizing_step(executor, instruction.action.synchronization(), lane, shared),
    }
}

/// The step of an instruction that accesses no memory strongly.
fn synchronizing_step(
    executor: &mut Executor<'_, '_>,
    synchronization: Synchronization,
    lane: usize,
    shared: &mut SharedLocations,
) -> NextStep {
    match synchronization {
        Synchronization::Group(wait) if reductions::waits_for_reduction(executor, wait, lane, shared) => {
            NextStep::Waiting
        }
        Synchronization::Mbarrier(mbarrier) => visible_mbarrier(executor, mbarrier, lane, shared),
        Synchronization::Fence(fence) if fence.is_sequential && executor.machine.races.explores_fences() => {
            visible_without_choice(executor, (FENCES, false), lane, shared)
        }
        Synchronization::CancelLaunch => {
            cluster_launches::cancellations(executor, lane, shared).map_or(NextStep::Local, NextStep::Cancelling)
        }
        Synchronization::Lanes(_) if active_lanes::tells_active_lanes(executor, lane, shared) => NextStep::TellingLanes,
        synchronization if synchronization.is_of_whole_warp() => NextStep::Together,
        _ => NextStep::Local,
    }
}

fn visible_without_choice(
    executor: &Executor<'_, '_>,
    (key, may_wait): (LocationKey, bool),
    lane: usize,
    shared: &mut SharedLocations,
) -> NextStep {
    let agent = executor.agent(lane);
    if shared.is_visible(key, SharingAccess { agent, may_wait, commuting: None, counts: None }) {
        NextStep::Visible(Vec::new())
    } else {
        NextStep::Local
    }
}

fn visible_mbarrier(
    executor: &mut Executor<'_, '_>,
    mbarrier: &MbarrierInstruction,
    lane: usize,
    shared: &mut SharedLocations,
) -> NextStep {
    let place = executor.place_of(&mbarrier.address, MBARRIER_BYTES, MBARRIER_BYTES, lane);
    let Some(place) = place else { return NextStep::Local };
    let may_wait = matches!(mbarrier.operation, MbarrierAction::Test(..));
    let next = visible_without_choice(executor, (place, may_wait), lane, shared);
    if mbarrier_steps::comes_first(executor, mbarrier, place, lane, shared) {
        return NextStep::Local;
    }
    if next == NextStep::Local {
        let agent = executor.agent(lane);
        executor.machine.explored.owned_reads.insert(agent, place);
    }
    next
}

/// The messages that a strong access can read or be written after; begins the histories of its locations.
fn visible_access(
    executor: &mut Executor<'_, '_>,
    access: StrongAccess,
    commuting: Option<Operation>,
    lane: usize,
    shared: &mut SharedLocations,
) -> NextStep {
    let StrongAccess { address, element, count, kind, compared, counts, free } = access;
    let unconstrained_reads = executor.machine.explored.unconstrained_reads.clone();
    let size = element * count;
    let Some((region, offset)) = executor.place_of(&address, size.into(), size.into(), lane) else {
        return NextStep::Local;
    };
    if kind != MachineAccessKind::Read {
        mbarrier_steps::note_overwritten(executor, (region, offset), size, shared);
    }
    let agent = executor.agent(lane);
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
        let value = executor.machine.region_mut(region).load_wide(key.1, element);
        executor.machine.races.begin_history(key, element, value);
        if shared.is_owned(key) {
            history_pruning::prune_overwritten(&mut executor.machine.races, key);
        }
        let (reader, known) = match executor.machine.races.omits(OrderRule::Coherence) {
            true => (Agent::NOBODY, Clock::default()),
            false => (agent, executor.machine.races.known(agent)),
        };
        let known = executor.machine.races.known_for(region, &known).unwrap_or(known);
        let is_atomic = !executor.machine.races.omits(OrderRule::Atomicity);
        let location = executor.machine.races.history().and_then(|history| history.get(&key));
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
        executor.machine.explored.owned_reads.insert(agent, (region, offset));
    }
    NextStep::Local
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
    const fn new(address: MachineAddress, (element, count): (u32, u32), kind: MachineAccessKind) -> Self {
        Self { address, element, count, kind, compared: None, counts: None, free: UnconstrainedValues::None }
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
