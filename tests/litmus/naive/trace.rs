//! Traces of a thread, for every guess of the values that it reads.

use super::mutant::Mutant;
use memory_model::{
    BarrierLevel, BarrierMode, Bits, FenceKind, ModelAddress, ModelInstruction, ModelOperand, Program, Proxy, Scope,
    Sem, ThreadPosition,
};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    Read,
    Write,
    Fence,
    ProxyFence,
    AliasFence,
    Arrive,
    Wait,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub thread: Option<usize>,
    pub place: ThreadPosition,
    pub what: What,
    pub strong: bool,
    pub acquire: bool,
    pub release: bool,
    pub sc: bool,
    pub red: bool,
    pub scope: Scope,
    pub proxy: Proxy,
    pub memory: usize,
    pub address: usize,
    pub value: Bits,
    /// The index of the other half, within the thread.
    pub half: Option<usize>,
    /// The reads, by index within the thread, that it depends on.
    pub needs: BTreeSet<usize>,
    /// Which barrier, and which round.
    pub round: Option<(BarrierLevel, u64, Bits, usize)>,
    /// Whether meeting there orders memory.
    pub orders: bool,
}

impl Event {
    /// One of which nothing more is known.
    pub fn new(what: What, thread: Option<usize>, place: ThreadPosition) -> Self {
        Event {
            thread,
            place,
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
        }
    }
}

/// What a thread does if its reads see certain values.
#[derive(Clone)]
pub struct Trace {
    pub events: Vec<Event>,
    pub registers: Vec<Bits>,
}

/// Runs a thread for every choice of the values that it reads.
pub fn run(
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
    let mut rounds: BTreeMap<(BarrierLevel, u64, Bits, bool), usize> = BTreeMap::new();
    let (mut at, mut steps, mut next_read) = (0, 0, 0);
    let blank = |what| Event::new(what, Some(thread), this.place);
    while let Some(instruction) = this.code.get(at) {
        steps += 1;
        if steps > 24 {
            return Follow::Endless;
        }
        let get = |registers: &[(Bits, BTreeSet<usize>)], operand: &ModelOperand| match operand {
            ModelOperand::Register(register) => registers[*register].clone(),
            ModelOperand::Constant(value) => (*value, BTreeSet::new()),
        };
        let place = |registers: &[(Bits, BTreeSet<usize>)], address: &ModelAddress| {
            Some(match address {
                ModelAddress::Location(location) => (*location, BTreeSet::new()),
                ModelAddress::Register(register, offset) => {
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
        let qualified = |what, order: Sem, scope, proxy| {
            let mut event = blank(what);
            event.strong = order != Sem::Weak || mutant == Mutant::WeakIsStrong;
            (event.scope, event.proxy) = (scope, if mutant == Mutant::ProxiesIgnored { Proxy::Generic } else { proxy });
            if mutant == Mutant::VolatileIsWeak && order == Sem::Relaxed && scope == Scope::Sys {
                event.strong = false;
            }
            let (reads, writes) = match mutant {
                Mutant::HalvesSwapped => (What::Write, What::Read),
                _ => (What::Read, What::Write),
            };
            event.acquire = what == reads && matches!(order, Sem::Acquire | Sem::AcqRel);
            event.release = what == writes && matches!(order, Sem::Release | Sem::AcqRel);
            event
        };
        at += 1;
        match instruction {
            ModelInstruction::Compute { to, alu, a, b } => {
                let ((a, mut needs), (b, more)) = (get(&registers, a), get(&registers, b));
                needs.extend(more);
                registers[*to] = (alu.apply(a, b), needs);
            }
            ModelInstruction::Select { to, when, a, b } => {
                let [when, a, b] = [when, a, b].map(|operand| get(&registers, operand));
                let needs = [&when.1, &a.1, &b.1].into_iter().flatten().copied().collect();
                registers[*to] = (if when.0 != 0 { a.0 } else { b.0 }, needs);
            }
            ModelInstruction::Load { to, at: address, access, .. } => {
                let Some(value) = reads.get(next_read) else { return Follow::Needs };
                next_read += 1;
                // A value that no thread writes here may be no address.
                let Some((location, needs)) = place(&registers, address) else { return Follow::Endless };
                let mut event = on(qualified(What::Read, access.order, access.scope, access.proxy), location);
                event.acquire = access.order == Sem::Acquire;
                (event.value, event.needs) = (*value, needs.union(&control).copied().collect());
                if let Some(to) = to {
                    registers[*to] = (*value, [events.len()].into());
                }
                events.push(event);
            }
            ModelInstruction::Store { at: address, value, access, .. } => {
                // A value that no thread writes here may be no address.
                let Some((location, needs)) = place(&registers, address) else { return Follow::Endless };
                let (value, more) = get(&registers, value);
                let mut event = on(qualified(What::Write, access.order, access.scope, access.proxy), location);
                event.release = access.order == Sem::Release;
                event.value = value;
                event.needs = needs.into_iter().chain(more).chain(control.iter().copied()).collect();
                events.push(event);
            }
            ModelInstruction::Update { to, at: address, update, b, c, access, reduction, .. } => {
                let Some(old) = reads.get(next_read) else { return Follow::Needs };
                next_read += 1;
                // A value that no thread writes here may be no address.
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
            ModelInstruction::Fence(reach) => {
                let mut event = blank(What::Fence);
                event.strong = true;
                match *reach {
                    FenceKind::Acquire(scope) => (event.acquire, event.scope) = (true, scope),
                    FenceKind::Release(scope) => (event.release, event.scope) = (true, scope),
                    FenceKind::AcqRel(scope) => (event.acquire, event.release, event.scope) = (true, true, scope),
                    FenceKind::Sc(scope) => {
                        let both = mutant != Mutant::ScIsNotAcqRel;
                        (event.acquire, event.release, event.sc, event.scope) = (both, both, true, scope);
                    }
                    FenceKind::Proxy(proxy) => {
                        (event.what, event.proxy, event.strong) = (What::ProxyFence, proxy, false)
                    }
                    FenceKind::Alias => (event.what, event.strong) = (What::AliasFence, false),
                }
                events.push(event);
            }
            ModelInstruction::Barrier { level, instance, id, mode, quorum: None, orders } => {
                let (id, _) = get(&registers, id);
                for (what, does) in
                    [(What::Arrive, *mode != BarrierMode::Wait), (What::Wait, *mode != BarrierMode::Arrive)]
                {
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
            ModelInstruction::Barrier { quorum: Some(_), .. } => return Follow::Endless,
            ModelInstruction::Branch { when: None, target, .. } => at = *target,
            ModelInstruction::Branch { when: Some((compare, a, b)), target, .. } => {
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
