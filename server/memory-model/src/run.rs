//! Threads that run ahead: each until its end or until a jump depends on a value that is not known yet.
//!
//! Must not know what an instruction does, nor which executions are consistent.

use crate::Bits;
use crate::event::{Event, Kind};
use crate::liveness::liveness;
use crate::node::Node;
use crate::program::{Access, Mode, Program};
use std::sync::Arc;

/// Where a thread stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    pub at: usize,
    pub registers: Vec<usize>,
    /// The reads that jumps so far depended on.
    pub control: u128,
    /// The reads that a guard depends on, and where it ends.
    pub guard: (u128, usize),
    /// The node of the condition that it waits for.
    pub waits: Option<usize>,
    pub done: bool,
    /// How often it jumped back.
    laps: u32,
    /// Where it jumped back to, with the registers and effects that it had then.
    seen: Vec<(usize, Vec<usize>, u32)>,
    /// How many writes and barriers it has made.
    pub effects: u32,
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

    /// The location with exactly these bytes.
    pub fn find(&self, address: u64, bytes: u32) -> Result<usize, Stop> {
        self.program.at(address, bytes).ok_or_else(|| {
            Stop::NotModelled(format!("{bytes} bytes at address {address:#x} are not one of the locations, whole"))
        })
    }

    /// An event's location is known now.
    pub fn place(&mut self, event: usize, location: usize) {
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

    /// A lap without effect that leaves no trace in registers is one that a shorter run does without: leaving out reads takes away orders
    /// and adds none.
    pub fn jump_back(&mut self, thread: usize, to: usize) -> Result<(), Stop> {
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
}
