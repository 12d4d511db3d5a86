//! The executions that `check` shows, against the definitions: the relations of random programs are computed from their accesses, and no axiom is
//! violated.

use crate::checked::CheckedLaunch;
use crate::random::{kernel_text, launched, program};
use fastrand::Rng;
use isa::types::Sem;
use ordering::{EventAction, EventRelation, ExecutionRecord};
use program::{MachineAccessKind, MachineAction};

/// A relation between events.
#[derive(Clone)]
struct Pairs(Vec<Vec<bool>>);

impl Pairs {
    fn of(count: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        Self((0..count).map(|a| (0..count).map(|b| holds(a, b)).collect()).collect())
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.0[a][b]
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    fn all(&self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.count();
        (0..count * count).map(move |at| (at / count, at % count)).filter(|(a, b)| self.has(*a, *b))
    }

    fn then(&self, other: &Self) -> Self {
        Self::of(self.count(), |a, c| (0..self.count()).any(|b| self.has(a, b) && other.has(b, c)))
    }

    fn or(&self, other: &Self) -> Self {
        Self::of(self.count(), |a, b| self.has(a, b) || other.has(a, b))
    }

    fn reflexive(&self) -> Self {
        Self::of(self.count(), |a, b| a == b || self.has(a, b))
    }

    fn closure(&self) -> Self {
        let longer = self.or(&self.then(self));
        if longer.0 == self.0 { longer } else { longer.closure() }
    }
}

/// What an event does, as far as the memory model is concerned.
struct Meaning {
    thread: (u32, u32),
    location: Option<u64>,
    reads: bool,
    writes: bool,
    is_fence: bool,
    is_barrier: bool,
    is_sequential: bool,
    acquires: bool,
    releases: bool,
}

fn meanings(launch: &CheckedLaunch, record: &ExecutionRecord) -> Vec<Meaning> {
    let meaning = |at: usize| {
        let event = &record.events[at];
        let order = match launch.action(event.place) {
            MachineAction::Load(load) => load.order.sem,
            MachineAction::Store(store) => store.order.sem,
            MachineAction::Atomic(atomic) => atomic.order.sem,
            MachineAction::Fence(_) => Sem::AcqRel,
            _ => Sem::Weak,
        };
        let is_sequential = matches!(launch.action(event.place), MachineAction::Fence(fence) if fence.is_sequential);
        let (location, kind) = match &event.action {
            EventAction::Access(access) if order != Sem::Weak => (Some(access.address), Some(access.kind)),
            _ => (None, None),
        };
        let is_written = record.edges.iter().any(|edge| match edge.relation {
            EventRelation::ReadsFrom => edge.from == at,
            EventRelation::Coherence => edge.from == at || edge.to == at,
            EventRelation::FromReads => edge.to == at,
            EventRelation::Synchronizes => false,
        });
        let is_fence = event.action == EventAction::Fence;
        Meaning {
            thread: (event.thread.cta, event.thread.thread),
            location,
            reads: matches!(kind, Some(MachineAccessKind::Read | MachineAccessKind::Atomic)),
            // A compare-and-swap that fails writes nothing.
            writes: kind == Some(MachineAccessKind::Write) || kind == Some(MachineAccessKind::Atomic) && is_written,
            is_fence,
            is_barrier: event.action == EventAction::Barrier,
            is_sequential,
            acquires: matches!(order, Sem::Acquire | Sem::AcqRel) && (is_fence || location.is_some()),
            releases: matches!(order, Sem::Release | Sem::AcqRel) && (is_fence || location.is_some()),
        }
    };
    (0..record.events.len()).map(meaning).collect()
}

/// Compares the relations that are shown with their definitions. All scopes include all threads. Returns how many synchronize.
fn compare(launch: &CheckedLaunch, record: &ExecutionRecord, text: &str) -> usize {
    let events = meanings(launch, record);
    let count = events.len();
    let shown = |relation: EventRelation| {
        let is_shown = |a: usize, b: usize| {
            let edge = |edge: &ordering::ExecutionEdge| (edge.from, edge.to, edge.relation) == (a, b, relation);
            record.edges.iter().any(edge)
        };
        Pairs::of(count, is_shown)
    };
    let same_location = |a: usize, b: usize| events[a].location.is_some() && events[a].location == events[b].location;
    let po = Pairs::of(count, |a, b| a < b && events[a].thread == events[b].thread);
    let rf = shown(EventRelation::ReadsFrom);
    let co = shown(EventRelation::Coherence).closure();
    let fr = shown(EventRelation::FromReads).then(&co.reflexive());
    // Observation goes on through updates, which are one event here.
    let is_update = |at: usize| events[at].reads && events[at].writes;
    let strong_rf = Pairs::of(count, |a, b| rf.has(a, b) && same_location(a, b));
    let updates = Pairs::of(count, |a, b| strong_rf.has(a, b) && is_update(b));
    let observation = updates.closure().reflexive().then(&strong_rf);
    let release = Pairs::of(count, |a, b| {
        let write = events[a].writes && (a == b || po.has(a, b) && same_location(a, b));
        events[a].releases && events[b].writes && (write || events[a].is_fence && po.has(a, b))
    });
    let acquire = Pairs::of(count, |a, b| {
        let read = events[b].reads && (a == b || po.has(a, b) && same_location(a, b));
        events[b].acquires && events[a].reads && (read || events[b].is_fence && po.has(a, b))
    });
    let patterns = release.then(&observation).then(&acquire);
    let others = Pairs::of(count, |a, b| {
        let is_other = events[a].thread != events[b].thread;
        let sequential = a < b && events[a].is_sequential && events[b].is_sequential;
        is_other && (sequential || events[a].is_barrier && events[b].is_barrier)
    });
    let base = po.or(&patterns).or(&others).closure();
    let sync = shown(EventRelation::Synchronizes);
    for (a, b) in sync.all() {
        assert!(base.has(a, b), "{a} does not synchronize with {b}\n{record:#?}\n{text}");
    }
    let both =
        Pairs::of(count, |a, b| sync.has(a, b) || events[a].is_barrier && events[b].is_barrier && sync.has(b, a));
    let known = po.or(&both).closure();
    for (a, b) in patterns.all().filter(|(a, b)| events[*a].thread != events[*b].thread) {
        assert!(known.has(a, b), "{a} synchronizes with {b}\n{record:#?}\n{text}");
    }
    let preserved = Pairs::of(count, |a, b| base.has(a, b) && same_location(a, b));
    let cause = observation.reflexive().then(&preserved);
    for (a, b) in rf.or(&fr).all().filter(|(a, b)| a != b) {
        assert!(!cause.has(b, a), "Causality: {a} and {b}\n{record:#?}\n{text}");
    }
    for (a, b) in co.all() {
        assert!(!cause.has(b, a) && a != b, "Coherence: {a} and {b}\n{record:#?}\n{text}");
    }
    for (a, b) in rf.all().filter(|(_, b)| is_update(*b)) {
        let between = (0..count).any(|at| co.has(a, at) && co.has(at, b));
        assert!(!between && co.has(a, b), "Atomicity: {a} and {b}\n{record:#?}\n{text}");
    }
    sync.all().count()
}

#[test]
fn the_relations_that_are_shown_are_those_of_the_definitions() {
    let mut random = Rng::with_seed(29);
    let mut synchronizing = 0;
    for _ in 0..400 {
        let (threads, placement) = program(&mut random);
        let text = kernel_text(&threads);
        let launch = launched(&text, threads.len(), placement);
        let (found, _) = launch.explored(1_000_000);
        synchronizing += usize::from(compare(&launch, &found.example, &text) > 0);
        // Every end is a claim that fails, so that many executions are shown.
        for problem in launch.refuted() {
            synchronizing += usize::from(compare(&launch, &problem.execution, &text) > 0);
        }
    }
    assert!(synchronizing > 300, "{synchronizing} executions with threads that synchronize");
}
