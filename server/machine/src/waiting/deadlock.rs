//! What happens when no thread can run.

use crate::copies::copy_progress;
use crate::exploration::withheld_clusters;
use crate::state::Machine;
use crate::tensor::warpgroup_wait;
use crate::threads::warp::{Split, SplitState, Warp};
use crate::waiting::barrier_waits;
use crate::waiting::wait_reason::waiting;
use program::problem::{CodePlace, ProblemKind, Waiting};

/// Threads of a CTA that wait for the same at the same instruction are one group: all executions are explored lane by lane.
fn grouped(all: impl Iterator<Item = Waiting>) -> Vec<Waiting> {
    let mut groups: Vec<Waiting> = Vec::new();
    for one in all {
        let same = |known: &&mut Waiting| {
            (known.thread.cta, known.place, &known.reason) == (one.thread.cta, one.place, &one.reason)
        };
        match groups.iter_mut().find(same) {
            Some(known) => {
                known.threads += one.threads;
                known.thread.thread = known.thread.thread.min(one.thread.thread);
            }
            None => groups.push(one),
        }
    }
    groups
}

/// Called when no thread can run: a copy ends, or lanes that wait in vain for others of their warp go on, which is reported. Returns `false` if
/// that is a deadlock, which is reported, too.
pub fn resolve_deadlock(machine: &mut Machine<'_>) -> bool {
    if !machine.copies.is_empty() {
        let at = machine.choices.below(machine.copies.len() as u64) as usize;
        copy_progress::end_copy(machine, at);
        return true;
    }
    barrier_waits::wake_barrier_waits(machine)
        || warpgroup_wait::end_products_alone(machine)
        || separate_lanes(machine)
        || {
            if !withheld_clusters::withholds_clusters(machine) {
                report_deadlock(machine);
            }
            false
        }
}

/// Lets the first lanes go on that wait for others of their warp.
fn separate_lanes(machine: &mut Machine<'_>) -> bool {
    for at in 0..machine.warps.len() {
        let Some(mut warp) = machine.warps[at].take() else { continue };
        let waits = |split: &Split| matches!(split.state, SplitState::LaneValues { .. } | SplitState::WarpBarrier(_));
        let found = warp.splits.iter().position(waits);
        if let Some(found) = found {
            let split = &mut warp.splits[found];
            let (lanes, state) = (split.lanes, split.state);
            let (required, behind) = match state {
                SplitState::LaneValues { required, .. } => (required, 0),
                SplitState::WarpBarrier(mask) => (mask, 1),
                _ => (lanes, 0),
            };
            split.state = SplitState::Ready;
            let instruction = split.next - behind;
            let function = split.stack.last().map_or(0, |entry| warp.frames[entry.frame].function);
            warp.separated |= lanes;
            let thread = machine.thread(&warp, lanes.trailing_zeros() as usize);
            let kind = ProblemKind::BarrierDivergence { present: lanes & required, required };
            machine.report(kind, thread, CodePlace { function, instruction });
        }
        machine.warps[at] = Some(warp);
        if found.is_some() {
            return true;
        }
    }
    false
}

/// Reports what the threads wait for.
pub fn report_deadlock(machine: &mut Machine<'_>) {
    let splits = || machine.warps.iter().flatten().flat_map(|warp| warp.splits.iter().map(move |split| (warp, split)));
    let is_spinning = |split: &Split| matches!(split.state, SplitState::Spinning(_));
    let spinning = splits().any(|(_, split)| is_spinning(split));
    // Loops first: the others often wait for their end.
    let in_order =
        splits().filter(|(_, split)| is_spinning(split)).chain(splits().filter(|(_, split)| !is_spinning(split)));
    let waiting = grouped(in_order.map(|(warp, split)| waiting(machine, warp, split)));
    let Some(first) = waiting.first() else { return };
    let (thread, place) = (first.thread, first.place);
    let related = waiting.iter().skip(1).map(|one| (one.thread, one.place)).collect();
    let kind = if spinning { ProblemKind::Livelock { waiting } } else { ProblemKind::Deadlock { waiting } };
    machine.problems.report(kind, thread, place, related);
}

/// Ends the run at the bound on the number of instructions, if anything is left to execute; the warp in a slot ran last.
pub fn give_up(machine: &mut Machine<'_>, at: usize) {
    if machine.warps.iter().all(Option::is_none) {
        // The place is that of a thread that has not begun.
        machine.warps.clear();
        machine.begin_ctas();
    }
    let last = machine.warps.get(at).and_then(Option::as_deref);
    let warp = last.or_else(|| machine.warps.iter().flatten().next().map(|warp| &**warp));
    let next = warp.and_then(|warp| next_of(machine, warp));
    stop_at_limit(machine, next);
}

/// Ends the run at the bound on the number of instructions, if the warp, which is in no slot now, has anything left to execute.
pub fn give_up_in(machine: &mut Machine<'_>, warp: &Warp) {
    let next = next_of(machine, warp);
    stop_at_limit(machine, next);
}

fn next_of(machine: &Machine<'_>, warp: &Warp) -> Option<Waiting> {
    Some(waiting(machine, warp, warp.splits.first()?))
}

fn stop_at_limit(machine: &mut Machine<'_>, next: Option<Waiting>) {
    let limit = machine.launch.max_instructions;
    if let Some(Waiting { thread, place, .. }) = next {
        machine.report(ProblemKind::InstructionLimit { limit }, thread, place);
        machine.stopped = true;
    }
}
