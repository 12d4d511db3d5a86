//! The memory model a second time, as literally as can be: guess the value of every read, who wrote it, every order of writes and every
//! order of fences, and check each axiom as it is written. Slow, and right if it is read as it stands.
//!
//! A [`Mutant`] misreads one relation or drops one axiom: a litmus test that tells no difference does not test that.

use emulator::model::{
    Address, Bits, Instruction, Level, Mode, Observable, Operand, Order, Place, Program, Proxy, Reach, Scope,
};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// A misreading of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    None,
    NoCoherence,
    NoFenceSc,
    NoAtomicity,
    NoThinAir,
    NoScPerLocation,
    NoCausalityRf,
    NoCausalityFr,
    /// One-sided scope inclusion is enough.
    ScopeOneSided,
    /// Scopes do not matter.
    ScopeIgnored,
    /// Weak operations are strong.
    WeakIsStrong,
    /// Nothing but operations of one thread is morally strong.
    NothingIsStrong,
    /// The ends of patterns need not be morally strong to each other.
    EndsNotStrong,
    /// A weak read begins an acquire pattern.
    WeakReadAcquires,
    /// A release pattern is one event.
    NoReleaseThroughLocation,
    /// An acquire pattern is one event.
    NoAcquireThroughLocation,
    /// Fences begin no release pattern.
    NoReleaseFence,
    /// Fences end no acquire pattern.
    NoAcquireFence,
    /// `fence.sc` is not acq_rel.
    ScIsNotAcqRel,
    /// `fence.sc` has no order.
    NoSc,
    /// All `fence.sc` are ordered, whatever their scopes.
    ScIgnoresScope,
    /// The read of a `red` takes part in acquire patterns.
    RedAcquires,
    /// Observation does not go through atomics.
    NoObservationThroughRmw,
    /// Observation goes through atomics alone: (ms∩rf ∪ rmw)⁺.
    ObservationStartsAtRmw,
    /// What is observed must be read morally strongly no longer.
    ObservationIsRf,
    /// Cause is base causality, without observation before it.
    NoObservationInCause,
    /// An acquiring atomic has an acquiring write, or none of it: the halves swap.
    HalvesSwapped,
    /// A compare-and-swap that fails writes what it read.
    FailedCasWrites,
    /// Atomics are never torn: no two of them read the same write.
    NeverTorn,
    /// Writes are ordered totally.
    TotalOrder,
    /// The first write need not be first.
    InitAnywhere,
    /// Barriers do not order.
    NoBarrier,
    /// `arrive` is ordered behind the others.
    ArriveWaits,
    /// Barriers work across CTAs.
    BarrierIgnoresCta,
    /// Proxies do not matter.
    ProxiesIgnored,
    /// Proxy fences do nothing.
    NoProxyFence,
    /// A proxy fence works in every CTA.
    ProxyFenceEverywhere,
    /// Alias fences do nothing.
    NoAliasFence,
    /// Aliases are the same address.
    AliasesIgnored,
    /// Control dependencies do not count.
    NoControl,
    /// Data dependencies do not count.
    NoData,
    /// Volatile is weak.
    VolatileIsWeak,
}

