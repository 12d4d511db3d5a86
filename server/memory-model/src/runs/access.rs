//! Executes loads, stores and atomics, and adds their events to a run.

use crate::code::arithmetic::{Alu, AluOp, Compare};
use crate::code::instruction::{Access, ModelAddress, ModelOperand};
use crate::code::program::{Sem, ThreadPosition};
use crate::code::proxy::Proxy;
use crate::code::update::Update;
use crate::relations::event::{Event, EventKind};
use crate::relations::event_set::EventSet;
use crate::runs::mbarrier::MbarrierState;
use crate::runs::node::Node;
use crate::runs::run::{Assumption, ProgramRun, Stop};

/// The memory that an instruction accesses, and how.
#[derive(Clone, Copy)]
pub struct MemoryOperand {
    pub at: ModelAddress,
    pub bytes: u32,
    pub access: Access,
}

/// What an atomic computes.
#[derive(Clone, Copy)]
pub struct AtomicComputation {
    /// The destination register of the old value.
    pub to: Option<usize>,
    pub update: Update,
    pub b: ModelOperand,
    pub c: ModelOperand,
    /// Whether it is a `red`.
    pub reduction: bool,
}

impl ProgramRun<'_> {
    /// The location with exactly these bytes.
    pub fn location_at(&self, address: u64, bytes: u32) -> Result<usize, Stop> {
        self.program.at(address, bytes).ok_or_else(|| {
            Stop::NotModelled(format!("access to {bytes} bytes at {address:#x} does not match a whole location"))
        })
    }

    /// Sets the location of an event.
    pub fn locate(&mut self, event: usize, location: usize) {
        let (physical, generic) = (self.program.physical(location), self.program.generic(location));
        let space = self.program.locations[physical].space;
        let event = &mut self.events[event];
        event.space = space;
        (event.location, event.physical, event.generic) = (Some(location), physical, generic);
        event.located = self.generation;
    }

    pub fn load(&mut self, thread: usize, to: Option<usize>, memory: MemoryOperand) -> Result<(), Stop> {
        let mut read = self.event(Some(thread), EventKind::Read, memory.access);
        read.acquire = memory.access.order == Sem::Acquire;
        let value = self.read(read, memory)?;
        self.set_result(thread, to, value);
        Ok(())
    }

    pub fn store(&mut self, thread: usize, value: ModelOperand, memory: MemoryOperand) -> Result<(), Stop> {
        let value = self.operand(thread, value);
        let mut write = self.event(Some(thread), EventKind::Write, memory.access);
        write.release = memory.access.order == Sem::Release;
        self.write(write, value, memory)
    }

    /// Reads the state of an mbarrier, and compares its phase with that of another state.
    pub fn test_phase(
        &mut self,
        thread: usize,
        (to, phase): (usize, ModelOperand),
        memory: MemoryOperand,
    ) -> Result<(), Stop> {
        let phase = self.operand(thread, phase);
        let mut read = self.event(Some(thread), EventKind::Read, memory.access);
        read.acquire = memory.access.order == Sem::Acquire;
        read.mbarrier = true;
        let state = self.read(read, memory)?;
        let parity = self.constant(MbarrierState::in_phase(1));
        let alu = Alu::litmus(AluOp::And);
        let [now, before] = [state, phase].map(|state| self.compute(Node::Compute(alu, state, parity)));
        let complete = self.compute(Node::Compare(Compare::Ne, now, before));
        self.set(thread, to, complete);
        Ok(())
    }

    /// A read-modify-write: a read, and a write unless it is a compare-and-swap that fails.
    pub fn update(
        &mut self,
        thread: usize,
        AtomicComputation { to, update, b, c, reduction }: AtomicComputation,
        memory: MemoryOperand,
        open: &mut Vec<Self>,
    ) -> Result<(), Stop> {
        let order = memory.access.order;
        let (b, c) = (self.operand(thread, b), self.operand(thread, c));
        let mut read = self.event(Some(thread), EventKind::Read, memory.access);
        read.acquire = matches!(order, Sem::Acquire | Sem::AcqRel);
        (read.reduction, read.mbarrier) = (reduction, update == Update::Mbarrier);
        let read_at = self.events.len();
        let old = self.read(read, memory)?;
        let mut write = self.event(Some(thread), EventKind::Write, memory.access);
        write.release = matches!(order, Sem::Release | Sem::AcqRel);
        (write.reduction, write.mbarrier) = (reduction, update == Update::Mbarrier);
        write.signal = write.mbarrier && self.program.threads[thread].issuer.is_some();
        write.partner = Some(read_at);
        // An exchange always writes operand b.
        let mut value = b;
        if update.compares() {
            let mut failed = self.assume_swapped(thread, old, b);
            failed.set_result(thread, to, old);
            open.push(failed);
            write.dependencies = self.dependencies[old] | self.dependencies[b];
            value = c;
        } else if update.depends() {
            value = self.compute(Node::Update(update, old, b, c));
        }
        self.events[read_at].partner = Some(self.events.len());
        self.write(write, value, memory)?;
        // The register may be that of the address.
        self.set_result(thread, to, old);
        Ok(())
    }

    /// Sets the destination register of an access, if it has one.
    fn set_result(&mut self, thread: usize, to: Option<usize>, value: usize) {
        if let Some(to) = to {
            self.set(thread, to, value);
        }
    }

    /// Forks the run: in the new run the compare-and-swap fails, in this one it succeeds.
    fn assume_swapped(&mut self, thread: usize, old: usize, expected: usize) -> Self {
        let equal = self.compute(Node::Compare(Compare::Eq, old, expected));
        let mut failed = self.clone();
        failed.assumptions.push(Assumption { node: equal, holds: false });
        failed.threads[thread].program_counter += 1;
        self.assumptions.push(Assumption { node: equal, holds: true });
        failed
    }

    /// Adds a read event and returns the node of its value.
    fn read(&mut self, mut read: Event, memory: MemoryOperand) -> Result<usize, Stop> {
        let at = self.events.len();
        read.value = self.node(Node::Read(at), EventSet::of(at));
        let value = read.value;
        self.access(read, memory)?;
        Ok(value)
    }

    /// Adds a write event with the value of a node.
    fn write(&mut self, mut write: Event, value: usize, memory: MemoryOperand) -> Result<(), Stop> {
        write.value = value;
        write.dependencies |= self.dependencies[value];
        let thread = write.thread;
        self.access(write, memory)?;
        if let Some(thread) = thread {
            self.threads[thread].effects += 1;
        }
        Ok(())
    }

    fn access(&mut self, mut event: Event, memory: MemoryOperand) -> Result<(), Stop> {
        let thread = event.thread.unwrap_or_default();
        let at = self.events.len();
        event.bytes = memory.bytes;
        event.dependencies |= self.control_dependencies(thread);
        let location = match memory.at {
            ModelAddress::Location(location) => Some(location),
            ModelAddress::Register(register, offset) => {
                let base = self.threads[thread].registers[register];
                event.address = self.compute(Node::Displaced(base, offset));
                event.dependencies |= self.dependencies[event.address];
                match self.nodes[event.address] {
                    Node::Constant(address) => Some(self.location_at(address as u64, memory.bytes)?),
                    _ => None,
                }
            }
        };
        self.events.push(event);
        if let Some(location) = location {
            self.locate(at, location);
        }
        Ok(())
    }

    /// A new event of the current instruction of a thread, or of an initial value. Its location is not set yet.
    pub fn event(&self, thread: Option<usize>, kind: EventKind, access: Access) -> Event {
        Event {
            thread,
            instruction: thread.map_or(0, |thread| self.threads[thread].program_counter),
            place: thread.map_or(ThreadPosition::default(), |thread| self.program.threads[thread].place),
            kind,
            strong: access.order != Sem::Weak,
            acquire: false,
            release: false,
            sc: false,
            mbarrier_init: false,
            operation_fence: None,
            scope: access.scope,
            proxy: if matches!(kind, EventKind::Read | EventKind::Write) { access.proxy } else { Proxy::Generic },
            location: None,
            physical: usize::MAX,
            generic: usize::MAX,
            space: None,
            proxy_fence: None,
            partner: None,
            reduction: false,
            mbarrier: false,
            signal: false,
            orders: false,
            value: 0,
            address: 0,
            bytes: 0,
            dependencies: EventSet::EMPTY,
            located: self.generation,
        }
    }
}
