//! Why the accesses of a data race are not ordered: what should have ordered them, and what it lacks.

use crate::Kernel;
use crate::execution::missing::{MissingOrder, misplaced_fence, missing_orders};
use ordering::{EventAction, EventPerformer, ExecutionRecord};
use program::{RaceCause, WARP_SIZE};
use std::collections::BTreeSet;

/// The cause of a data race. Events are named by their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionCause {
    /// The two accesses, the earlier one first.
    pub accesses: [usize; 2],
    /// What is missing.
    pub kind: CauseKind,
    /// The events that say so, beside the accesses.
    pub events: Vec<usize>,
}

/// What is missing between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CauseKind {
    /// The problem says it: a fence between proxies, or a wait.
    Stated,
    /// A value is passed on between them, and the write and the read of it do not synchronize.
    Unsynchronized,
    /// Threads of a warp pass no barrier between.
    NoWarpBarrier,
    /// Threads of a CTA pass no barrier between.
    NoBarrier,
    /// Threads of a CTA pass barriers between, but none that both pass. The events are the first one of the one thread after the earlier access, and
    /// the last one of the other thread before the later access, as far as there are such.
    OtherBarriers,
    /// An asynchronous copy, and the other thread has not waited for it. The event is its last wait, if it has waited for another copy.
    Copy,
    /// Nothing is passed on between threads of different CTAs.
    NothingPassed,
}

impl CauseKind {
    /// Its key in results for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Unsynchronized => "unsynchronized",
            Self::NoWarpBarrier => "no-warp-barrier",
            Self::NoBarrier => "no-barrier",
            Self::OtherBarriers => "other-barriers",
            Self::Copy => "copy",
            Self::NothingPassed => "nothing-passed",
        }
    }
}

/// The cause of a race, and the values that are passed on without order.
pub(super) fn cause(
    record: &ExecutionRecord,
    race: [usize; 2],
    race_cause: Option<RaceCause>,
    kernel: &Kernel,
) -> (ExecutionCause, Vec<MissingOrder>) {
    let is_stated = !matches!(race_cause, None | Some(RaceCause::NotOrdered));
    let mut missing = missing_orders(record, race, kernel);
    for one in &mut missing {
        one.misplaced = misplaced_fence(record, race, one, kernel);
    }
    let of_one = |one: &MissingOrder| [Some(one.from), Some(one.to), one.misplaced];
    let events: Vec<usize> = missing.iter().flat_map(of_one).flatten().collect();
    let (kind, events) = match events.is_empty() {
        _ if is_stated => (CauseKind::Stated, events),
        false => (CauseKind::Unsynchronized, events),
        true => without_values(record, race),
    };
    (ExecutionCause { accesses: race, kind, events }, missing)
}

/// The cause where no value is passed on.
fn without_values(record: &ExecutionRecord, [first, second]: [usize; 2]) -> (CauseKind, Vec<usize>) {
    let [one, other] = [first, second].map(|at| &record.events[at]);
    let is_copy = |at: usize| record.events[at].performer == EventPerformer::Copy;
    if is_copy(first) || is_copy(second) {
        let waiting = if is_copy(first) { second } else { first };
        let is_wait = |at: &usize| {
            let event = &record.events[*at];
            event.thread == record.events[waiting].thread
                && matches!(event.action, EventAction::Mbarrier | EventAction::Wait)
        };
        return (CauseKind::Copy, (0..waiting).rev().find(is_wait).into_iter().collect());
    }
    if one.thread.cta != other.thread.cta {
        return (CauseKind::NothingPassed, Vec::new());
    }
    let is_barrier = |thread, at: usize| {
        record.events[at].thread == thread && matches!(record.events[at].action, EventAction::Barrier)
    };
    let after = (first + 1..second).find(|at| is_barrier(one.thread, *at));
    let before = (first + 1..second).rev().find(|at| is_barrier(other.thread, *at));
    let barriers: Vec<usize> = after.into_iter().chain(before).collect();
    if !barriers.is_empty() {
        return (CauseKind::OtherBarriers, barriers);
    }
    let warp = |thread: u32| thread / WARP_SIZE;
    match warp(one.thread.thread) == warp(other.thread.thread) {
        true => (CauseKind::NoWarpBarrier, Vec::new()),
        false => (CauseKind::NoBarrier, Vec::new()),
    }
}

impl ExecutionCause {
    /// The indices of its events.
    pub(super) fn all_events(&self) -> BTreeSet<usize> {
        self.accesses.iter().chain(&self.events).copied().collect()
    }

    /// The same with other indices; `None` if an event has none.
    pub(super) fn renumbered(&self, index: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let [first, second] = self.accesses;
        let events = self.events.iter().map(|at| index(*at)).collect::<Option<_>>()?;
        Some(Self { accesses: [index(first)?, index(second)?], kind: self.kind, events })
    }
}
