//! Runs: each thread is executed until it ends, or until a branch depends on a value that is unknown.

use crate::Bits;
use crate::code::instruction::Access;
use crate::code::liveness::liveness;
use crate::code::program::Program;
use crate::relations::event::{Event, EventKind};
use crate::relations::event_set::EventSet;
use crate::runs::node::Node;
use crate::search::endless_wait::EndlessWait;
use std::sync::Arc;

/// The state of a thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreadState {
    pub program_counter: usize,
    /// The node of each register's value.
    pub registers: Vec<usize>,
    /// The reads that the branches so far depend on.
    pub control_dependencies: EventSet,
    pub guard: GuardScope,
    /// The node of the branch condition that it waits for.
    pub waits_for: Option<usize>,
    pub done: bool,
    /// The number of writes and barriers so far.
    pub effects: u32,
    /// The number of backward branches so far.
    pub loop_iterations: u32,
    /// The states at the beginnings of its loop iterations.
    pub iterations_seen: Vec<LoopIteration>,
    /// The loop iteration, by index, that it repeats without end.
    pub repeats: Option<usize>,
    /// What keeps it from its end, in an execution that does not end.
    pub endless_wait: Option<EndlessWait>,
}

impl ThreadState {
    /// Whether it executes nothing more.
    pub fn stops(&self) -> bool {
        self.done || self.endless_wait.is_some()
    }

    /// Whether it waits without end at an event.
    pub fn waits_forever_at(&self, event: usize) -> bool {
        self.endless_wait == Some(EndlessWait::At { event })
    }
}

/// The guard of the current instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuardScope {
    /// The reads that the condition depends on.
    pub dependencies: EventSet,
    /// The index of the first instruction after the guarded ones.
    pub end: usize,
}

/// The state at the beginning of a loop iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopIteration {
    pub target: usize,
    pub registers: Vec<usize>,
    pub effects: u32,
    /// The number of events of the run.
    pub events: usize,
}

/// A node that must evaluate to true (not zero) or false.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumption {
    pub node: usize,
    pub holds: bool,
}

/// An arrival at or a wait for a barrier, with the nodes of its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarrierEvent {
    pub event: usize,
    pub thread: usize,
    pub id: usize,
    pub quorum: Option<usize>,
}

/// Which executions a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// Those in which every thread ends.
    Ending,
    /// Those in which threads may wait without end.
    Endless,
}

/// The threads of a program, executed as far as possible, and their events.
#[derive(Clone, Debug)]
pub struct ProgramRun<'a> {
    pub program: &'a Program,
    pub live: Arc<[Vec<u128>]>,
    pub max_loop_iterations: u32,
    pub kind: RunKind,
    pub events: Vec<Event>,
    pub nodes: Vec<Node>,
    /// The reads that each node depends on.
    pub dependencies: Vec<EventSet>,
    pub barriers: Vec<BarrierEvent>,
    pub assumptions: Vec<Assumption>,
    pub threads: Vec<ThreadState>,
    /// How often threads were resumed.
    pub generation: u32,
}

/// Why a run is abandoned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A shorter run has the same outcomes.
    Redundant,
    /// It exceeds the limits.
    TooLong,
    /// Its behavior is not defined by the model.
    NotModelled(String),
}

impl<'a> ProgramRun<'a> {
    /// A run at its start, with the events of the initial values.
    pub fn new(program: &'a Program, max_loop_iterations: u32, kind: RunKind) -> Self {
        let mut run = ProgramRun {
            program,
            live: liveness(program).into(),
            max_loop_iterations,
            kind,
            events: Vec::new(),
            nodes: Vec::new(),
            dependencies: Vec::new(),
            barriers: Vec::new(),
            assumptions: Vec::new(),
            threads: Vec::new(),
            generation: 0,
        };
        for (at, location) in program.locations.iter().enumerate().filter(|(_, location)| location.has_initial_value())
        {
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

    /// Whether every thread has ended, or waits without end.
    pub fn done(&self) -> bool {
        self.threads.iter().all(ThreadState::stops)
    }

    /// Whether a thread or an unresolved address can be resumed with the known values.
    pub fn can_resume(&self, values: &[Option<Bits>]) -> bool {
        let known = |node: usize| values.get(node).is_some_and(Option::is_some);
        self.threads.iter().any(|thread| thread.waits_for.is_some_and(known))
            || self.events.iter().any(|event| event.is_memory() && event.location.is_none() && known(event.address))
    }

    /// The values of the nodes that follow from constants.
    pub fn constants(&self) -> Vec<Option<Bits>> {
        let mut values = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = node.value(|at: usize| values.get(at).copied().flatten());
            values.push(value);
        }
        values
    }

    /// Executes every thread as far as possible. An assumption forks the run. Finished runs are added to `found`.
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

    /// Resolves accesses whose addresses are now known.
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

    fn advance_threads(&mut self, values: &[Option<Bits>], open: &mut Vec<Self>) -> Result<(), Stop> {
        for thread in 0..self.threads.len() {
            while !self.threads[thread].stops() {
                if !self.step(thread, values, open)? {
                    break;
                }
            }
        }
        Ok(())
    }
}
