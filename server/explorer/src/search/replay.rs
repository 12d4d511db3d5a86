//! What the steps of an execution read and wrote: the execution is repeated with a trace.

use crate::choices::sharing::SharedLocations;
use crate::choices::steps;
use crate::choices::steps::never;
use crate::choices::transition::Transition;
use crate::choices::waits;
use crate::choices::waits::Delay;
use machine::debug::trace::{Trace, TraceEvent, TraceEventKind, TracedAccess};
use machine::state::Machine;
use ordering::ExecutionRecord;
use program::launch::kernel_launch::{Launch, ThreadId, TracedThreads};
use program::problem::CodePlace;

/// A step that other threads can notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedStep {
    /// The thread; that of a copy is the one that began it.
    pub thread: ThreadId,
    /// The instruction.
    pub place: CodePlace,
    /// What it did to memory; empty for barriers and fences, and where the step could not be repeated.
    pub effect: StepEffect,
}

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepEffect {
    /// Its accesses. What is read may be older than the bytes that memory has then.
    pub accesses: Vec<TracedAccess>,
    /// The values of the registers that it wrote.
    pub results: Vec<u64>,
}

/// A step to be repeated.
#[derive(Clone, Debug)]
pub struct RepeatedStep {
    pub transition: Transition,
    pub delay: Delay,
    pub step: Option<StepPlace>,
}

/// The place of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPlace {
    pub thread: ThreadId,
    pub place: CodePlace,
}

/// A launch whose threads are all traced.
pub fn traced(launch: &Launch) -> Launch {
    let mut launch = launch.clone();
    launch.trace.threads = TracedThreads::All;
    launch
}

/// An execution that was repeated.
pub struct Repeated<'p> {
    /// The steps that other threads can notice.
    pub steps: Vec<VerifiedStep>,
    /// All that it does.
    pub execution: ExecutionRecord,
    /// Where it has come to.
    pub machine: Machine<'p>,
    /// Whether each step was possible.
    pub is_possible: bool,
}

/// Repeats an execution from its first state on.
pub fn replay<'p>(machine: Machine<'p>, way: &[RepeatedStep], shared: SharedLocations) -> Repeated<'p> {
    let mut replay = Replay::new(machine, shared);
    for step in way {
        let possible = replay.settle_deadlocks();
        replay.repeat(step, &possible);
    }
    replay.end()
}

/// Repeats an execution of a search in which `fence.sc` were no steps, on a machine in which they are. A thread passes one only when something
/// cannot go on otherwise: the next step, or `thread`, until `is_there`.
pub fn replay_with_late_fences<'p>(
    machine: Machine<'p>,
    way: &[RepeatedStep],
    mut shared: SharedLocations,
    thread: Option<ThreadId>,
    is_there: &dyn Fn(&Machine) -> bool,
) -> Repeated<'p> {
    shared.share_fences();
    let mut replay = Replay::new(machine, shared);
    for step in way {
        let mut possible = replay.settle_deadlocks();
        while !possible.contains(&step.transition) && replay.pass_fence(&possible, step.step.map(|step| step.thread)) {
            possible = replay.settle_deadlocks();
        }
        replay.repeat(step, &possible);
    }
    loop {
        let possible = replay.settle_deadlocks();
        if is_there(&replay.machine) || !replay.is_possible || !replay.pass_fence(&possible, thread) {
            return replay.end();
        }
    }
}

/// An execution that is being repeated.
struct Replay<'p> {
    machine: Machine<'p>,
    shared: SharedLocations,
    steps: Vec<VerifiedStep>,
    is_possible: bool,
}

impl<'p> Replay<'p> {
    fn new(mut machine: Machine<'p>, mut shared: SharedLocations) -> Self {
        machine.races.begin_recording();
        steps::settle(&mut machine, &mut shared, &never);
        Self { machine, shared, steps: Vec::new(), is_possible: true }
    }

    fn settle_deadlocks(&mut self) -> Vec<Transition> {
        steps::settle_deadlocks(&mut self.machine, &mut self.shared, &never).all()
    }

    /// Takes a step, if it is one of those that are possible and all before it were.
    fn repeat(&mut self, RepeatedStep { transition, delay, step }: &RepeatedStep, possible: &[Transition]) {
        self.is_possible &= possible.contains(transition) && step_of(&self.machine, transition) == *step;
        self.machine.trace = Trace::default();
        if self.is_possible {
            steps::take(&mut self.machine, transition, &mut self.shared, &never);
            waits::pass_time(&mut self.machine, transition, *delay);
        }
        let Some(step) = step else { return };
        self.steps.push(VerifiedStep {
            thread: step.thread,
            place: step.place,
            effect: effect(&self.machine.trace.events, step),
        });
    }

    /// Passes a `fence.sc`: that of a thread, if it is before one, or else of another one of its CTA, for which it may wait, or else the first.
    /// Returns whether there was one.
    fn pass_fence(&mut self, possible: &[Transition], thread: Option<ThreadId>) -> bool {
        let distance = |of_fence: ThreadId| match thread {
            Some(thread) if of_fence == thread => 0,
            Some(thread) if of_fence.cta == thread.cta => 1,
            _ => 2,
        };
        let fences = possible.iter().filter(|transition| is_fence(&self.machine, transition));
        let next = fences.min_by_key(|fence| step_of(&self.machine, fence).map(|step| distance(step.thread)));
        let Some(fence) = next else { return false };
        steps::take(&mut self.machine, fence, &mut self.shared, &never);
        true
    }

    fn end(mut self) -> Repeated<'p> {
        let execution = self.machine.races.take_record();
        self.settle_deadlocks();
        Repeated { steps: self.steps, execution, machine: self.machine, is_possible: self.is_possible }
    }
}

/// What the first execution of an instruction did.
fn effect(events: &[TraceEvent], step: &StepPlace) -> StepEffect {
    let mut effect = StepEffect::default();
    let mut is_executed = false;
    for event in events.iter().filter(|event| event.thread == step.thread && event.place == step.place) {
        match &event.kind {
            TraceEventKind::Executed(_) if is_executed => break,
            TraceEventKind::Executed(registers) => {
                is_executed = true;
                effect.results = registers.iter().map(|(_, value)| *value).collect();
            }
            TraceEventKind::Accessed(access) => effect.accesses.push(access.clone()),
        }
    }
    effect
}

fn is_fence(machine: &Machine<'_>, transition: &Transition) -> bool {
    let Some(StepPlace { place, .. }) = step_of(machine, transition) else { return false };
    let function = &machine.program.functions[place.function as usize];
    function.code[place.instruction as usize].action.synchronization().fence().is_some()
}

fn step_of_lane(machine: &Machine<'_>, at: usize, lane: u32) -> Option<StepPlace> {
    let warp = machine.warps[at].as_deref()?;
    let split = warp.split_of(lane)?;
    Some(StepPlace { thread: machine.thread(warp, lane as usize), place: warp.place(split) })
}

/// The place of a step.
pub fn step_of(machine: &Machine<'_>, transition: &Transition) -> Option<StepPlace> {
    match transition {
        Transition::Launch(_) => None,
        Transition::EndCopy(at, _) => {
            machine.copies.get(*at).map(|copy| StepPlace { thread: copy.thread, place: copy.place })
        }
        Transition::Thread(at, lane, _) => step_of_lane(machine, *at, *lane),
        Transition::ActiveLanes(at, lanes) => step_of_lane(machine, *at, lanes.trailing_zeros()),
    }
}
