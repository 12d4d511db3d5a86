//! Barrier pairings: which arrivals synchronize with which waits.
//!
//! A thread's n-th arrival at a barrier belongs to the barrier's n-th phase. Without a quorum, a phase is complete when every thread of the
//! CTA (or cluster) that uses the barrier has arrived. With a quorum, it is complete when that many threads have arrived: these arrivals are
//! ordered before all waits of the phase, later arrivals before none. Without a quorum, a phase does not wait for threads that have ended, whose
//! end orders nothing. A phase that never completes ends no wait: the execution deadlocks and has no outcome.

use crate::Bits;
use crate::code::instruction::{BarrierLevel, BarrierMode, ModelInstruction, ModelOperand};
use crate::code::program::{Program, ThreadPosition};
use crate::relations::event::EventKind;
use crate::relations::relation::Relation;
use crate::runs::run::{BarrierEvent, ProgramRun};
use std::collections::{BTreeMap, BTreeSet};

/// The most subsets of the arrivals at a barrier that are as large as its quorum.
const MAX_PAIRINGS: u64 = 20_000;

/// Pairs of an arrival and a wait that it is ordered before.
pub type BarrierPairing = Vec<(usize, usize)>;

/// A barrier as a program names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BarrierName {
    level: BarrierLevel,
    instance: u64,
    id: Bits,
}

/// A phase of a barrier of a CTA or cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BarrierPhase {
    owner: BarrierOwner,
    name: BarrierName,
    number: usize,
}

/// The CTA or cluster that a barrier belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BarrierOwner {
    gpu: u32,
    cluster: u32,
    cta: Option<u32>,
}

impl BarrierOwner {
    fn of(level: BarrierLevel, place: ThreadPosition) -> Self {
        let cta = (level == BarrierLevel::Cta).then_some(place.cta);
        BarrierOwner { gpu: place.gpu, cluster: place.cluster, cta }
    }
}

/// All pairings of a run; empty if it deadlocks. `None` while the id or quorum of a barrier is unknown.
pub fn pairings(run: &ProgramRun, values: &[Option<Bits>]) -> Option<Vec<BarrierPairing>> {
    if run.barriers.is_empty() {
        return Some(vec![BarrierPairing::new()]);
    }
    let mut pairings = vec![BarrierPairing::new()];
    let mut ends = BarrierPairing::new();
    for (phase, events) in phases(run, values)? {
        ends.extend(awaited_ends(run, phase, &events));
        let choices = phase_pairings(run, values, phase, &events);
        pairings =
            pairings.iter().flat_map(|pairing| choices.iter().map(|choice| [&pairing[..], choice].concat())).collect();
    }
    pairings.retain(|pairing| !deadlocks(run, &[&pairing[..], &ends].concat()));
    let ordering = |pairing: BarrierPairing| pairing.into_iter().flat_map(|pair| ordering_pairs(run, pair)).collect();
    Some(pairings.into_iter().map(ordering).collect())
}

/// What an arrival and a wait that it is paired with order: themselves; in place of one that is relaxed, the fences of its thread before
/// the arrival, or after the wait, whose scope includes the other thread.
fn ordering_pairs(run: &ProgramRun, (arrival, wait): (usize, usize)) -> BarrierPairing {
    let events = &run.events;
    let fences = |at: usize, other: usize, holds: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let is = |fence: usize| {
            let event = &events[fence];
            event.is_fence() && event.same_thread(&events[at]) && event.place.includes(event.scope, events[other].place)
        };
        if events[at].orders {
            vec![at]
        } else {
            (0..events.len()).filter(|fence| is(*fence) && holds(*fence)).collect()
        }
    };
    let starts = fences(arrival, wait, &|fence| events[fence].release && fence < arrival);
    let ends = fences(wait, arrival, &|fence| events[fence].acquire && fence > wait);
    let pairs = starts.iter().flat_map(|start| ends.iter().map(move |end| (*start, *end)));
    pairs.filter(|(start, end)| events[*start].can_synchronize_with(&events[*end])).collect()
}

