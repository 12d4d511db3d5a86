//! Whether the writes of one location can be ordered as the axioms demand, and which of them can be the last.
//!
//! Causality does not depend on the order of writes, and every axiom is easier to fulfil with fewer edges in it, so only what is forced is
//! added, and for writes that are morally strong to each other one of the two directions. Must not know how executions are found.

use crate::relation::members;
use crate::skeleton::Skeleton;

/// Memory to work with, kept between calls.
#[derive(Debug)]
pub struct Scratch {
    preserved: Vec<u128>,
    cause: Vec<u128>,
    never: Vec<u128>,
    graph: Vec<u128>,
}

impl Default for Scratch {
    fn default() -> Self {
        let rows = || vec![0; crate::relation::MOST];
        Scratch { preserved: rows(), cause: rows(), never: rows(), graph: rows() }
    }
}

/// An order of the writes of a location: rows of successors, by event.
pub type Order = Vec<u128>;

/// One location under base causality and with what its reads read.
pub struct Memory<'s, 'a> {
    pub skeleton: &'s Skeleton<'a>,
    pub base: &'s [u128],
    pub from: &'s [u8],
    pub location: usize,
}

impl Memory<'_, '_> {
    /// All that the answers below depend on, but for the skeleton.
    pub fn circumstances(&self, key: &mut Vec<u128>) {
        let sk = self.skeleton;
        key.push(self.location as u128);
        for (at, read) in members(self.events() & sk.reads).enumerate() {
            if at % 16 == 0 {
                key.push(0);
            }
            if let Some(word) = key.last_mut() {
                *word = *word << 8 | u128::from(self.from[read]);
            }
        }
        if *self.base != *sk.base {
            key.extend(members(self.events()).map(|at| sk.preserved(self.base, at)));
        }
    }

    /// Whether what is known so far already contradicts the axioms.
    pub fn contradicts(&self, scratch: &mut Scratch) -> bool {
        match self.begin(scratch) {
            Some(mut order) => !self.propagate(&mut order, scratch),
            None => true,
        }
    }

    /// An order that fulfils the axioms.
    pub fn order(&self, scratch: &mut Scratch) -> Option<Order> {
        let mut found = None;
        self.solve(scratch, &mut |order| {
            found = Some(order.clone());
            true
        });
        found
    }

    /// The writes that can be the last; none if no order fulfils the axioms.
    pub fn last(&self, scratch: &mut Scratch) -> u128 {
        let Some(mut order) = self.begin(scratch) else { return 0 };
        let mut last = 0;
        self.search(&mut order, scratch, &mut last);
        last
    }

    /// Every order, until the caller has enough.
    pub fn solve(&self, scratch: &mut Scratch, enough: &mut dyn FnMut(&Order) -> bool) {
        if let Some(mut order) = self.begin(scratch) {
            self.branch(&mut order, scratch, enough);
        }
    }

    fn events(&self) -> u128 {
        self.skeleton.memory[self.location]
    }

    fn writes(&self) -> u128 {
        self.events() & self.skeleton.writes
    }

    fn resolved(&self) -> impl Iterator<Item = (usize, usize)> {
        let reads = members(self.events() & self.skeleton.reads);
        reads.map(|read| (read, self.from[read] as usize)).filter(|(_, write)| *write < crate::relation::MOST)
    }

    /// What causality demands: the edges that must be there, or `None` if that is too much.
    fn begin(&self, scratch: &mut Scratch) -> Option<Order> {
        let (sk, writes) = (self.skeleton, self.writes());
        let Scratch { preserved, cause, never, .. } = scratch;
        for at in members(self.events()) {
            preserved[at] = sk.preserved(self.base, at);
            cause[at] = preserved[at];
            never[at] = 0;
        }
        let mut reads = 0;
        for (read, write) in self.resolved() {
            reads |= 1u128 << read;
            let row = preserved[read];
            if row != 0 {
                sk.observed(self.from, read, |observed| cause[observed] |= row);
            }
            debug_assert!(writes >> write & 1 == 1);
        }
        for (read, write) in self.resolved() {
            if cause[read] >> write & 1 == 1 {
                return None;
            }
        }
        let mut order = vec![0; sk.run.events.len()];
        let first = writes.trailing_zeros() as usize;
        for write in members(writes) {
            order[write] = (cause[write] | sk.poloc[write]) & writes;
            if order[write] >> write & 1 == 1 {
                return None;
            }
            for read in members(cause[write] & reads) {
                never[self.from[read] as usize] |= 1 << write;
            }
        }
        order[first] |= writes & !(1 << first);
        Some(order)
    }

