//! What happens when no thread can run.

use crate::machine::launch::kernel_launch::ThreadId;
use crate::machine::problem::{CodePlace, ProblemKind, Waiting};
use crate::machine::state::Machine;
use crate::machine::threads::lanes::WARP_SIZE;
use crate::machine::threads::warp::{Polled, Split, SplitState, Warp};

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

impl Machine<'_> {
    /// Called when no thread can run: a copy ends, or lanes that wait in vain for others of their warp go on, which is reported. Returns `false` if
    /// that is a deadlock, which is reported, too.
    pub fn resolve_deadlock(&mut self) -> bool {
        if !self.copies.is_empty() {
            let at = self.choices.below(self.copies.len() as u64) as usize;
            self.end_copy(at);
            return true;
        }
        self.wake_barrier_waits() || self.end_products_alone() || self.separate_lanes() || {
            if !self.withholds_clusters() {
                self.report_deadlock();
            }
            false
        }
    }

    /// Lets the first lanes go on that wait for others of their warp.
    fn separate_lanes(&mut self) -> bool {
        for at in 0..self.warps.len() {
            let Some(mut warp) = self.warps[at].take() else { continue };
            let waits =
                |split: &Split| matches!(split.state, SplitState::LaneValues { .. } | SplitState::WarpBarrier(_));
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
                let thread = self.thread(&warp, lanes.trailing_zeros() as usize);
                let kind = ProblemKind::BarrierDivergence { present: lanes & required, required };
                self.report(kind, thread, CodePlace { function, instruction });
            }
            self.warps[at] = Some(warp);
            if found.is_some() {
                return true;
            }
        }
        false
    }

    /// Reports what the threads wait for.
    pub fn report_deadlock(&mut self) {
        let splits = || self.warps.iter().flatten().flat_map(|warp| warp.splits.iter().map(move |split| (warp, split)));
        let is_spinning = |split: &Split| matches!(split.state, SplitState::Spinning(_));
        let spinning = splits().any(|(_, split)| is_spinning(split));
        // Loops first: the others often wait for their end.
        let in_order =
            splits().filter(|(_, split)| is_spinning(split)).chain(splits().filter(|(_, split)| !is_spinning(split)));
        let waiting = grouped(in_order.map(|(warp, split)| self.waiting(warp, split)));
        let Some(first) = waiting.first() else { return };
        let (thread, place) = (first.thread, first.place);
        let related = waiting.iter().skip(1).map(|one| (one.thread, one.place)).collect();
        let kind = if spinning { ProblemKind::Livelock { waiting } } else { ProblemKind::Deadlock { waiting } };
        self.problems.report(kind, thread, place, related);
    }

    /// What lanes wait for.
    pub fn waiting(&self, warp: &Warp, split: &Split) -> Waiting {
        let cta = &self.ctas[warp.cta];
        let (reason, behind) = match split.state {
            SplitState::CtaBarrier(wait) => {
                let missing = cta.barriers[wait.barrier].missing(cta.live);
                (format!("barrier {}: {missing} have to arrive", wait.barrier), 1)
            }
            SplitState::ClusterBarrier(_) => {
                let cluster = &self.clusters[cta.cluster];
                let missing = cluster.live.saturating_sub(cluster.arrived);
                (format!("the barrier of the cluster: {missing} more threads have to arrive"), 1)
            }
            SplitState::WarpBarrier(_) | SplitState::LaneValues { .. } => ("other lanes of the warp".to_owned(), 0),
            SplitState::Ready => ("lanes of the warp that run first, as before sm_70".to_owned(), 0),
            SplitState::TensorMemory(columns) => (format!("{columns} free columns of tensor memory"), 0),
            SplitState::Warpgroup(_) => ("the products of the other warps of the warpgroup".to_owned(), 0),
            SplitState::Spinning(_) => (self.polled(warp.polled.filter(|_| !split.spin.reads_nothing)), 0),
        };
        let frame = split.stack.last().map_or(0, |entry| entry.frame);
        let thread = ThreadId { cta: cta.number, thread: warp.number * WARP_SIZE + split.lanes.trailing_zeros() };
        let place = CodePlace { function: warp.frames[frame].function, instruction: split.next.saturating_sub(behind) };
        Waiting { thread, threads: split.lanes.count_ones(), cta: self.launch.grid.cta_name(cta.number), place, reason }
    }

    fn polled(&self, polled: Option<Polled>) -> String {
        match polled {
            Some(Polled::Memory(address)) => {
                let nearest = self.nearest(address).map_or_else(String::new, |nearest| format!(" ({nearest})"));
                format!("a change of memory at {address:#x}{nearest}")
            }
            Some(Polled::Mbarrier(slot, offset)) => {
                let barrier = self.ctas[slot].mbarriers.get(&offset);
                let missing =
                    barrier.map_or_else(String::new, |barrier| format!(", which needs {}", barrier.missing()));
                format!("the mbarrier at {offset:#x} of shared memory{missing}")
            }
            None => "nothing: the loop reads no memory that others could change".to_owned(),
        }
    }

    /// Ends the run at the bound on the number of instructions, if anything is left to execute; the warp in a slot ran last.
    pub fn give_up(&mut self, at: usize) {
        if self.warps.iter().all(Option::is_none) {
            // The place is that of a thread that has not begun.
            self.warps.clear();
            self.begin_ctas();
        }
        let last = self.warps.get(at).and_then(Option::as_deref);
        let warp = last.or_else(|| self.warps.iter().flatten().next().map(|warp| &**warp));
        let next = warp.and_then(|warp| self.next_of(warp));
        self.stop_at_limit(next);
    }

    /// Ends the run at the bound on the number of instructions, if the warp, which is in no slot now, has anything left to execute.
    pub fn give_up_in(&mut self, warp: &Warp) {
        let next = self.next_of(warp);
        self.stop_at_limit(next);
    }

    fn next_of(&self, warp: &Warp) -> Option<Waiting> {
        Some(self.waiting(warp, warp.splits.first()?))
    }

    fn stop_at_limit(&mut self, next: Option<Waiting>) {
        let limit = self.launch.max_instructions;
        if let Some(Waiting { thread, place, .. }) = next {
            self.report(ProblemKind::InstructionLimit { limit }, thread, place);
            self.stopped = true;
        }
    }
}