/// The barrier events of each phase.
fn phases(run: &ProgramRun, values: &[Option<Bits>]) -> Option<BTreeMap<BarrierPhase, Vec<BarrierEvent>>> {
    let mut phases: BTreeMap<BarrierPhase, Vec<BarrierEvent>> = BTreeMap::new();
    let mut counts: BTreeMap<(usize, BarrierName, bool), usize> = BTreeMap::new();
    for barrier in &run.barriers {
        let id = values[barrier.id]?;
        if let Some(quorum) = barrier.quorum {
            values[quorum]?;
        }
        let event = &run.events[barrier.event];
        let (level, instance) = match run.program.threads[barrier.thread].code[event.instruction] {
            ModelInstruction::Barrier { level, instance, .. } => (level, instance),
            _ => (BarrierLevel::Cta, 0),
        };
        let name = BarrierName { level, instance, id };
        let number = counts.entry((barrier.thread, name, event.kind == EventKind::Wait)).or_default();
        let phase = BarrierPhase { owner: BarrierOwner::of(level, event.place), name, number: *number };
        phases.entry(phase).or_default().push(*barrier);
        *number += 1;
    }
    Some(phases)
}

/// All pairings of one phase.
fn phase_pairings(
    run: &ProgramRun,
    values: &[Option<Bits>],
    phase: BarrierPhase,
    events: &[BarrierEvent],
) -> Vec<BarrierPairing> {
    let of_kind = |kind: EventKind| -> Vec<&BarrierEvent> {
        events.iter().filter(|barrier| run.events[barrier.event].kind == kind).collect()
    };
    let (arrivals, waits) = (of_kind(EventKind::Arrive), of_kind(EventKind::Wait));
    let (endless, waits): (Vec<_>, Vec<_>) =
        waits.into_iter().partition(|wait| run.threads[wait.thread].waits_forever_at(wait.event));
    let quorum = events.iter().filter_map(|barrier| barrier.quorum.and_then(|quorum| values[quorum])).max();
    let (complete, choices) = match quorum {
        None => (all_arrived(run, phase, &arrivals, |_| false), vec![pairing(&arrivals, &waits)]),
        Some(quorum) => {
            let quorum = quorum.min(255) as usize;
            (arrivals.len() >= quorum, quorum_pairings(&arrivals, &waits, quorum))
        }
    };
    // Barriers do not wait for threads that have ended, so these keep no thread waiting.
    let ended = |thread: usize| run.threads[thread].done;
    let released = complete || quorum.is_none() && all_arrived(run, phase, &arrivals, ended);
    match (complete, waits.is_empty()) {
        _ if released && !endless.is_empty() => Vec::new(),
        (true, _) => choices,
        (false, true) => vec![BarrierPairing::new()],
        (false, false) if released => choices,
        (false, false) => Vec::new(),
    }
}

/// The last events of threads that end without arriving in a phase, each with the waits that end only then.
fn awaited_ends(run: &ProgramRun, phase: BarrierPhase, events: &[BarrierEvent]) -> BarrierPairing {
    if events.iter().any(|barrier| barrier.quorum.is_some()) {
        return BarrierPairing::new();
    }
    let is_kind = |barrier: &&BarrierEvent, kind: EventKind| run.events[barrier.event].kind == kind;
    let arrived = |thread: usize| events.iter().any(|one| one.thread == thread && is_kind(&one, EventKind::Arrive));
    let waits = events.iter().filter(|barrier| is_kind(barrier, EventKind::Wait));
    let waits: Vec<usize> =
        waits.filter(|wait| !run.threads[wait.thread].waits_forever_at(wait.event)).map(|wait| wait.event).collect();
    let ended = users(run, phase).filter(|thread| run.threads[*thread].done && !arrived(*thread));
    let last = ended.filter_map(|thread| run.events.iter().rposition(|event| event.thread == Some(thread)));
    last.flat_map(|last| waits.iter().map(move |wait| (last, *wait))).collect()
}

/// Pairs every arrival with every wait of another thread.
fn pairing(arrivals: &[&BarrierEvent], waits: &[&BarrierEvent]) -> BarrierPairing {
    let pairs = arrivals.iter().flat_map(|a| waits.iter().map(move |b| (a, b)));
    pairs.filter(|(a, b)| a.thread != b.thread).map(|(a, b)| (a.event, b.event)).collect()
}

/// A pairing for each subset of arrivals of the size of the quorum.
fn quorum_pairings(arrivals: &[&BarrierEvent], waits: &[&BarrierEvent], quorum: usize) -> Vec<BarrierPairing> {
    subsets(arrivals, quorum).iter().map(|subset| pairing(subset, waits)).collect()
}