pub const MUTANTS: &[Mutant] = &[
    Mutant::NoCoherence,
    Mutant::NoFenceSc,
    Mutant::NoAtomicity,
    Mutant::NoThinAir,
    Mutant::NoScPerLocation,
    Mutant::NoCausalityRf,
    Mutant::NoCausalityFr,
    Mutant::ScopeOneSided,
    Mutant::ScopeIgnored,
    Mutant::WeakIsStrong,
    Mutant::NothingIsStrong,
    Mutant::EndsNotStrong,
    Mutant::WeakReadAcquires,
    Mutant::NoReleaseThroughLocation,
    Mutant::NoAcquireThroughLocation,
    Mutant::NoReleaseFence,
    Mutant::NoAcquireFence,
    Mutant::ScIsNotAcqRel,
    Mutant::NoSc,
    Mutant::ScIgnoresScope,
    Mutant::RedAcquires,
    Mutant::NoObservationThroughRmw,
    Mutant::ObservationStartsAtRmw,
    Mutant::ObservationIsRf,
    Mutant::NoObservationInCause,
    Mutant::HalvesSwapped,
    Mutant::FailedCasWrites,
    Mutant::NeverTorn,
    Mutant::TotalOrder,
    Mutant::InitAnywhere,
    Mutant::NoBarrier,
    Mutant::ArriveWaits,
    Mutant::BarrierIgnoresCta,
    Mutant::ProxiesIgnored,
    Mutant::NoProxyFence,
    Mutant::ProxyFenceEverywhere,
    Mutant::NoAliasFence,
    Mutant::AliasesIgnored,
    Mutant::NoControl,
    Mutant::NoData,
    Mutant::VolatileIsWeak,
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Read,
    Write,
    Fence,
    ProxyFence,
    AliasFence,
    Arrive,
    Wait,
}

#[derive(Clone, Debug)]
struct Event {
    thread: Option<usize>,
    place: Place,
    what: What,
    strong: bool,
    acquire: bool,
    release: bool,
    sc: bool,
    red: bool,
    scope: Scope,
    proxy: Proxy,
    memory: usize,
    address: usize,
    value: Bits,
    /// The index of the other half, within the thread.
    half: Option<usize>,
    /// The reads, by index within the thread, that it depends on.
    needs: BTreeSet<usize>,
    /// Which barrier, and which round.
    round: Option<(Level, u64, Bits, usize)>,
    /// Whether meeting there orders memory.
    orders: bool,
}

/// What a thread does if its reads see certain values.
#[derive(Clone)]
struct Trace {
    events: Vec<Event>,
    registers: Vec<Bits>,
}

type Grid = Vec<Vec<bool>>;

fn grid(n: usize, holds: impl Fn(usize, usize) -> bool) -> Grid {
    (0..n).map(|a| (0..n).map(|b| holds(a, b)).collect()).collect()
}

fn then(a: &Grid, b: &Grid) -> Grid {
    let n = a.len();
    grid(n, |x, z| (0..n).any(|y| a[x][y] && b[y][z]))
}

fn or(a: &Grid, b: &Grid) -> Grid {
    grid(a.len(), |x, y| a[x][y] || b[x][y])
}

fn and(a: &Grid, b: &Grid) -> Grid {
    grid(a.len(), |x, y| a[x][y] && b[x][y])
}

fn plus(a: &Grid) -> Grid {
    let mut all = a.clone();
    for y in 0..a.len() {
        let from_y = all[y].clone();
        for row in &mut all {
            if row[y] {
                row.iter_mut().zip(&from_y).for_each(|(to, through)| *to |= through);
            }
        }
    }
    all
}

fn acyclic(a: &Grid) -> bool {
    let all = plus(a);
    (0..a.len()).all(|x| !all[x][x])
}

/// The outcomes of a program; `None` if it is too large for this way of finding them.
pub fn outcomes(program: &Program, observed: &[Observable], mutant: Mutant) -> Option<BTreeSet<Vec<Bits>>> {
    let mut values: BTreeSet<Bits> = program.locations.iter().map(|location| location.init).collect();
    let mut traces: Vec<Vec<Trace>>;
    // Which threads make up a quorum is not guessed here.
    let quorum = |instruction: &Instruction| matches!(instruction, Instruction::Barrier { quorum: Some(_), .. });
    if program.threads.iter().any(|thread| thread.code.iter().any(quorum)) {
        return None;
    }
    // The values that can be read are those that can be written; a chain of values visits no instruction twice.
    let most = program.threads.iter().map(|thread| thread.code.len()).sum::<usize>() + 1;
    for round in 0.. {
        traces = Vec::new();
        for thread in 0..program.threads.len() {
            let mut found = Vec::new();
            run(program, thread, &values, mutant, &mut Vec::new(), &mut found)?;
            traces.push(found);
        }
        let written = traces.iter().flatten().flat_map(|trace| &trace.events);
        let more: BTreeSet<Bits> = written.filter(|event| event.what == What::Write).map(|event| event.value).collect();
        let before = values.len();
        values.extend(more);
        if values.len() > 12 {
            return None;
        }
        if values.len() == before || round > most {
            return combine(program, &traces, observed, mutant);
        }
    }
    None
}

