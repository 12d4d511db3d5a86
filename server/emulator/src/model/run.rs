//! Runs threads ahead: each until its end or until a jump depends on a value that is not known yet. Values are nodes of a graph; a
//! read's value is known once it is decided which write it reads.
//!
//! Must not know which executions are consistent.

use super::Bits;
use super::event::{Event, Kind};
use super::program::{
    Access, Address, Compare, Instruction, Mode, Operand, Order, Place, Program, Proxy, Reach, Scope, Update,
};
use super::relation::MOST;
use std::sync::Arc;

/// How a value comes about.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Constant(Bits),
    Read(usize),
    Compute(super::compute::Alu, usize, usize),
    Select(usize, usize, usize),
    /// What an atomic writes: memory, b, c.
    Update(Update, usize, usize, usize),
    Compare(Compare, usize, usize),
    /// An address, displaced.
    Displaced(usize, i64),
}

/// Where a thread stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    pub at: usize,
    pub registers: Vec<usize>,
    /// The reads that jumps so far depended on.
    control: u128,
    /// The reads that a guard depends on, and where it ends.
    guard: (u128, usize),
    /// The node of the condition that it waits for.
    pub waits: Option<usize>,
    pub done: bool,
    /// How often it jumped back.
    laps: u32,
    /// Where it jumped back to, with the registers and effects that it had then.
    seen: Vec<(usize, Vec<usize>, u32)>,
    /// How many writes and barriers it has made.
    effects: u32,
}

/// Threads that ran ahead, and what they did.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    pub program: &'a Program,
    live: Arc<[Vec<u128>]>,
    laps: u32,
    pub events: Vec<Event>,
    pub nodes: Vec<Node>,
    /// The reads that each node depends on.
    pub needs: Vec<u128>,
    /// Barrier events: id and quorum.
    pub barriers: Vec<Meeting>,
    /// Nodes that must turn out to be true (not zero) or false.
    pub assumed: Vec<(usize, bool)>,
    pub standing: Vec<Standing>,
    pub generation: u32,
}

/// A barrier event and what it names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    pub event: usize,
    pub thread: usize,
    pub instruction: usize,
    pub mode: Mode,
    pub id: usize,
    pub quorum: Option<usize>,
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It does what a shorter run does as well.
    Idle,
    /// It is longer than anybody wants to look.
    TooLong,
    /// It does what the model does not speak of.
    NotModelled(String),
}

impl<'a> Run<'a> {
    /// Nothing done yet but the first values.
    pub fn new(program: &'a Program, laps: u32) -> Self {
        let mut run = Run {
            program,
            live: liveness(program).into(),
            laps,
            events: Vec::new(),
            nodes: Vec::new(),
            needs: Vec::new(),
            barriers: Vec::new(),
            assumed: Vec::new(),
            standing: Vec::new(),
            generation: 0,
        };
        for (at, location) in program.locations.iter().enumerate().filter(|(_, location)| location.alias.is_none()) {
            let value = run.constant(location.init);
            let mut event = run.event(None, 0, Kind::Write, Access::weak());
            (event.location, event.physical, event.generic) = (Some(at), at, at);
            event.value = value;
            run.events.push(event);
        }
        for thread in &program.threads {
            let registers = thread.registers.iter().map(|register| run.constant(register.init)).collect();
            run.standing.push(Standing {
                at: 0,
                registers,
                control: 0,
                guard: (0, 0),
                waits: None,
                done: false,
                laps: 0,
                seen: Vec::new(),
                effects: 0,
            });
        }
        run
    }

    /// Whether every thread has ended.
    pub fn done(&self) -> bool {
        self.standing.iter().all(|standing| standing.done)
    }

    /// Whether anything can go on with what is known now.
    pub fn can_go_on(&self, values: &[Option<Bits>]) -> bool {
        let known = |node: usize| values.get(node).is_some_and(Option::is_some);
        self.standing.iter().any(|standing| standing.waits.is_some_and(known))
            || self.events.iter().any(|event| event.is_memory() && event.location.is_none() && known(event.address))
    }

