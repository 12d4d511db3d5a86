//! Threads that run ahead: each until its end, or until a jump depends on a value that is not known yet.

use crate::Bits;
use crate::event::{Event, EventKind};
use crate::event_set::EventSet;
use crate::liveness::liveness;
use crate::node::Node;
use crate::program::{Access, Program};
use std::sync::Arc;

/// The state of a thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreadState {
    pub program_counter: usize,
    /// The node of each register's value.
    pub registers: Vec<usize>,
    /// The reads that jumps so far depended on.
    pub control_dependencies: EventSet,
    pub guard: RunCondition,
    /// The node of the condition that it waits for.
    pub waits_for: Option<usize>,
    pub done: bool,
    /// How many writes and barriers it has made.
    pub effects: u32,
    /// How often it jumped back.
    loop_iterations: u32,
    /// Where it was when it jumped back.
    iterations_seen: Vec<LoopIteration>,
}

/// Instructions that are done only under a condition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunCondition {
    /// The reads that the condition depends on.
    pub dependencies: EventSet,
    /// The index of the first instruction behind.
    pub end: usize,
}

/// The beginning of a loop's iteration.
#[derive(Clone, Debug, PartialEq)]
struct LoopIteration {
    target: usize,
    registers: Vec<usize>,
    effects: u32,
}

/// A node that must turn out to be true (not zero) or false.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumption {
    pub node: usize,
    pub holds: bool,
}

/// An arrival or an end of waiting, and the nodes that it names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarrierEvent {
    pub event: usize,
    pub thread: usize,
    pub id: usize,
    pub quorum: Option<usize>,
}

/// Threads that ran ahead, and what they did.
#[derive(Clone, Debug)]
pub struct ProgramRun<'a> {
    pub program: &'a Program,
    live: Arc<[Vec<u128>]>,
    max_loop_iterations: u32,
    pub events: Vec<Event>,
    pub nodes: Vec<Node>,
    /// The reads that each node depends on.
    pub dependencies: Vec<EventSet>,
    pub barriers: Vec<BarrierEvent>,
    pub assumptions: Vec<Assumption>,
    pub threads: Vec<ThreadState>,
    /// How often threads went on after a read was decided.
    pub generation: u32,
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It does what a shorter run does as well.
    Redundant,
    /// It is longer than the limits allow.
    TooLong,
    /// It does what the model does not define.
    NotModelled(String),
}

impl<'a> ProgramRun<'a> {
    /// Nothing done yet but the first values.
    pub fn new(program: &'a Program, max_loop_iterations: u32) -> Self {
        let mut run = ProgramRun {
            program,
            live: liveness(program).into(),
            max_loop_iterations,
            events: Vec::new(),
            nodes: Vec::new(),
            dependencies: Vec::new(),
            barriers: Vec::new(),
            assumptions: Vec::new(),
            threads: Vec::new(),
            generation: 0,
        };
        for (at, location) in program.locations.iter().enumerate().filter(|(_, location)| location.alias.is_none()) {
            let value = run.constant(location.init);
            let mut event = run.event(None, EventKind::Write, Access::weak());
            (event.location, event.physical, event.generic) = (Some(at), at, at);
            event.value = value;
            run.events.push(event);
        }
        for thread in &program.threads {
            let registers = thread.registers.iter().map(|register| run.constant(register.init)).collect();
            run.threads.push(ThreadState { registers, ..ThreadState::default() });
        }
        run
    }

    /// Whether every thread has ended.
    pub fn done(&self) -> bool {
        self.threads.iter().all(|thread| thread.done)
    }

    /// Whether anything can go on with what is known now.
    pub fn can_resume(&self, values: &[Option<Bits>]) -> bool {
        let known = |node: usize| values.get(node).is_some_and(Option::is_some);
        self.threads.iter().any(|thread| thread.waits_for.is_some_and(known))
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

    /// Lets every thread go on as far as it can. An assumption splits a run in two.
    pub fn advance(mut self, values: &[Option<Bits>], found: &mut Vec<Self>) -> Vec<Stop> {
        self.generation += 1;
        let mut stops = Vec::new();
        if let Err(stop) = self.locate_accesses(values) {
            return vec![stop];
        }
        let mut open = vec![self];
        while let Some(mut run) = open.pop() {
            match run.advance_threads(values, &mut open) {
                Ok(()) => found.push(run),
                Err(stop) => stops.push(stop),
            }
        }
        stops
    }

    /// Finds the locations of addresses that became known.
    fn locate_accesses(&mut self, values: &[Option<Bits>]) -> Result<(), Stop> {
        for at in 0..self.events.len() {
            let event = &self.events[at];
            if !event.is_memory() || event.location.is_some() {
                continue;
            }
            if let Some(Some(address)) = values.get(event.address) {
                let location = self.location_at(*address as u64, event.bytes)?;
                self.locate(at, location);
            }
        }
        Ok(())
    }

    /// The location with exactly these bytes.
    pub fn location_at(&self, address: u64, bytes: u32) -> Result<usize, Stop> {
        self.program.at(address, bytes).ok_or_else(|| {
            Stop::NotModelled(format!("access to {bytes} bytes at {address:#x} does not match a whole location"))
        })
    }

    /// An event's location is known now.
    pub fn locate(&mut self, event: usize, location: usize) {
        let (physical, generic) = (self.program.physical(location), self.program.generic(location));
        let event = &mut self.events[event];
        (event.location, event.physical, event.generic) = (Some(location), physical, generic);
        event.located = self.generation;
    }

    fn advance_threads(&mut self, values: &[Option<Bits>], open: &mut Vec<Self>) -> Result<(), Stop> {
        for thread in 0..self.threads.len() {
            while !self.threads[thread].done {
                if !self.step(thread, values, open)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// An iteration without effect that leaves no trace in registers is one that a shorter run does without: leaving out reads takes away
    /// orders and adds none.
    pub fn jump_back(&mut self, thread: usize, target: usize) -> Result<(), Stop> {
        let live = self.live[thread].get(target).copied().unwrap_or(u128::MAX);
        let state = &mut self.threads[thread];
        state.loop_iterations += 1;
        let same_registers = |before: &[usize]| {
            let mut pairs = before.iter().zip(&state.registers).enumerate();
            pairs.all(|(at, (old, new))| old == new || (at < 128 && live >> at & 1 == 0))
        };
        let without_effect = |before: &LoopIteration| {
            before.target == target && before.effects == state.effects && same_registers(&before.registers)
        };
        if state.iterations_seen.iter().any(without_effect) {
            return Err(Stop::Redundant);
        }
        if state.loop_iterations > self.max_loop_iterations {
            return Err(Stop::TooLong);
        }
        let (registers, effects) = (state.registers.clone(), state.effects);
        state.iterations_seen.push(LoopIteration { target, registers, effects });
        Ok(())
    }
}