/// Runs a thread for every choice of the values that it reads.
fn run(
    program: &Program,
    thread: usize,
    values: &BTreeSet<Bits>,
    mutant: Mutant,
    chosen: &mut Vec<Bits>,
    found: &mut Vec<Trace>,
) -> Option<()> {
    if found.len() > 20_000 || chosen.len() > 8 {
        return None;
    }
    match follow(program, thread, chosen, mutant) {
        Follow::Needs => {
            for value in values {
                chosen.push(*value);
                run(program, thread, values, mutant, chosen, found)?;
                chosen.pop();
            }
        }
        Follow::Ends(trace) => found.push(trace),
        Follow::Endless => {}
    }
    Some(())
}

enum Follow {
    Ends(Trace),
    Needs,
    Endless,
}

fn follow(program: &Program, thread: usize, reads: &[Bits], mutant: Mutant) -> Follow {
    let this = &program.threads[thread];
    let mut registers: Vec<(Bits, BTreeSet<usize>)> =
        this.registers.iter().map(|register| (register.init, BTreeSet::new())).collect();
    let mut events: Vec<Event> = Vec::new();
    let mut control: BTreeSet<usize> = BTreeSet::new();
    let mut rounds: BTreeMap<(Level, u64, Bits, bool), usize> = BTreeMap::new();
    let (mut at, mut steps, mut next_read) = (0, 0, 0);
    let blank = |what| Event {
        thread: Some(thread),
        place: this.place,
        what,
        strong: false,
        acquire: false,
        release: false,
        sc: false,
        red: false,
        scope: Scope::Cta,
        proxy: Proxy::Generic,
        memory: usize::MAX,
        address: usize::MAX,
        value: 0,
        half: None,
        needs: BTreeSet::new(),
        round: None,
        orders: true,
    };
    while let Some(instruction) = this.code.get(at) {
        steps += 1;
        if steps > 24 {
            return Follow::Endless;
        }
        let get = |registers: &[(Bits, BTreeSet<usize>)], operand: &Operand| match operand {
            Operand::Register(register) => registers[*register].clone(),
            Operand::Constant(value) => (*value, BTreeSet::new()),
        };
        let place = |registers: &[(Bits, BTreeSet<usize>)], address: &Address| {
            Some(match address {
                Address::Location(location) => (*location, BTreeSet::new()),
                Address::Register(register, offset) => {
                    let (base, needs) = registers[*register].clone();
                    (program.at((base as u64).wrapping_add_signed(*offset), 8)?, needs)
                }
            })
        };
        let on = |mut event: Event, location: usize| {
            event.memory = program.physical(location);
            event.address = match mutant {
                Mutant::AliasesIgnored => event.memory,
                _ => program.generic(location),
            };
            event
        };
        let qualified = |what, order: Order, scope, proxy| {
            let mut event = blank(what);
            event.strong = order != Order::Weak || mutant == Mutant::WeakIsStrong;
            (event.scope, event.proxy) = (scope, if mutant == Mutant::ProxiesIgnored { Proxy::Generic } else { proxy });
            if mutant == Mutant::VolatileIsWeak && order == Order::Relaxed && scope == Scope::Sys {
                event.strong = false;
            }
            let (reads, writes) = match mutant {
                Mutant::HalvesSwapped => (What::Write, What::Read),
                _ => (What::Read, What::Write),
            };
            event.acquire = what == reads && matches!(order, Order::Acquire | Order::AcqRel);
            event.release = what == writes && matches!(order, Order::Release | Order::AcqRel);
            event
        };
        at += 1;
        match instruction {
            Instruction::Compute { to, alu, a, b } => {
                let ((a, mut needs), (b, more)) = (get(&registers, a), get(&registers, b));
                needs.extend(more);
                registers[*to] = (alu.apply(a, b), needs);
            }
            Instruction::Select { to, when, a, b } => {
                let [when, a, b] = [when, a, b].map(|operand| get(&registers, operand));
                let needs = [&when.1, &a.1, &b.1].into_iter().flatten().copied().collect();
                registers[*to] = (if when.0 != 0 { a.0 } else { b.0 }, needs);
            }
            Instruction::Load { to, at: address, access, .. } => {
                let Some(value) = reads.get(next_read) else { return Follow::Needs };
                next_read += 1;
                // A value that nobody writes here may be no address.
                let Some((location, needs)) = place(&registers, address) else { return Follow::Endless };
                let mut event = on(qualified(What::Read, access.order, access.scope, access.proxy), location);
                event.acquire = access.order == Order::Acquire;
                (event.value, event.needs) = (*value, needs.union(&control).copied().collect());
                if let Some(to) = to {
                    registers[*to] = (*value, [events.len()].into());
                }
                events.push(event);
            }
            Instruction::Store { at: address, value, access, .. } => {
                // A value that nobody writes here may be no address.
                let Some((location, needs)) = place(&registers, address) else { return Follow::Endless };
                let (value, more) = get(&registers, value);
                let mut event = on(qualified(What::Write, access.order, access.scope, access.proxy), location);
                event.release = access.order == Order::Release;
                event.value = value;
                event.needs = needs.into_iter().chain(more).chain(control.iter().copied()).collect();
                events.push(event);
            }
            Instruction::Update { to, at: address, update, b, c, access, reduction, .. } => {
                let Some(old) = reads.get(next_read) else { return Follow::Needs };
                next_read += 1;
                // A value that nobody writes here may be no address.
                let Some((location, needs)) = place(&registers, address) else { return Follow::Endless };
                let ((b, b_needs), (c, c_needs)) = (get(&registers, b), get(&registers, c));
                let mut read = on(qualified(What::Read, access.order, access.scope, access.proxy), location);
                read.red = *reduction;
                (read.value, read.needs) = (*old, needs.union(&control).copied().collect());
                let half = events.len();
                let base: BTreeSet<usize> = read.needs.clone();
                let new = update.apply(*old, b, c);
                let new = if mutant == Mutant::FailedCasWrites { new.or(Some(*old)) } else { new };
                if let Some(value) = new {
                    read.half = Some(half + 1);
                    events.push(read);
                    let mut write = on(qualified(What::Write, access.order, access.scope, access.proxy), location);
                    (write.red, write.value, write.half) = (*reduction, value, Some(half));
                    write.needs = base.into_iter().chain(b_needs).chain(c_needs).collect();
                    if update.depends() {
                        write.needs.insert(half);
                    }
                    events.push(write);
                } else {
                    events.push(read);
                }
                if let Some(to) = to {
                    registers[*to] = (*old, [half].into());
                }
            }
            Instruction::Fence(reach) => {
                let mut event = blank(What::Fence);
                event.strong = true;
                match *reach {
                    Reach::Acquire(scope) => (event.acquire, event.scope) = (true, scope),
                    Reach::Release(scope) => (event.release, event.scope) = (true, scope),
                    Reach::AcqRel(scope) => (event.acquire, event.release, event.scope) = (true, true, scope),
                    Reach::Sc(scope) => {
                        let both = mutant != Mutant::ScIsNotAcqRel;
                        (event.acquire, event.release, event.sc, event.scope) = (both, both, true, scope);
                    }
                    Reach::Proxy(proxy) => (event.what, event.proxy, event.strong) = (What::ProxyFence, proxy, false),
                    Reach::Alias => (event.what, event.strong) = (What::AliasFence, false),
                }
                events.push(event);
            }
            Instruction::Barrier { level, instance, id, mode, quorum: None, orders } => {
                let (id, _) = get(&registers, id);
                for (what, does) in [(What::Arrive, *mode != Mode::Wait), (What::Wait, *mode != Mode::Arrive)] {
                    if does || mutant == Mutant::ArriveWaits {
                        let round = rounds.entry((*level, *instance, id, what == What::Wait)).or_default();
                        let mut event = blank(what);
                        event.round = Some((*level, *instance, id, *round));
                        event.orders = *orders;
                        events.push(event);
                        *round += 1;
                    }
                }
            }
            Instruction::Barrier { quorum: Some(_), .. } => return Follow::Endless,
            Instruction::Branch { when: None, target, .. } => at = *target,
            Instruction::Branch { when: Some((compare, a, b)), target, .. } => {
                let ((a, needs), (b, more)) = (get(&registers, a), get(&registers, b));
                if mutant != Mutant::NoControl {
                    control.extend(needs.into_iter().chain(more));
                }
                if compare.holds(a, b) {
                    at = *target;
                }
            }
        }
    }
    Follow::Ends(Trace { events, registers: registers.into_iter().map(|(value, _)| value).collect() })
}

