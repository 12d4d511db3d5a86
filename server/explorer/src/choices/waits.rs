//! Loops that wait. Of a round that changes nothing but what a thread has seen, the memory model forbids nothing more without it: whatever
//! can happen after it can happen without it. So such rounds are not explored. Loops that count are followed for some rounds while others
//! can go on: each round would be a state of its own, for each combination of rounds of all threads that wait.

use crate::choices::transition::Transition;
use crate::equivalence::fingerprint;
use isa::types::Sem;
use machine::exploration::exploration_state::ArrivalKind;
use machine::memory::locate::{MachineAccess, MemoryPlace};
use machine::state::Machine;
use machine::threads::executor::Executor;
use machine::threads::warp::SplitState;
use machine::waiting::deadlock;
use ordering::load_buffering::buffering;
use ordering::load_buffering::read_values;
use ordering::{Agent, LocalAccess};
use program::analysis::liveness::RegisterSet;
use program::call::CallTarget;
use program::effects::{InstructionMemory, RegisterComputation, Synchronization};
use program::lanes::lanes_of;
use program::machine_program::{MachineAction, MachineProgram};
use program::memory::image::ImageAction;
use program::memory::location::LocationKey;
use program::operand::MemorySpace;
use program::problem::{CodePlace, MachineAccessKind, ProblemKind};
use program::waiting::barrier_instruction::{BarrierAction, BarrierInstruction};
use program::waiting::mbarrier_instruction::MbarrierAction;

/// The time that passes after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// None that a clock shows.
    None,
    /// A long one, while others could go on.
    TimeOut,
    /// A long one, as nobody can go on.
    Stall,
}

/// How the thread of a step has come to the next one, from the place of that step.
pub fn arrival(
    machine: &mut Machine<'_>,
    transition: &Transition,
    from: Option<CodePlace>,
    live: &[Vec<RegisterSet>],
    rounds: u32,
) -> ArrivalKind {
    let Transition::Thread(at, lane, _) = transition else { return ArrivalKind::New };
    match arrive(machine, *at, *lane, live, rounds) {
        // A loop with several reads comes back to a state that was visited before others have changed something.
        Some((ArrivalKind::Same, place)) if from != Some(place) => ArrivalKind::New,
        Some((kind, _)) => kind,
        None => ArrivalKind::New,
    }
}

/// Remembers where a lane of a warp is, if it is before a step.
fn arrive(
    machine: &mut Machine<'_>,
    at: usize,
    lane: u32,
    live: &[Vec<RegisterSet>],
    rounds: u32,
) -> Option<(ArrivalKind, CodePlace)> {
    let warp = machine.warps[at].as_deref()?;
    let split = warp.split_of(lane).filter(|split| warp.splits[*split].state == SplitState::Ready)?;
    let state = fingerprint::split_fingerprint(warp, &warp.splits[split], live);
    let agent = Agent { lane, ..machine.first_agent(warp) };
    let place = warp.place(split);
    Some((machine.explored.waits.entry(agent).or_default().arrive(place, state, rounds), place))
}

/// Remembers where the thread of a step is that tests an mbarrier, if it has come there together with others: a test in vain leads back there.
pub fn begin_test(machine: &mut Machine<'_>, transition: &Transition, live: &[Vec<RegisterSet>]) {
    let Transition::Thread(at, lane, _) = transition else { return };
    let Some(warp) = machine.warps[*at].as_deref() else { return };
    let Some(place) = warp.split_of(*lane).map(|split| warp.place(split)) else { return };
    let InstructionMemory::Mbarrier(mbarrier) = machine.instruction(place).action.memory() else { return };
    let agent = Agent { lane: *lane, ..machine.first_agent(warp) };
    let is_known = machine.explored.waits.get(&agent).is_some_and(|watch| watch.has_arrived_at(place));
    if matches!(mbarrier.operation, MbarrierAction::Test(..)) && !is_known {
        arrive(machine, *at, *lane, live, 0);
    }
}

/// Remembers what a step has read that led back to where it began, for messages about threads that wait.
pub fn note_polled(machine: &mut Machine<'_>, after: &Machine, transition: &Transition) {
    let Transition::Thread(at, ..) = transition else { return };
    if let (Some(warp), Some(after)) = (machine.warps[*at].as_deref_mut(), after.warps[*at].as_deref()) {
        warp.polled = after.polled;
    }
}

/// The address that the read of a step has read.
pub fn last_read(machine: &Machine<'_>, transition: &Transition) -> Option<u64> {
    let Transition::Thread(at, lane, _) = transition else { return None };
    let agent = Agent { lane: *lane, ..machine.first_agent(machine.warps[*at].as_deref()?) };
    machine.explored.waits.get(&agent)?.last_read
}

