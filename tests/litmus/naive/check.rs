//! Checks one choice of thread traces: enumerates reads-from and all orders, and tests each against the axioms.

use super::axioms::{holds, orders};
use super::event::{Event, What};
use super::grid::{self, Grid, acyclic, grid, or, then};
use super::mutant::Mutant;
use super::relations::{FixedRelations, Orders, causality, initialized, preserved, same_memory};
use super::trace::Trace;
use memory_model::{Bits, Observable, Program, ThreadPosition};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// The last values of each memory.
pub type LastValues = Vec<Vec<Bits>>;

/// Adds the outcomes of one trace per thread; `None` if there are too many combinations.
pub fn check(
    program: &Program,
    traces: &[&Trace],
    observed: &[Observable],
    mutant: Mutant,
    found: &mut BTreeSet<Vec<Bits>>,
) -> Option<()> {
    each_execution(program, traces, mutant, &mut |fixed, memories, rf, sc| {
        if let Some(last) = last_values(program, fixed, memories, (rf, sc), &|_, _| true, mutant) {
            found.extend(outcomes(program, traces, observed, &last));
        }
    })
}

/// Called with the fixed relations, the orders of each memory, reads-from, and the order of fences.
pub type VisitExecution<'v> = &'v mut dyn FnMut(&FixedRelations, &[MemoryOrders], &Grid, &Grid);

/// Calls back with each choice of reads-from and of the order of fences; `None` if there are too many.
pub fn each_execution(program: &Program, traces: &[&Trace], mutant: Mutant, visit: VisitExecution) -> Option<()> {
    if !issued(program, traces) || !reads_have_values(program, traces) {
        return Some(());
    }
    let events = events(program, traces);
    let reads: Vec<usize> = (0..events.len()).filter(|at| events[*at].what == What::Read).collect();
    let sources: Vec<Vec<usize>> = reads.iter().map(|read| sources(&events, *read)).collect();
    if sources.iter().any(Vec::is_empty) {
        return Some(());
    }
    let events = with_issue_dependencies(events);
    let Some(fixed) = FixedRelations::new(program, events, mutant) else { return Some(()) };
    let sc_pairs = fixed.sc_pairs(mutant);
    let choices: usize = sources.iter().map(Vec::len).product();
    if sc_pairs.len() > 6 || choices > 20_000 {
        return None;
    }
    let memories = memories(program, &fixed.events)?;
    for number in 0..choices {
        let rf = reads_from(fixed.events.len(), &reads, &sources, number);
        if mutant != Mutant::NoThinAir && !acyclic(&or(&rf, &fixed.dep)) {
            continue;
        }
        for bits in 0..1usize << sc_pairs.len() {
            let sc = fence_order(fixed.events.len(), &sc_pairs, bits);
            if acyclic(&sc) {
                visit(&fixed, &memories, &rf, &sc);
            }
        }
    }
    Some(())
}

/// Whether each asynchronous operation happens once if it is issued, and else not.
fn issued(program: &Program, traces: &[&Trace]) -> bool {
    (0..traces.len()).filter(|thread| program.threads[*thread].issuer.is_some()).all(|thread| {
        let issues = |trace: &&Trace| trace.events.iter().filter(|event| event.issues == Some(thread)).count();
        traces.iter().map(issues).sum::<usize>() == usize::from(!traces[thread].events.is_empty())
    })
}

/// Whether every value that is read is an initial value or written by a trace.
fn reads_have_values(program: &Program, traces: &[&Trace]) -> bool {
    let has_value = |read: &Event| {
        let is_source =
            |event: &Event| event.what == What::Write && (event.memory, event.value) == (read.memory, read.value);
        !program.locations[read.memory].is_register && program.locations[read.memory].init == read.value
            || traces.iter().any(|trace| trace.events.iter().any(is_source))
    };
    traces.iter().all(|trace| trace.events.iter().filter(|event| event.what == What::Read).all(has_value))
}

/// The initial writes, and the events of all traces.
fn events(program: &Program, traces: &[&Trace]) -> Vec<Event> {
    let mut events = Vec::new();
    for (at, location) in program.locations.iter().enumerate() {
        if location.has_initial_value() {
            let mut event = Event::new(What::Write, None, ThreadPosition::default());
            (event.memory, event.address, event.value) = (at, at, location.init);
            events.push(event);
        }
    }
    for trace in traces {
        let start = events.len();
        for event in &trace.events {
            let mut event = event.clone();
            event.endless = trace.wait.is_some();
            event.half = event.half.map(|half| half + start);
            event.needs = event.needs.iter().map(|need| need + start).collect();
            events.push(event);
        }
    }
    events
}