/// The subsets of so many elements.
fn subsets<'b>(all: &[&'b BarrierEvent], size: usize) -> Vec<Vec<&'b BarrierEvent>> {
    match all.split_first() {
        _ if size == 0 => vec![Vec::new()],
        Some((first, others)) if size <= all.len() => {
            let with_first = subsets(others, size - 1).into_iter().map(|subset| [&[*first][..], &subset].concat());
            with_first.chain(subsets(others, size)).collect()
        }
        _ => Vec::new(),
    }
}

/// The users of a barrier: how many threads name it, and the quorums that they give, if these are constants.
#[derive(Default)]
struct BarrierUsers {
    threads: usize,
    quorums: BTreeSet<Option<Bits>>,
}

/// Why the pairings of a barrier of a program are too many to explore.
pub fn too_many_pairings(program: &Program) -> Option<String> {
    let mut barriers: BTreeMap<(BarrierOwner, BarrierLevel, Option<Bits>), BarrierUsers> = BTreeMap::new();
    for thread in &program.threads {
        let mut own = BTreeMap::new();
        for instruction in &thread.code {
            if let ModelInstruction::Barrier { level, id, quorum: Some(quorum), .. } = instruction {
                let key = (BarrierOwner::of(*level, thread.place), *level, constant(*id));
                own.entry(key).or_insert_with(BTreeSet::new).insert(constant(*quorum));
            }
        }
        for (key, quorums) in own {
            let users = barriers.entry(key).or_default();
            users.threads += 1;
            users.quorums.extend(quorums);
        }
    }
    let choices = |users: &BarrierUsers| {
        let size = |quorum: Option<Bits>| quorum.map_or(users.threads / 2, |quorum| quorum.min(255) as usize);
        users.quorums.iter().map(|quorum| subset_count(users.threads, size(*quorum))).max().unwrap_or_default()
    };
    let is_too_many = barriers.values().any(|users| choices(users) > MAX_PAIRINGS);
    is_too_many.then(|| format!("a barrier whose arrivals can be chosen in more than {MAX_PAIRINGS} ways"))
}

const fn constant(operand: ModelOperand) -> Option<Bits> {
    match operand {
        ModelOperand::Constant(value) => Some(value),
        ModelOperand::Register(_) => None,
    }
}

/// The number of subsets of so many elements.
fn subset_count(all: usize, size: usize) -> u64 {
    let size = size.min(all.saturating_sub(size)) as u64;
    (0..size).fold(1, |count: u64, chosen| count.saturating_mul(all as u64 - chosen) / (chosen + 1))
}

/// Whether every thread that uses the barrier has arrived in a phase, but for some that need not.
fn all_arrived(
    run: &ProgramRun,
    phase: BarrierPhase,
    arrivals: &[&BarrierEvent],
    need_not: impl Fn(usize) -> bool,
) -> bool {
    let arrived = |thread: usize| need_not(thread) || arrivals.iter().any(|barrier| barrier.thread == thread);
    users(run, phase).all(arrived)
}

/// The threads that use the barrier of a phase.
fn users(run: &ProgramRun, BarrierPhase { owner, name, .. }: BarrierPhase) -> impl Iterator<Item = usize> {
    let here = move |thread: &usize| BarrierOwner::of(name.level, run.program.threads[*thread].place) == owner;
    (0..run.program.threads.len()).filter(here).filter(move |thread| uses(run, *thread, name))
}

/// Whether the code of a thread names the barrier, even if it is not executed.
fn uses(run: &ProgramRun, thread: usize, name: BarrierName) -> bool {
    run.program.threads[thread].code.iter().any(|instruction| match *instruction {
        ModelInstruction::Barrier { level, instance, id: ModelOperand::Constant(id), mode, .. } => {
            BarrierName { level, instance, id } == name && mode != BarrierMode::Wait
        }
        _ => false,
    })
}

/// Whether a thread waits for an arrival that only comes after its wait.
fn deadlocks(run: &ProgramRun, pairing: &[(usize, usize)]) -> bool {
    let mut order = Relation::empty(run.events.len());
    let mut last = vec![None; run.program.threads.len()];
    for (at, event) in run.events.iter().enumerate() {
        if let Some(thread) = event.thread
            && let Some(before) = last[thread].replace(at)
        {
            order.insert_transitive(before, at);
        }
    }
    order.extend_transitive(pairing);
    order.reflexive_event().is_some()
}