    /// Adds what follows; says whether no axiom is broken yet.
    fn propagate(&self, order: &mut Order, scratch: &mut Scratch) -> bool {
        let (sk, writes, events) = (self.skeleton, self.writes(), self.events());
        loop {
            for middle in members(writes) {
                let through = order[middle];
                for write in members(writes) {
                    if order[write] >> middle & 1 == 1 {
                        order[write] |= through;
                    }
                }
            }
            for write in members(writes) {
                if order[write] >> write & 1 == 1 || order[write] & scratch.never[write] & !(1 << write) != 0 {
                    return false;
                }
            }
            let graph = &mut scratch.graph;
            for at in members(events) {
                graph[at] = sk.poloc[at] | sk.ms[at] & if writes >> at & 1 == 1 { order[at] } else { 0 };
            }
            for (read, write) in self.resolved() {
                graph[write] |= sk.ms[write] & 1 << read;
                graph[read] |= sk.ms[read] & order[write];
            }
            for middle in members(events) {
                let through = graph[middle];
                for at in members(events) {
                    if graph[at] >> middle & 1 == 1 {
                        graph[at] |= through;
                    }
                }
            }
            let mut changed = false;
            for at in members(events) {
                if graph[at] >> at & 1 == 1 {
                    return false;
                }
                if writes >> at & 1 == 1 {
                    let forced = graph[at] & writes & sk.ms[at] & !order[at];
                    changed |= forced != 0;
                    order[at] |= forced;
                }
            }
            for (read, before) in self.resolved() {
                let Some(own) = sk.run.events[read].partner else { continue };
                let others = sk.ms[read] & sk.ms[own] & writes & !(1 << own) & !(1 << before);
                for other in members(others) {
                    let after = order[before] >> other & 1 == 1;
                    if after && order[other] >> own & 1 == 1 {
                        return false;
                    }
                    if after && order[own] >> other & 1 == 0 {
                        order[own] |= 1 << other;
                        changed = true;
                    }
                    let ahead = order[other] >> own & 1 == 1 && sk.ms[other] >> before & 1 == 1;
                    if ahead && order[other] >> before & 1 == 0 {
                        order[other] |= 1 << before;
                        changed = true;
                    }
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// Two writes that must be ordered and are not yet.
    fn open(&self, order: &Order) -> Option<(usize, usize)> {
        let writes = self.writes();
        members(writes).find_map(|a| {
            let unordered = self.skeleton.ms[a] & writes & !order[a] & !(1 << a);
            members(unordered).find(|b| order[*b] >> a & 1 == 0).map(|b| (a, b))
        })
    }

    fn branch(&self, order: &mut Order, scratch: &mut Scratch, enough: &mut dyn FnMut(&Order) -> bool) -> bool {
        if !self.propagate(order, scratch) {
            return false;
        }
        let Some((a, b)) = self.open(order) else { return enough(order) };
        let mut other = order.clone();
        order[a] |= 1 << b;
        if self.branch(order, scratch, enough) {
            return true;
        }
        other[b] |= 1 << a;
        self.branch(&mut other, scratch, enough)
    }

    /// Like `branch`, but leaves out what cannot add to the last writes.
    fn search(&self, order: &mut Order, scratch: &mut Scratch, last: &mut u128) {
        if !self.propagate(order, scratch) {
            return;
        }
        let maximal = members(self.writes()).filter(|at| order[*at] == 0).fold(0, |row, at| row | 1u128 << at);
        if maximal & !*last == 0 {
            return;
        }
        let Some((a, b)) = self.open(order) else {
            *last |= maximal;
            return;
        };
        let mut other = order.clone();
        order[a] |= 1 << b;
        self.search(order, scratch, last);
        other[b] |= 1 << a;
        self.search(&mut other, scratch, last);
    }
}
