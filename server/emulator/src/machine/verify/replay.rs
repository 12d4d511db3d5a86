//! What the steps of an execution read and wrote: the execution is repeated with a trace.

use super::super::launch::{Launch, ThreadId};
use super::super::problem::CodePlace;
use super::super::races::ExecutionRecord;
use super::super::state::Machine;
use super::super::trace::{Trace, TraceEvent, TraceEventKind, TracedAccess};
use super::sharing::SharedLocations;
use super::steps::Transition;
use super::waits::Delay;

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
pub(super) struct RepeatedStep {
    pub transition: Transition,
    pub delay: Delay,
    pub step: Option<StepPlace>,
}

/// The place of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepPlace {
    pub thread: ThreadId,
    pub place: CodePlace,
}

/// A launch whose threads are all traced.
pub(super) fn traced(launch: &Launch) -> Launch {
    let mut launch = launch.clone();
    let ctas = launch.all_sizes().flat_map(|sizes| vec![sizes.block.count() as u32; sizes.grid.count() as usize]);
    let threads = ctas.enumerate().flat_map(|(cta, threads)| (0..threads).map(move |thread| (cta as u32, thread)));
    launch.trace.threads = threads.map(|(cta, thread)| ThreadId { cta, thread }).collect();
    launch
}

/// The steps of an execution from its first state on, and all that it does.
pub(super) fn replay(
    mut machine: Machine,
    way: &[RepeatedStep],
    mut shared: SharedLocations,
) -> (Vec<VerifiedStep>, ExecutionRecord) {
    let mut is_same = true;
    machine.races.begin_recording();
    machine.settle(&mut shared);
    let mut steps = Vec::new();
    for RepeatedStep { transition, delay, step } in way {
        machine.settle_stalls(&mut shared);
        is_same &= machine.step_of(transition) == *step;
        machine.trace = Trace::default();
        if is_same {
            machine.take(transition, &mut shared);
            machine.pass_time(transition, *delay);
        }
        let Some(step) = step else { continue };
        steps.push(VerifiedStep {
            thread: step.thread,
            place: step.place,
            effect: effect(&machine.trace.events, step),
        });
    }
    (steps, machine.races.take_record())
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

impl Machine<'_> {
    /// The place of a step.
    pub(super) fn step_of(&self, transition: &Transition) -> Option<StepPlace> {
        match transition {
            Transition::EndCopy(at, _) => {
                self.copies.get(*at).map(|copy| StepPlace { thread: copy.thread, place: copy.place })
            }
            Transition::Thread(at, lane, _) => {
                let warp = self.warps[*at].as_deref()?;
                let split = warp.split_of(*lane)?;
                Some(StepPlace { thread: self.thread(warp, *lane as usize), place: warp.place(split) })
            }
        }
    }
}
