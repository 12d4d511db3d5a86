//! Who meets whom at barriers.
//!
//! A thread's n-th arrival at a barrier belongs to the barrier's n-th round. Without a quorum, a round is complete when every thread of the
//! CTA (or cluster) that uses the barrier has arrived in it; with one, when that many have: those are ordered
//! before everybody's end of waiting, and whoever comes later is before nobody's. A round
//! that is never complete ends no wait: such an execution hangs, and what hangs has no outcome. Must not know memory.

use crate::Bits;
use crate::program::{Instruction, Level, Mode, Operand, Place};
use crate::relation::{add_transitive, members};
use crate::run::{Meeting, Run};
use std::collections::BTreeMap;

/// Which barrier: level, instance, id and round.
type Round = (Level, u64, Bits, usize);

/// What an arrival orders before which end of waiting.
pub type Meetings = Vec<(usize, usize)>;

/// The ways in which the threads can meet; none if they hang. `None` as long as the id or quorum of a barrier is not known.
pub fn meetings(run: &Run, values: &[Option<Bits>]) -> Option<Vec<Meetings>> {
    if run.barriers.is_empty() {
        return Some(vec![Vec::new()]);
    }
    let mut rounds: BTreeMap<(Whose, Round), Vec<Meeting>> = BTreeMap::new();
    let mut counts: BTreeMap<(usize, Level, u64, Bits), (usize, usize)> = BTreeMap::new();
    for meeting in &run.barriers {
        let id = values[meeting.id]?;
        if let Some(quorum) = meeting.quorum {
            values[quorum]?;
        }
        let (level, instance) = about(run, meeting);
        let count = counts.entry((meeting.thread, level, instance, id)).or_default();
        let waits = run.events[meeting.event].kind == crate::event::Kind::Wait;
        let round = if waits { &mut count.1 } else { &mut count.0 };
        let place = run.events[meeting.event].place;
        rounds.entry((Whose::of(level, place), (level, instance, id, *round))).or_default().push(*meeting);
        *round += 1;
    }
    let mut ways = vec![Meetings::new()];
    for ((whose, round), all) in &rounds {
        let choices = round_choices(run, values, *whose, *round, all);
        ways = ways.iter().flat_map(|way| choices.iter().map(|choice| [&way[..], choice].concat())).collect();
    }
    ways.retain(|way| !deadlocks(run, way));
    let unordered = |way: Meetings| way.into_iter().filter(|(a, b)| run.events[*a].orders && run.events[*b].orders);
    Some(ways.into_iter().map(|way| unordered(way).collect()).collect())
}

fn about(run: &Run, meeting: &Meeting) -> (Level, u64) {
    match run.program.threads[meeting.thread].code[meeting.instruction] {
        Instruction::Barrier { level, instance, .. } => (level, instance),
        _ => (Level::Cta, 0),
    }
}

/// The CTA or cluster that a barrier belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Whose(u32, u32, Option<u32>);

impl Whose {
    fn of(level: Level, place: Place) -> Self {
        Whose(place.gpu, place.cluster, (level == Level::Cta).then_some(place.cta))
    }
}

fn round_choices(
    run: &Run,
    values: &[Option<Bits>],
    whose: Whose,
    (level, instance, id, _): Round,
    all: &[Meeting],
) -> Vec<Meetings> {
    let is = |meeting: &&Meeting, kind| run.events[meeting.event].kind == kind;
    let arrivals: Vec<_> = all.iter().filter(|meeting| is(meeting, crate::event::Kind::Arrive)).collect();
    let waits: Vec<_> = all.iter().filter(|meeting| is(meeting, crate::event::Kind::Wait)).collect();
    let quorum = all.iter().filter_map(|meeting| meeting.quorum.and_then(|quorum| values[quorum])).max();
    let between = |arrivals: &[&Meeting], waits: &[&Meeting]| -> Meetings {
        let pairs = arrivals.iter().flat_map(|a| waits.iter().map(move |b| (a, b)));
        pairs.filter(|(a, b)| a.thread != b.thread).map(|(a, b)| (a.event, b.event)).collect()
    };
    match quorum {
        None => {
            let arrived = |thread: usize| arrivals.iter().any(|meeting| meeting.thread == thread);
            let uses = |thread: &usize| uses(run, *thread, level, instance, id);
            let here = |thread: &usize| Whose::of(level, run.program.threads[*thread].place) == whose;
            let complete = (0..run.program.threads.len()).filter(here).filter(uses).all(arrived);
            if complete || waits.is_empty() { vec![between(&arrivals, &waits)] } else { Vec::new() }
        }
        Some(quorum) => {
            let quorum = quorum.min(255) as usize;
            if arrivals.len() < quorum {
                return if waits.is_empty() { vec![Vec::new()] } else { Vec::new() };
            }
            let subsets = (0u128..1 << arrivals.len().min(16)).filter(|set| set.count_ones() as usize == quorum);
            let chosen = |set: u128| {
                let part: Vec<_> = members(set).map(|at| arrivals[at]).collect();
                between(&part, &waits)
            };
            subsets.map(chosen).collect()
        }
    }
}

/// Whether a thread names the barrier in its code, whether or not it comes there.
fn uses(run: &Run, thread: usize, level: Level, instance: u64, id: Bits) -> bool {
    run.program.threads[thread].code.iter().any(|instruction| match instruction {
        Instruction::Barrier { level: l, instance: i, id: Operand::Constant(constant), mode, .. } => {
            (*l, *i, *constant) == (level, instance, id) && *mode != Mode::Wait
        }
        _ => false,
    })
}

/// Whether a thread waits for what only comes after its wait.
fn deadlocks(run: &Run, way: &Meetings) -> bool {
    let mut order = vec![0u128; run.events.len()];
    let mut last = vec![None; run.program.threads.len()];
    for (at, event) in run.events.iter().enumerate() {
        if let Some(thread) = event.thread
            && let Some(before) = last[thread].replace(at)
        {
            add_transitive(&mut order, before, at);
        }
    }
    way.iter().for_each(|(a, b)| {
        add_transitive(&mut order, *a, *b);
    });
    order.iter().enumerate().any(|(at, row)| row >> at & 1 == 1)
}