    /// The values of all nodes as far as they follow from constants.
    pub fn constants(&self) -> Vec<Option<Bits>> {
        let mut values = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = node.value(|at: usize| values.get(at).copied().flatten());
            values.push(value);
        }
        values
    }

    /// Lets every thread go on as far as it can. A guess splits a run in two.
    pub fn advance(mut self, values: &[Option<Bits>], found: &mut Vec<Self>) -> Vec<Stop> {
        self.generation += 1;
        let mut stops = Vec::new();
        if let Err(stop) = self.settle(values) {
            return vec![stop];
        }
        let mut open = vec![self];
        while let Some(mut run) = open.pop() {
            match run.step_all(values, &mut open) {
                Ok(()) => found.push(run),
                Err(stop) => stops.push(stop),
            }
        }
        stops
    }

    /// Finds the locations of addresses that became known.
    fn settle(&mut self, values: &[Option<Bits>]) -> Result<(), Stop> {
        for at in 0..self.events.len() {
            let event = &self.events[at];
            if !event.is_memory() || event.location.is_some() {
                continue;
            }
            if let Some(Some(address)) = values.get(event.address) {
                let location = self.find(*address as u64, event.bytes)?;
                self.place(at, location);
            }
        }
        Ok(())
    }

    fn find(&self, address: u64, bytes: u32) -> Result<usize, Stop> {
        self.program.at(address, bytes).ok_or_else(|| {
            Stop::NotModelled(format!("{bytes} bytes at address {address:#x} are not one of the locations, whole"))
        })
    }

    fn place(&mut self, event: usize, location: usize) {
        let (physical, generic) = (self.program.physical(location), self.program.generic(location));
        let event = &mut self.events[event];
        (event.location, event.physical, event.generic) = (Some(location), physical, generic);
        event.born = self.generation;
    }

    fn step_all(&mut self, values: &[Option<Bits>], open: &mut Vec<Self>) -> Result<(), Stop> {
        for thread in 0..self.standing.len() {
            while !self.standing[thread].done {
                if !self.step(thread, values, open)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// One instruction; says whether the thread may go on.
    fn step(&mut self, thread: usize, values: &[Option<Bits>], open: &mut Vec<Self>) -> Result<bool, Stop> {
        let program = self.program;
        let at = self.standing[thread].at;
        let Some(instruction) = program.threads[thread].code.get(at) else {
            self.standing[thread].done = true;
            return Ok(false);
        };
        if self.events.len() + 2 > MOST {
            return Err(Stop::TooLong);
        }
        if at >= self.standing[thread].guard.1 {
            self.standing[thread].guard = (0, 0);
        }
        let mut next = at + 1;
        match instruction {
            Instruction::Compute { to, alu, a, b } => {
                let (a, b) = (self.operand(thread, *a), self.operand(thread, *b));
                let node = self.compute(Node::Compute(*alu, a, b));
                self.set(thread, *to, node);
            }
            Instruction::Select { to, when, a, b } => {
                let [when, a, b] = [when, a, b].map(|operand| self.operand(thread, *operand));
                let node = self.compute(Node::Select(when, a, b));
                self.set(thread, *to, node);
            }
            Instruction::Load { to, at: address, bytes, access } => {
                let mut event = self.event(Some(thread), at, Kind::Read, *access);
                event.acquire = access.order == Order::Acquire;
                let node = self.access(event, *address, *bytes, None, 0)?;
                if let Some(to) = to {
                    self.set(thread, *to, node);
                }
            }
            Instruction::Store { at: address, value, bytes, access } => {
                let value = self.operand(thread, *value);
                let mut event = self.event(Some(thread), at, Kind::Write, *access);
                event.release = access.order == Order::Release;
                self.access(event, *address, *bytes, Some(value), 0)?;
                self.standing[thread].effects += 1;
            }
            Instruction::Update { to, at: address, update, b, c, bytes, access, reduction } => {
                let (b, c) = (self.operand(thread, *b), self.operand(thread, *c));
                let mut read = self.event(Some(thread), at, Kind::Read, *access);
                read.acquire = matches!(access.order, Order::Acquire | Order::AcqRel);
                read.reduction = *reduction;
                let half = self.events.len();
                let old = self.access(read, *address, *bytes, None, 0)?;
                if let Some(to) = to {
                    self.set(thread, *to, old);
                }
                if update.compares() {
                    let equal = self.compute(Node::Compare(Compare::Eq, old, b));
                    let mut failed = self.clone();
                    failed.assumed.push((equal, false));
                    failed.standing[thread].at = next;
                    open.push(failed);
                    self.assumed.push((equal, true));
                }
                let mut write = self.event(Some(thread), at, Kind::Write, *access);
                write.release = matches!(access.order, Order::Release | Order::AcqRel);
                write.reduction = *reduction;
                write.partner = Some(half);
                let (value, also) = match (update.compares(), update.depends()) {
                    (true, _) => (c, self.needs[old] | self.needs[b]),
                    (false, true) => (self.compute(Node::Update(*update, old, b, c)), 0),
                    // An exchange writes what it is given, whatever it reads.
                    (false, false) => (b, 0),
                };
                let other = self.events.len();
                self.access(write, *address, *bytes, Some(value), also)?;
                self.events[half].partner = Some(other);
                self.standing[thread].effects += 1;
            }
            Instruction::Fence(reach) => {
                let weak = Access::strong(Order::Relaxed, Scope::Cta);
                let mut event = self.event(Some(thread), at, Kind::Fence, weak);
                match *reach {
                    Reach::Acquire(scope) => (event.acquire, event.scope) = (true, scope),
                    Reach::Release(scope) => (event.release, event.scope) = (true, scope),
                    Reach::AcqRel(scope) => (event.acquire, event.release, event.scope) = (true, true, scope),
                    Reach::Sc(scope) => {
                        (event.acquire, event.release, event.sc, event.scope) = (true, true, true, scope);
                    }
                    Reach::Proxy(proxy) => (event.kind, event.proxy, event.strong) = (Kind::ProxyFence, proxy, false),
                    Reach::Alias => (event.kind, event.strong) = (Kind::AliasFence, false),
                }
                event.needs = self.path(thread);
                self.events.push(event);
            }
            Instruction::Barrier { id, quorum, mode, orders, .. } => {
                let id = self.operand(thread, *id);
                let quorum = quorum.map(|quorum| self.operand(thread, quorum));
                for (kind, does) in [(Kind::Arrive, *mode != Mode::Wait), (Kind::Wait, *mode != Mode::Arrive)] {
                    if does {
                        let mut event = self.event(Some(thread), at, kind, Access::weak());
                        event.orders = *orders;
                        event.needs = self.path(thread);
                        let meeting =
                            Meeting { event: self.events.len(), thread, instruction: at, mode: *mode, id, quorum };
                        self.barriers.push(meeting);
                        self.events.push(event);
                    }
                }
                self.standing[thread].effects += 1;
            }
            Instruction::Branch { when: None, target, .. } => next = *target,
            Instruction::Branch { when: Some((compare, a, b)), target, guard } => {
                let (a, b) = (self.operand(thread, *a), self.operand(thread, *b));
                let node = self.compute(Node::Compare(*compare, a, b));
                let needs = self.needs[node];
                let known = self.value(node, values);
                let taken = match known {
                    Some(value) => value != 0,
                    None if *guard && *target > at => {
                        let mut skips = self.clone();
                        skips.assumed.push((node, true));
                        skips.standing[thread].at = *target;
                        open.push(skips);
                        self.assumed.push((node, false));
                        false
                    }
                    None => {
                        self.standing[thread].waits = Some(node);
                        return Ok(false);
                    }
                };
                self.standing[thread].waits = None;
                if *guard && *target > at {
                    let before = self.standing[thread].guard;
                    self.standing[thread].guard = (before.0 | needs, before.1.max(*target));
                } else {
                    self.standing[thread].control |= needs;
                }
                if taken {
                    next = *target;
                }
            }
        }
        if next <= at {
            self.jump_back(thread, next)?;
        }
        self.standing[thread].at = next;
        Ok(true)
    }

    /// A lap without effect that leaves no trace in registers is one that a shorter run does without: leaving out reads takes away orders
    /// and adds none.
    fn jump_back(&mut self, thread: usize, to: usize) -> Result<(), Stop> {
        let live = self.live[thread].get(to).copied().unwrap_or(u128::MAX);
        let standing = &mut self.standing[thread];
        standing.laps += 1;
        let same = |before: &[usize]| {
            let mut pairs = before.iter().zip(&standing.registers).enumerate();
            pairs.all(|(at, (old, new))| old == new || (at < 128 && live >> at & 1 == 0))
        };
        let idle = |(at, before, effects): &(usize, Vec<usize>, u32)| {
            *at == to && *effects == standing.effects && same(before)
        };
        if standing.seen.iter().any(idle) {
            return Err(Stop::Idle);
        }
        if standing.laps > self.laps {
            return Err(Stop::TooLong);
        }
        standing.seen.push((to, standing.registers.clone(), standing.effects));
        Ok(())
    }

    fn path(&self, thread: usize) -> u128 {
        self.standing[thread].control | self.standing[thread].guard.0
    }

    /// Adds a memory event and returns the node of its value.
    fn access(
        &mut self,
        mut event: Event,
        address: Address,
        bytes: u32,
        value: Option<usize>,
        also: u128,
    ) -> Result<usize, Stop> {
        let thread = event.thread.unwrap_or_default();
        let at = self.events.len();
        event.bytes = bytes;
        event.needs = self.path(thread) | also;
        let value = value.unwrap_or_else(|| self.node(Node::Read(at), 1 << at));
        if event.kind == Kind::Write {
            event.needs |= self.needs[value];
        }
        event.value = value;
        let location = match address {
            Address::Location(location) => Some(location),
            Address::Register(register, offset) => {
                let base = self.standing[thread].registers[register];
                let node = self.compute(Node::Displaced(base, offset));
                event.needs |= self.needs[node];
                event.address = node;
                match self.nodes[node] {
                    Node::Constant(address) => Some(self.find(address as u64, bytes)?),
                    _ => None,
                }
            }
        };
        self.events.push(event);
        if let Some(location) = location {
            self.place(at, location);
        }
        Ok(value)
    }

    fn event(&self, thread: Option<usize>, instruction: usize, kind: Kind, access: Access) -> Event {
        Event {
            thread,
            instruction,
            place: thread.map_or(Place::default(), |thread| self.program.threads[thread].place),
            kind,
            strong: access.order != Order::Weak,
            acquire: false,
            release: false,
            sc: false,
            scope: access.scope,
            proxy: if matches!(kind, Kind::Read | Kind::Write) { access.proxy } else { Proxy::Generic },
            location: None,
            physical: usize::MAX,
            generic: usize::MAX,
            partner: None,
            reduction: false,
            orders: false,
            value: 0,
            address: 0,
            bytes: 0,
            needs: 0,
            born: self.generation,
        }
    }

    fn operand(&mut self, thread: usize, operand: Operand) -> usize {
        match operand {
            Operand::Register(register) => self.standing[thread].registers[register],
            Operand::Constant(value) => self.constant(value),
        }
    }

    /// Under a guard, what is set depends on the guard as well.
    fn set(&mut self, thread: usize, register: usize, mut node: usize) {
        let guard = self.standing[thread].guard.0;
        if guard & !self.needs[node] != 0 {
            let one = self.constant(1);
            node = self.node(Node::Select(one, node, node), self.needs[node] | guard);
        }
        self.standing[thread].registers[register] = node;
    }

    fn constant(&mut self, value: Bits) -> usize {
        let known = self.nodes.iter().position(|node| *node == Node::Constant(value));
        known.unwrap_or_else(|| self.node(Node::Constant(value), 0))
    }

    fn node(&mut self, node: Node, needs: u128) -> usize {
        self.nodes.push(node);
        self.needs.push(needs);
        self.nodes.len() - 1
    }

    /// A node from nodes; constants are folded, so that a constant is a constant however it came about.
    fn compute(&mut self, node: Node) -> usize {
        let operands: Vec<usize> = node.operands().collect();
        let constant = |at: usize| match self.nodes[at] {
            Node::Constant(value) => Some(value),
            _ => None,
        };
        if let Some(value) = node.value(constant) {
            return self.constant(value);
        }
        let needs = operands.iter().fold(0, |needs, at| needs | self.needs[*at]);
        self.node(node, needs)
    }

    fn value(&self, node: usize, values: &[Option<Bits>]) -> Option<Bits> {
        match &self.nodes[node] {
            Node::Constant(value) => Some(*value),
            _ if node < values.len() => values[node],
            Node::Read(_) => None,
            other => other.value(|at| self.value(at, values)),
        }
    }
}

impl Node {
    /// The nodes that it is computed from.
    pub fn operands(&self) -> impl Iterator<Item = usize> {
        let all = match *self {
            Node::Constant(_) | Node::Read(_) => [None; 3],
            Node::Displaced(a, _) => [Some(a), None, None],
            Node::Compute(_, a, b) | Node::Compare(_, a, b) => [Some(a), Some(b), None],
            Node::Select(a, b, c) | Node::Update(_, a, b, c) => [Some(a), Some(b), Some(c)],
        };
        all.into_iter().flatten()
    }

    /// Its value, if those of its operands are known. Of a read, nothing is known here.
    pub fn value(&self, of: impl Fn(usize) -> Option<Bits>) -> Option<Bits> {
        Some(match *self {
            Node::Constant(value) => value,
            Node::Read(_) => return None,
            Node::Compute(alu, a, b) => alu.apply(of(a)?, of(b)?),
            Node::Select(when, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                if of(when)? != 0 { a } else { b }
            }
            Node::Update(update, memory, b, c) => {
                let memory = of(memory)?;
                update.apply(memory, of(b)?, of(c)?).unwrap_or(memory)
            }
            Node::Compare(compare, a, b) => compare.holds(of(a)?, of(b)?).into(),
            Node::Displaced(base, offset) => (of(base)? as u64).wrapping_add_signed(offset).into(),
        })
    }
}

/// The registers that are read before they are written, for each instruction of each thread: bits. At its end all are.
fn liveness(program: &Program) -> Vec<Vec<u128>> {
    program
        .threads
        .iter()
        .map(|thread| {
            let mut live = vec![0u128; thread.code.len() + 1];
            live[thread.code.len()] = u128::MAX;
            let mut changed = true;
            while changed {
                changed = false;
                for at in (0..thread.code.len()).rev() {
                    let (reads, writes, targets) = flow(&thread.code[at], at);
                    let after = targets.into_iter().flatten().fold(0, |all, to| all | live[to.min(thread.code.len())]);
                    let now = after & !writes | reads;
                    changed |= now != live[at];
                    live[at] = now;
                }
            }
            live
        })
        .collect()
}

fn flow(instruction: &Instruction, at: usize) -> (u128, u128, [Option<usize>; 2]) {
    let bit = |register: usize| if register < 128 { 1u128 << register } else { 0 };
    let operand = |operand: &Operand| match operand {
        Operand::Register(register) => bit(*register),
        Operand::Constant(_) => 0,
    };
    let address = |address: &Address| match address {
        Address::Register(register, _) => bit(*register),
        Address::Location(_) => 0,
    };
    let to = |to: &Option<usize>| to.map_or(0, bit);
    let next = [Some(at + 1), None];
    match instruction {
        Instruction::Compute { to, a, b, .. } => (operand(a) | operand(b), bit(*to), next),
        Instruction::Select { to, when, a, b } => (operand(when) | operand(a) | operand(b), bit(*to), next),
        Instruction::Load { to: into, at, .. } => (address(at), to(into), next),
        Instruction::Store { at, value, .. } => (address(at) | operand(value), 0, next),
        Instruction::Update { to: into, at, b, c, .. } => (address(at) | operand(b) | operand(c), to(into), next),
        Instruction::Fence(_) => (0, 0, next),
        Instruction::Barrier { id, quorum, .. } => (operand(id) | quorum.as_ref().map_or(0, operand), 0, next),
        Instruction::Branch { when: None, target, .. } => (0, 0, [Some(*target), None]),
        Instruction::Branch { when: Some((_, a, b)), target, .. } => {
            (operand(a) | operand(b), 0, [Some(at + 1), Some(*target)])
        }
    }
}
