//! Checks one choice of thread traces: enumerates reads-from and all orders, and tests each against the axioms.

use super::axioms::{holds, orders};
use super::grid::{self, acyclic, grid, or, then};
use super::mutant::Mutant;
use super::relations::{causality, meet, preserved};
use super::trace::{Event, Trace, What};
use memory_model::{Bits, Observable, Program, ThreadPosition};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// One choice of what each thread does.
pub fn check(
    program: &Program,
    traces: &[&Trace],
    observed: &[Observable],
    mutant: Mutant,
    found: &mut BTreeSet<Vec<Bits>>,
) -> Option<()> {
    let guessed = |read: &Event| {
        let start = &program.locations[read.memory].init;
        let fits =
            |event: &Event| event.what == What::Write && (event.memory, event.value) == (read.memory, read.value);
        *start == read.value || traces.iter().any(|trace| trace.events.iter().any(fits))
    };
    if !traces.iter().all(|trace| trace.events.iter().filter(|event| event.what == What::Read).all(guessed)) {
        return Some(());
    }
    let mut events = Vec::new();
    for (at, location) in program.locations.iter().enumerate() {
        if location.alias.is_none() {
            let mut event = Event::new(What::Write, None, ThreadPosition::default());
            (event.memory, event.address, event.value) = (at, at, location.init);
            events.push(event);
        }
    }
    for trace in traces {
        let start = events.len();
        for event in &trace.events {
            let mut event = event.clone();
            event.half = event.half.map(|half| half + start);
            event.needs = event.needs.iter().map(|need| need + start).collect();
            events.push(event);
        }
    }
    let n = events.len();
    let e = &events;
    let same_memory = |a: usize, b: usize| e[a].memory == e[b].memory && e[a].memory != usize::MAX;
    let same_address = |a: usize, b: usize| same_memory(a, b) && e[a].address == e[b].address;
    let reads: Vec<usize> = (0..n).filter(|at| e[*at].what == What::Read).collect();
    let sources: Vec<Vec<usize>> = reads
        .iter()
        .map(|read| {
            let fits = |w: &usize| e[*w].what == What::Write && same_memory(*read, *w) && e[*w].value == e[*read].value;
            (0..n).filter(fits).collect()
        })
        .collect();
    if sources.iter().any(Vec::is_empty) {
        return Some(());
    }
    let po = grid(n, |a, b| a < b && e[a].thread.is_some() && e[a].thread == e[b].thread);
    let includes = |a: usize, b: usize| match mutant {
        Mutant::ScopeIgnored => true,
        _ => e[a].place.includes(e[a].scope, e[b].place),
    };
    let ms = grid(n, |a, b| {
        let same_thread = e[a].thread.is_some() && e[a].thread == e[b].thread;
        let both = match mutant {
            Mutant::ScopeOneSided => includes(a, b) || includes(b, a),
            Mutant::NothingIsStrong => false,
            Mutant::ScIgnoresScope if e[a].sc && e[b].sc => true,
            _ => includes(a, b) && includes(b, a),
        };
        let threads = e[a].thread.is_some() && e[b].thread.is_some();
        let memory = e[a].memory != usize::MAX && e[b].memory != usize::MAX;
        a != b
            && (same_thread || threads && e[a].strong && e[b].strong && both)
            && e[a].proxy == e[b].proxy
            && (!memory || same_address(a, b))
    });
    let near = grid(n, |a, b| po[a][b] && same_address(a, b) && e[a].proxy == e[b].proxy);
    let Some(barrier) = meet(program, e, mutant) else { return Some(()) };
    let order = grid(n, |a, b| po[a][b] || barrier[a][b]);
    if !acyclic(&order) {
        return Some(());
    }
    let barrier = grid(n, |a, b| barrier[a][b] && e[a].orders && e[b].orders && mutant != Mutant::NoBarrier);
    let rmw = grid(n, |a, b| e[a].what == What::Read && e[a].half == Some(b));
    let dep = grid(n, |a, b| {
        e[b].needs.contains(&a) && (mutant != Mutant::NoData || e[b].what != What::Write || e[b].half.is_some())
    });
    let sc_pairs: Vec<(usize, usize)> = (0..n)
        .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
        .filter(|(a, b)| e[*a].sc && e[*b].sc && ms[*a][*b] && mutant != Mutant::NoSc)
        .collect();
    if sc_pairs.len() > 6 {
        return None;
    }
    let outcomes = |last: &[Vec<Bits>]| {
        let mut all = vec![Vec::new()];
        for observable in observed {
            let values = match observable {
                Observable::Register(thread, register) => vec![traces[*thread].registers[*register]],
                Observable::Location(location) => last[program.physical(*location)].clone(),
            };
            all = all.iter().flat_map(|start| values.iter().map(|value| [&start[..], &[*value]].concat())).collect();
        }
        all
    };
    let choices: usize = sources.iter().map(Vec::len).product();
    if choices > 20_000 {
        return None;
    }
    let mut memories = Vec::new();
    for memory in (0..program.locations.len()).filter(|at| program.locations[*at].alias.is_none()) {
        let writes: Vec<usize> = (0..n).filter(|at| e[*at].what == What::Write && e[*at].memory == memory).collect();
        if writes.len() > 5 {
            return None;
        }
        memories.push((memory, writes, OnceCell::new()));
    }
    for number in 0..choices {
        let mut rest = number;
        let mut rf = grid(n, |_, _| false);
        for (read, sources) in reads.iter().zip(&sources) {
            rf[sources[rest % sources.len()]][*read] = true;
            rest /= sources.len();
        }
        if mutant != Mutant::NoThinAir && !acyclic(&or(&rf, &dep)) {
            continue;
        }
        for bits in 0..1usize << sc_pairs.len() {
            let mut sc = grid(n, |_, _| false);
            for (at, (a, b)) in sc_pairs.iter().enumerate() {
                if bits >> at & 1 == 0 { sc[*a][*b] = true } else { sc[*b][*a] = true }
            }
            if !acyclic(&sc) {
                continue;
            }
            let (obs, base) = causality(e, &po, &near, &ms, &rf, &rmw, &sc, &barrier, mutant);
            if mutant != Mutant::NoFenceSc && grid::any(&sc, |a, b| base[b][a]) {
                continue;
            }
            let ppcb = preserved(e, &base, mutant);
            let cause = match mutant {
                Mutant::NoObservationInCause => ppcb.clone(),
                _ => or(&ppcb, &then(&obs, &ppcb)),
            };
            if mutant != Mutant::NoCausalityRf && grid::any(&rf, |a, b| cause[b][a]) {
                continue;
            }
            // No axiom and no outcome speaks of two memories at once, so each memory's order is found for itself.
            let mut last = vec![Vec::new(); program.locations.len()];
            let mut possible = true;
            for (memory, writes, all) in &memories {
                let mut values = BTreeSet::new();
                for co in all.get_or_init(|| orders(writes, n, mutant)) {
                    if holds(e, writes, co, &rf, &ms, &rmw, &near, &cause, *memory, mutant) {
                        let maximal = writes.iter().filter(|w| writes.iter().all(|x| !co[**w][*x]));
                        values.extend(maximal.map(|at| e[*at].value));
                    }
                }
                possible &= !values.is_empty();
                last[*memory] = values.into_iter().collect();
            }
            if possible {
                found.extend(outcomes(&last));
            }
        }
    }
    Some(())
}