fn combine(
    program: &Program,
    traces: &[Vec<Trace>],
    observed: &[Observable],
    mutant: Mutant,
) -> Option<BTreeSet<Vec<Bits>>> {
    let mut found = BTreeSet::new();
    let count: usize = traces.iter().map(Vec::len).product();
    if count > 300_000 {
        return None;
    }
    for number in 0..count {
        let mut rest = number;
        let mut chosen = Vec::new();
        for choices in traces {
            chosen.push(&choices[rest % choices.len()]);
            rest /= choices.len();
        }
        check(program, &chosen, observed, mutant, &mut found)?;
    }
    Some(found)
}

/// One choice of what each thread does.
fn check(
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
            events.push(Event {
                thread: None,
                place: Place::default(),
                what: What::Write,
                strong: false,
                acquire: false,
                release: false,
                sc: false,
                red: false,
                scope: Scope::Sys,
                proxy: Proxy::Generic,
                memory: at,
                address: at,
                value: location.init,
                half: None,
                needs: BTreeSet::new(),
                round: None,
                orders: true,
            });
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
            if mutant != Mutant::NoFenceSc && grid_any(&sc, |a, b| base[b][a]) {
                continue;
            }
            let ppcb = preserved(e, &base, mutant);
            let cause = match mutant {
                Mutant::NoObservationInCause => ppcb.clone(),
                _ => or(&ppcb, &then(&obs, &ppcb)),
            };
            if mutant != Mutant::NoCausalityRf && grid_any(&rf, |a, b| cause[b][a]) {
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

fn grid_any(a: &Grid, holds: impl Fn(usize, usize) -> bool) -> bool {
    (0..a.len()).any(|x| (0..a.len()).any(|y| a[x][y] && holds(x, y)))
}

/// Who is ordered before whom by barriers; `None` if somebody waits for ever.
fn meet(program: &Program, e: &[Event], mutant: Mutant) -> Option<Grid> {
    let n = e.len();
    let together = |a: usize, b: usize| match e[a].round {
        Some((Level::Cta, ..)) if mutant != Mutant::BarrierIgnoresCta => e[a].place == e[b].place,
        Some((Level::Cta, ..)) => true,
        _ => e[a].place.gpu == e[b].place.gpu && e[a].place.cluster == e[b].place.cluster,
    };
    for a in (0..n).filter(|at| e[*at].what == What::Wait) {
        let Some((level, instance, id, _)) = e[a].round else { continue };
        for (thread, other) in program.threads.iter().enumerate() {
            let uses = other.code.iter().any(|instruction| match instruction {
                Instruction::Barrier { level: l, instance: i, id: Operand::Constant(known), mode, .. } => {
                    (*l, *i, *known) == (level, instance, id) && *mode != Mode::Wait
                }
                _ => false,
            });
            let near = match level {
                Level::Cta => other.place == e[a].place,
                Level::Cluster => other.place.gpu == e[a].place.gpu && other.place.cluster == e[a].place.cluster,
            };
            let comes = e.iter().any(|x| x.what == What::Arrive && x.thread == Some(thread) && x.round == e[a].round);
            if uses && near && !comes {
                return None;
            }
        }
    }
    Some(grid(n, |a, b| {
        e[a].what == What::Arrive
            && e[b].what == What::Wait
            && e[a].thread != e[b].thread
            && e[a].round == e[b].round
            && together(a, b)
    }))
}

#[expect(clippy::too_many_arguments, reason = "the relations, by the names that the model gives them")]
fn causality(
    e: &[Event],
    po: &Grid,
    near: &Grid,
    ms: &Grid,
    rf: &Grid,
    rmw: &Grid,
    sc: &Grid,
    barrier: &Grid,
    mutant: Mutant,
) -> (Grid, Grid) {
    let n = e.len();
    let strong_rf = if mutant == Mutant::ObservationIsRf { rf.clone() } else { and(ms, rf) };
    let mut obs = strong_rf.clone();
    match mutant {
        Mutant::NoObservationThroughRmw => {}
        Mutant::ObservationStartsAtRmw => obs = plus(&or(&strong_rf, rmw)),
        _ => loop {
            let more = or(&obs, &then(&then(&obs, rmw), &obs));
            if more == obs {
                break;
            }
            obs = more;
        },
    }
    let release = grid(n, |a, b| {
        let end = e[b].what == What::Write && e[b].strong;
        let through = near[a][b] && mutant != Mutant::NoReleaseThroughLocation;
        let write = e[a].what == What::Write && e[a].release && (a == b || through);
        let fence = e[a].what == What::Fence && e[a].release && po[a][b] && mutant != Mutant::NoReleaseFence;
        end && (write || fence)
    });
    let may = |at: usize| !e[at].red || mutant == Mutant::RedAcquires;
    let acquire = grid(n, |a, b| {
        let strong = e[a].strong || mutant == Mutant::WeakReadAcquires;
        let start = e[a].what == What::Read && strong && may(a);
        let through = near[a][b] && mutant != Mutant::NoAcquireThroughLocation;
        let read = e[b].what == What::Read && e[b].acquire && may(b) && (a == b || through);
        let fence = e[b].what == What::Fence && e[b].acquire && po[a][b] && mutant != Mutant::NoAcquireFence;
        start && (read || fence)
    });
    let patterns = then(&then(&release, &obs), &acquire);
    let patterns = if mutant == Mutant::EndsNotStrong { patterns } else { and(&patterns, ms) };
    let sync = or(&or(&patterns, sc), barrier);
    (obs, plus(&or(po, &sync)))
}

fn preserved(e: &[Event], base: &Grid, mutant: Mutant) -> Grid {
    let n = e.len();
    let memory = |at: usize| matches!(e[at].what, What::Read | What::Write);
    let generic = |at: usize| e[at].proxy == Proxy::Generic;
    let same_address = |a: usize, b: usize| e[a].memory == e[b].memory && e[a].address == e[b].address;
    let is_fence = |f: usize| e[f].what == What::ProxyFence && mutant != Mutant::NoProxyFence;
    let serves = |f: usize, at: usize| {
        let near = e[f].place == e[at].place || mutant == Mutant::ProxyFenceEverywhere;
        is_fence(f) && e[f].proxy == e[at].proxy && near
    };
    let joint = |f: usize| e[f].what == What::AliasFence && mutant != Mutant::NoAliasFence;
    grid(n, |a, b| {
        if !memory(a) || !memory(b) || e[a].memory != e[b].memory {
            return false;
        }
        let starts: Vec<usize> = (0..n).filter(|f| serves(*f, a) && base[a][*f]).collect();
        let ends: Vec<usize> = (0..n).filter(|f| serves(*f, b) && base[*f][b]).collect();
        if same_address(a, b) {
            (generic(a) && generic(b) && base[a][b])
                || (e[a].proxy == e[b].proxy && e[a].place == e[b].place && base[a][b])
                || (generic(b) && starts.iter().any(|f| base[*f][b]))
                || (generic(a) && ends.iter().any(|f| base[a][*f]))
                || starts.iter().any(|f| ends.iter().any(|g| f == g || base[*f][*g]))
        } else {
            (0..n).filter(|j| joint(*j)).any(|j| {
                let into = generic(a) && base[a][j] || starts.iter().any(|f| base[*f][j]);
                let out = generic(b) && base[j][b] || ends.iter().any(|f| base[j][*f]);
                into && out
            })
        }
    })
}

/// Every transitive irreflexive order of the writes of a memory in which the first value is first.
fn orders(writes: &[usize], n: usize, mutant: Mutant) -> Vec<Grid> {
    let free: Vec<(usize, usize)> = writes
        .iter()
        .enumerate()
        .flat_map(|(at, a)| writes[at + 1..].iter().map(move |b| (*a, *b)))
        .filter(|(a, _)| *a != writes[0] || mutant == Mutant::InitAnywhere)
        .collect();
    let mut all = Vec::new();
    for number in 0..3usize.pow(free.len() as u32) {
        let mut co = grid(n, |a, b| a == writes[0] && b != a && writes.contains(&b) && mutant != Mutant::InitAnywhere);
        let mut rest = number;
        let mut total = true;
        for (a, b) in &free {
            match rest % 3 {
                0 => total = false,
                1 => co[*a][*b] = true,
                _ => co[*b][*a] = true,
            }
            rest /= 3;
        }
        if (total || mutant != Mutant::TotalOrder) && plus(&co) == co {
            all.push(co);
        }
    }
    all
}

#[expect(clippy::too_many_arguments, reason = "the relations, by the names that the model gives them")]
fn holds(
    e: &[Event],
    writes: &[usize],
    co: &Grid,
    rf: &Grid,
    ms: &Grid,
    rmw: &Grid,
    near: &Grid,
    cause: &Grid,
    memory: usize,
    mutant: Mutant,
) -> bool {
    let n = e.len();
    if writes.iter().any(|a| writes.iter().any(|b| a != b && ms[*a][*b] && !co[*a][*b] && !co[*b][*a])) {
        return false;
    }
    let here = |at: usize| e[at].memory == memory;
    let fr = grid(n, |read, write| {
        here(read) && here(write) && writes.iter().any(|from| rf[*from][read] && co[*from][write])
    });
    if mutant != Mutant::NoCoherence && writes.iter().any(|a| writes.iter().any(|b| cause[*a][*b] && !co[*a][*b])) {
        return false;
    }
    // Where coherence leaves writes unordered, "between" alone tells nothing: that two atomics read one write does.
    let whole = |a: usize, b: usize| {
        a != b && (0..n).any(|w| rf[w][a] && rf[w][b]) && [a, b].iter().all(|read| rmw[*read].contains(&true))
    };
    if mutant == Mutant::NeverTorn && (0..n).any(|a| here(a) && (0..n).any(|b| whole(a, b))) {
        return false;
    }
    let (strong_fr, strong_co) = (and(ms, &fr), and(ms, co));
    let between = |read: usize, write: usize| (0..n).any(|x| x != write && strong_fr[read][x] && strong_co[x][write]);
    if mutant != Mutant::NoAtomicity && grid_any(rmw, |a, b| here(a) && between(a, b)) {
        return false;
    }
    let communication =
        grid(n, |a, b| here(a) && here(b) && (near[a][b] || ms[a][b] && (rf[a][b] || co[a][b] || fr[a][b])));
    if mutant != Mutant::NoScPerLocation && !acyclic(&communication) {
        return false;
    }
    mutant == Mutant::NoCausalityFr || !grid_any(&fr, |a, b| cause[b][a])
}
