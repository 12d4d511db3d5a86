//! What one instruction does to a run: the events that it adds, and the nodes of the values that it computes. A read's value is known once it is
//! decided which write it reads.
//!
//! Must not know in which order threads run.

use crate::Bits;
use crate::compute::Compare;
use crate::event::{Event, Kind};
use crate::node::Node;
use crate::program::{Access, Address, Instruction, Mode, Operand, Place, Proxy, Reach, Scope, Sem};
use crate::relation::MOST;
use crate::run::{Meeting, Run, Stop};

impl Run<'_> {
    /// One instruction; says whether the thread may go on.
    pub fn step(&mut self, thread: usize, values: &[Option<Bits>], open: &mut Vec<Self>) -> Result<bool, Stop> {
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
                event.acquire = access.order == Sem::Acquire;
                let node = self.access(event, *address, *bytes, None, 0)?;
                if let Some(to) = to {
                    self.set(thread, *to, node);
                }
            }
            Instruction::Store { at: address, value, bytes, access } => {
                let value = self.operand(thread, *value);
                let mut event = self.event(Some(thread), at, Kind::Write, *access);
                event.release = access.order == Sem::Release;
                self.access(event, *address, *bytes, Some(value), 0)?;
                self.standing[thread].effects += 1;
            }
            Instruction::Update { to, at: address, update, b, c, bytes, access, reduction } => {
                let (b, c) = (self.operand(thread, *b), self.operand(thread, *c));
                let mut read = self.event(Some(thread), at, Kind::Read, *access);
                read.acquire = matches!(access.order, Sem::Acquire | Sem::AcqRel);
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
                write.release = matches!(access.order, Sem::Release | Sem::AcqRel);
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
                let weak = Access::strong(Sem::Relaxed, Scope::Cta);
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

    /// An event with what is known of it whatever it accesses.
    pub fn event(&self, thread: Option<usize>, instruction: usize, kind: Kind, access: Access) -> Event {
        Event {
            thread,
            instruction,
            place: thread.map_or(Place::default(), |thread| self.program.threads[thread].place),
            kind,
            strong: access.order != Sem::Weak,
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

    /// The node of a constant.
    pub fn constant(&mut self, value: Bits) -> usize {
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