/// Remembers where all threads begin.
pub fn begin_waits(machine: &mut Machine<'_>, live: &[Vec<RegisterSet>]) {
    for at in 0..machine.warps.len() {
        let lanes = machine.warps[at].as_ref().map_or(0, |warp| warp.live);
        for lane in lanes_of(lanes) {
            arrive(machine, at, lane as u32, live, 0);
        }
    }
}

/// Whether a thread waits that has read a clock which stands still.
pub fn waits_for_time(machine: &Machine<'_>) -> bool {
    let agents = machine.live_agents();
    machine.explored.waits.iter().any(|(agent, watch)| watch.has_read_clock && agents.contains(agent))
}

/// Time passes for the thread of a step, after it. Returns whether it has read a clock, and so may notice. The limit of one thread is reached
/// while others could go on, no more.
pub fn pass_time(machine: &mut Machine<'_>, transition: &Transition, delay: Delay) -> bool {
    let Transition::Thread(at, lane, _) = transition else { return false };
    if delay == Delay::TimeOut && machine.has_timed_out() {
        return false;
    }
    let Some(warp) = machine.warps[*at].as_deref().filter(|_| delay != Delay::None) else { return false };
    let agent = Agent { lane: *lane, ..machine.first_agent(warp) };
    let notices = machine.explored.pass_time(agent);
    if let Some(clock) = machine.explored.clock.as_mut() {
        clock.has_timed_out |= notices && delay == Delay::TimeOut;
    }
    notices
}

/// Reports threads that wait in loops which never end.
pub fn report_livelock(machine: &mut Machine<'_>) {
    let version = machine.version;
    for split in machine.warps.iter_mut().flatten().flat_map(|warp| &mut warp.splits) {
        if split.state == SplitState::Ready {
            split.state = SplitState::Spinning(version);
        }
    }
    deadlock::report_deadlock(machine);
}

/// Whether a program reads a clock.
pub fn has_clock(program: &MachineProgram) -> bool {
    program.instructions().any(|instruction| reads_clock(&instruction.action))
}

/// Whether a limit on waiting is there for a problem: threads that end with an error, or go on without others.
pub fn is_meant_by_limit(kind: &ProblemKind) -> bool {
    matches!(
        kind,
        ProblemKind::Trap
            | ProblemKind::AssertionFailed { .. }
            | ProblemKind::Deadlock { .. }
            | ProblemKind::Livelock { .. }
            | ProblemKind::BarrierDivergence { .. }
    )
}

/// Whether others may notice an instruction, other than by a strong write.
fn is_noticed(action: &MachineAction) -> bool {
    match action.synchronization() {
        Synchronization::None
        | Synchronization::Fence(_)
        | Synchronization::EarlierKernel
        | Synchronization::NextKernel
        | Synchronization::Proxies
        | Synchronization::Answer
        | Synchronization::Unknown => {}
        Synchronization::Mbarrier(_) => return !action.synchronization().is_phase_test(),
        Synchronization::Call(call) => return matches!(call.target, CallTarget::System(_)),
        Synchronization::TensorFence(_)
        | Synchronization::Barrier(_)
        | Synchronization::Lanes(_)
        | Synchronization::Matrix
        | Synchronization::Warpgroup(_)
        | Synchronization::Tensor(_)
        | Synchronization::Copy
        | Synchronization::Group(_)
        | Synchronization::CancelLaunch => return true,
    }
    match action.memory() {
        InstructionMemory::Store(store) => store.address.space != MemorySpace::Local,
        InstructionMemory::Image(image) => matches!(image.action, ImageAction::Store(..)),
        InstructionMemory::Fill(_) | InstructionMemory::TensorMap(_) => true,
        InstructionMemory::None
        | InstructionMemory::Load(_)
        | InstructionMemory::Update(_)
        | InstructionMemory::Matrix
        | InstructionMemory::Mbarrier(_)
        | InstructionMemory::Copy(_)
        | InstructionMemory::TensorCopy(_)
        | InstructionMemory::Answer
        | InstructionMemory::Descriptors
        | InstructionMemory::Unknown => false,
    }
}

/// Whether an instruction reads a clock.
fn reads_clock(action: &MachineAction) -> bool {
    matches!(action.computation(), Some(RegisterComputation::Special(value)) if value.is_clock())
}

/// Notes what the next instruction computes from reads.
pub fn note_dependencies(executor: &mut Executor<'_, '_>) {
    let place = executor.place();
    let instruction = &executor.function.code[executor.next as usize];
    for lane in lanes_of(executor.lanes) {
        let (agent, locations) = (executor.agent(lane), read_locations(executor, &instruction.action, lane));
        let local = local_access(executor, &instruction.action, lane);
        read_values::compute_from_reads(&mut executor.machine.races, agent, (place, instruction), &locations, local);
    }
}