/// What an operation does depends on what its issue depends on.
fn with_issue_dependencies(mut events: Vec<Event>) -> Vec<Event> {
    let issues: Vec<(usize, BTreeSet<usize>)> =
        events.iter().filter_map(|event| Some((event.issues?, event.needs.clone()))).collect();
    for (thread, needs) in issues {
        events.iter_mut().filter(|event| event.thread == Some(thread)).for_each(|event| event.needs.extend(&needs));
    }
    events
}

/// The writes of the value that a read reads.
fn sources(events: &[Event], read: usize) -> Vec<usize> {
    let read = &events[read];
    let is_source = |write: &Event| write.what == What::Write && same_memory(read, write) && write.value == read.value;
    (0..events.len()).filter(|at| is_source(&events[*at])).collect()
}

/// A memory, its writes, and the orders of those, computed on first use.
pub type MemoryOrders = (usize, Vec<usize>, OnceCell<Vec<Grid>>);

/// The writes of each memory; `None` if there are too many.
fn memories(program: &Program, events: &[Event]) -> Option<Vec<MemoryOrders>> {
    let all = (0..program.locations.len()).filter(|at| program.locations[*at].alias.is_none());
    all.map(|memory| {
        let is_write = |at: &usize| events[*at].what == What::Write && events[*at].memory == memory;
        let writes: Vec<usize> = (0..events.len()).filter(is_write).collect();
        (writes.len() <= 5).then(|| (memory, writes, OnceCell::new()))
    })
    .collect()
}

/// The choice of reads-from with a number.
fn reads_from(n: usize, reads: &[usize], sources: &[Vec<usize>], number: usize) -> Grid {
    let mut rest = number;
    let mut rf = grid(n, |_, _| false);
    for (read, sources) in reads.iter().zip(sources) {
        rf[sources[rest % sources.len()]][*read] = true;
        rest /= sources.len();
    }
    rf
}

/// An order of the pairs of `fence.sc`: each bit is the direction of one pair.
fn fence_order(n: usize, pairs: &[(usize, usize)], bits: usize) -> Grid {
    let mut sc = grid(n, |_, _| false);
    for (at, (a, b)) in pairs.iter().enumerate() {
        if bits >> at & 1 == 0 { sc[*a][*b] = true } else { sc[*b][*a] = true }
    }
    sc
}

/// The possible last values of each memory, with orders of its writes that are accepted; `None` if the choice violates an axiom.
pub fn last_values(
    program: &Program,
    fixed: &FixedRelations,
    memories: &[MemoryOrders],
    (rf, sc): (&Grid, &Grid),
    accept: &dyn Fn(usize, &Grid) -> bool,
    mutant: Mutant,
) -> Option<LastValues> {
    let Orders { observation, base, overwrites } = causality(fixed, rf, sc, mutant);
    if mutant != Mutant::NoFenceSc && grid::any(sc, |a, b| base[b][a]) {
        return None;
    }
    let ppcb = or(&preserved(&fixed.events, &base, &fixed.issue, mutant), &initialized(fixed, &base));
    let cause = match mutant {
        Mutant::NoObservationInCause => ppcb.clone(),
        _ => or(&ppcb, &then(&observation, &ppcb)),
    };
    if mutant != Mutant::NoCausalityRf && grid::any(rf, |a, b| cause[b][a] || overwrites[b][a]) {
        return None;
    }
    // No axiom and no outcome relates two memories, so the order of each memory is found separately.
    let mut last = vec![Vec::new(); program.locations.len()];
    // Nothing writes to a register of an operation that is not issued.
    for (memory, writes, all) in memories.iter().filter(|(_, writes, _)| !writes.is_empty()) {
        let mut values = BTreeSet::new();
        for co in all.get_or_init(|| orders(writes, fixed.events.len(), mutant)) {
            if accept(*memory, co) && holds(fixed, writes, co, rf, &cause, *memory, mutant) {
                let maximal = writes.iter().filter(|w| writes.iter().all(|x| !co[**w][*x]));
                values.extend(maximal.map(|at| fixed.events[*at].value));
            }
        }
        if values.is_empty() {
            return None;
        }
        last[*memory] = values.into_iter().collect();
    }
    Some(last)
}

/// All combinations of the observed values.
fn outcomes(program: &Program, traces: &[&Trace], observed: &[Observable], last: &LastValues) -> Vec<Vec<Bits>> {
    let mut all = vec![Vec::new()];
    for observable in observed {
        let values = match observable {
            Observable::Register(thread, register) => vec![traces[*thread].registers[*register]],
            Observable::Location(location) => last[program.physical(*location)].clone(),
        };
        all = all.iter().flat_map(|start| values.iter().map(|value| [&start[..], &[*value]].concat())).collect();
    }
    all
}