/// Lanes execute an instruction together, which orders no memory but for barriers that they all wait at.
pub fn note_joined(executor: &mut Executor<'_, '_>) {
    let is_wait = |mode| !matches!(mode, BarrierAction::Arrive);
    let is_ordered = match executor.function.code[executor.next as usize].action.synchronization().barrier() {
        Some(BarrierInstruction::Cta(barrier)) => is_wait(barrier.mode),
        Some(BarrierInstruction::ClusterWait(_)) => true,
        Some(BarrierInstruction::ClusterArrive(..) | BarrierInstruction::Warp(_)) | None => false,
    };
    if is_ordered || executor.lanes.is_power_of_two() {
        return;
    }
    for lane in lanes_of(executor.lanes) {
        let agent = executor.agent(lane);
        buffering::pass_executed(&mut executor.machine.races, agent);
    }
}

/// The local memory that a lane accesses.
fn local_access(executor: &mut Executor<'_, '_>, action: &MachineAction, lane: usize) -> Option<LocalAccess> {
    let (address, element, count) = action.memory().elements()?;
    let (size, kind) = (u64::from(element * count), MachineAccessKind::Read);
    let value = executor.address(address, lane);
    match executor.locate(MachineAccess { space: address.space, address: value, size, kind }, size).ok()? {
        MemoryPlace::Local(offset) => Some(LocalAccess { offset, element, count }),
        MemoryPlace::Global(_) | MemoryPlace::Shared(..) => None,
    }
}

/// The locations that a lane reads by strong accesses.
fn read_locations(executor: &mut Executor<'_, '_>, action: &MachineAction, lane: usize) -> Vec<LocationKey> {
    let (address, order, element, count) = match action.memory() {
        _ if executor.is_unconstrained_read() => return Vec::new(),
        InstructionMemory::Load(load) => {
            let (element, count) = load.parts();
            (&load.address, load.order, element, count)
        }
        InstructionMemory::Update(atomic) => (&atomic.address, atomic.order, atomic.shape().bytes(), 1),
        _ => return Vec::new(),
    };
    if order.sem == Sem::Weak {
        return Vec::new();
    }
    let size = u64::from(element * count);
    let Some((region, offset)) = executor.place_of(address, size, size, lane) else { return Vec::new() };
    (0..count).map(|at| (region, offset + (at * element) as usize)).collect()
}

/// Forgets where the thread of a lane has waited if others may notice its next instruction. Strong writes are noted when they are recorded.
pub fn note_effect(executor: &mut Executor<'_, '_>, lane: usize) {
    let agent = executor.agent(lane);
    let action = &executor.function.code[executor.next as usize].action;
    if reads_clock(action) {
        let clock = executor.machine.explored.clock.as_ref();
        let stands_still = clock.is_some_and(|clock| !clock.is_late(agent));
        executor.machine.explored.waits.entry(agent).or_default().has_read_clock |= stands_still;
    }
    if is_noticed(action) {
        // Lanes that execute a collective together have all done something.
        for lane in lanes_of(executor.lanes) {
            let agent = executor.agent(lane);
            executor.machine.explored.waits.remove(&agent);
        }
    }
}

/// Counts reads of a lane that see nothing new.
pub fn note_reread(executor: &mut Executor<'_, '_>, lane: usize) {
    let load = match executor.function.code[executor.next as usize].action.memory() {
        InstructionMemory::Load(load) => load,
        InstructionMemory::Update(atomic) => {
            let (agent, address) = (executor.agent(lane), executor.address(&atomic.address, lane));
            executor.machine.explored.waits.entry(agent).or_default().last_read = Some(address);
            return;
        }
        _ => return,
    };
    let (element, count) = load.parts();
    let size = u64::from(element * count);
    let Some((region, offset)) = executor.place_of(&load.address, size, size, lane) else { return };
    let agent = executor.agent(lane);
    let is_free = executor.is_unconstrained_read();
    let history = executor.machine.races.history().filter(|_| !is_free);
    let is_known = |at: u32| {
        let location = history.and_then(|history| history.get(&(region, offset + (at * element) as usize)));
        let chosen = executor.machine.explored.chosen_messages.get(at as usize);
        location.zip(chosen).is_some_and(|(location, chosen)| location.messages[*chosen].is_observed_by(agent))
    };
    let is_reread = (0..count).all(is_known);
    let address = executor.address(&load.address, lane);
    let watch = executor.machine.explored.waits.entry(agent).or_default();
    watch.is_reread = is_reread;
    watch.last_read = Some(address);
}
