//! The part of an execution that is being decided: which write each read reads, and what follows from that.
//!
//! Must not know the axioms.

use crate::Bits;
use crate::node::Node;
use crate::relation::{MOST, add_transitive, members};
use crate::skeleton::Skeleton;

/// No write chosen.
pub const NONE: u8 = u8::MAX;

/// What has been decided so far.
#[derive(Clone, Debug)]
pub struct Light {
    /// Per event: the write that it reads.
    pub from: Vec<u8>,
    /// The reads that have one.
    pub decided: u128,
    /// Per node: its value, as far as known.
    pub values: Vec<Option<Bits>>,
    /// Base causality, transitive.
    pub base: Vec<u128>,
    /// Per event: it reads a write that was not there yet in this generation; 0 where nothing was put off.
    pub later: Vec<u32>,
}

impl Light {
    /// Nothing decided and nothing there to decide.
    pub fn empty() -> Self {
        Light { from: Vec::new(), decided: 0, values: Vec::new(), base: Vec::new(), later: Vec::new() }
    }

    /// What was decided before threads went on.
    pub fn resume(skeleton: &Skeleton, mut from: Vec<u8>, mut later: Vec<u32>) -> Self {
        let count = skeleton.run.events.len();
        from.resize(count, NONE);
        later.resize(count, 0);
        let decided = members(skeleton.reads).filter(|read| from[*read] != NONE).fold(0, |all, read| all | 1 << read);
        let mut light = Light { from, decided, later, values: skeleton.run.constants(), base: skeleton.base.clone() };
        light.follow(skeleton, &mut Vec::new());
        light.synchronise(skeleton);
        light
    }

    /// Decides that a read reads a write.
    pub fn decide(&mut self, read: usize, write: usize) {
        self.from[read] = write as u8;
        self.decided |= 1 << read;
    }

    /// Takes a decision back, with the values that followed from it.
    pub fn take_back(&mut self, read: usize, trail: &mut Vec<usize>) {
        trail.drain(..).for_each(|node| self.values[node] = None);
        self.from[read] = NONE;
        self.decided &= !(1 << read);
    }

    /// The value of what an event reads or writes.
    pub fn value(&self, skeleton: &Skeleton, event: usize) -> Option<Bits> {
        self.values[skeleton.run.events[event].value]
    }

    /// Computes what can be computed now; says whether every assumption can still hold.
    pub fn follow(&mut self, skeleton: &Skeleton, trail: &mut Vec<usize>) -> bool {
        let mut changed = true;
        while changed {
            changed = false;
            for (at, node) in skeleton.run.nodes.iter().enumerate() {
                if self.values[at].is_some() {
                    continue;
                }
                let value = match node {
                    Node::Read(read) => match self.from[*read] {
                        NONE => None,
                        write => self.value(skeleton, write.into()),
                    },
                    node => node.value(|at| self.values[at]),
                };
                if value.is_some() {
                    self.values[at] = value;
                    trail.push(at);
                    changed = true;
                }
            }
        }
        self.as_assumed(skeleton)
    }

    /// Computes what follows from the decision of one read; says whether every assumption can still hold.
    pub fn follow_read(&mut self, skeleton: &Skeleton, read: usize, trail: &mut Vec<usize>) -> bool {
        let run = &skeleton.run;
        let begun = trail.len();
        let mut next = begun;
        self.find_out(run.events[read].value, self.value(skeleton, self.from[read].into()), trail);
        while let Some(known) = trail.get(next).copied() {
            next += 1;
            for user in &skeleton.users[known] {
                self.find_out(*user, run.nodes[*user].value(|at| self.values[at]), trail);
            }
            for write in members(skeleton.writers[known]) {
                let Some(memory) = skeleton.memory.get(run.events[write].physical) else { continue };
                for read in members(memory & skeleton.reads) {
                    if usize::from(self.from[read]) == write {
                        self.find_out(run.events[read].value, self.values[known], trail);
                    }
                }
            }
        }
        trail.len() == begun || self.as_assumed(skeleton)
    }

    fn find_out(&mut self, node: usize, value: Option<Bits>, trail: &mut Vec<usize>) {
        if self.values[node].is_none() && value.is_some() {
            self.values[node] = value;
            trail.push(node);
        }
    }

    fn as_assumed(&self, skeleton: &Skeleton) -> bool {
        skeleton.run.assumed.iter().all(|(node, holds)| self.values[*node].is_none_or(|value| (value != 0) == *holds))
    }

    /// Whether each of two events is before the other.
    pub fn cyclic(&self, a: usize, b: usize) -> bool {
        self.base[a] >> b & self.base[b] >> a & 1 == 1
    }

    /// Orders all `fence.sc` that must be ordered, in one way that goes with what is known.
    pub fn line_up(&mut self, skeleton: &Skeleton) {
        let before = |at: usize| members(skeleton.fences).filter(|other| self.base[*other] >> at & 1 == 1).count();
        let mut line: Vec<(usize, usize)> = members(skeleton.fences).map(|fence| (before(fence), fence)).collect();
        line.sort_unstable();
        // Each behind the one next to it: most of the other pairs follow from that.
        for near in [true, false] {
            for (at, (_, first)) in line.iter().enumerate() {
                let behind = if near { line.get(at + 1..at + 2).unwrap_or_default() } else { &line[at + 1..] };
                for (_, second) in behind.iter().filter(|(_, second)| skeleton.ms[*first] >> second & 1 == 1) {
                    add_transitive(&mut self.base, *first, *second);
                }
            }
        }
    }

    /// The reads that whatever depends on some reads depends on: those, and what they depend on in turn, through data, addresses, jumps
    /// and the writes that they read.
    pub fn sources(&self, skeleton: &Skeleton, some: u128) -> u128 {
        let (mut seen, mut open) = (0u128, some);
        while open != 0 {
            let at = open.trailing_zeros() as usize;
            seen |= 1 << at;
            open |= skeleton.needs[at];
            if self.from[at] != NONE {
                open |= skeleton.needs[usize::from(self.from[at])];
            }
            open &= !seen;
        }
        seen
    }

    /// Whether a write depends on a read.
    pub fn depends(&self, skeleton: &Skeleton, write: usize, read: usize) -> bool {
        self.sources(skeleton, skeleton.needs[write]) >> read & 1 == 1
    }

    /// Adds the synchronisation that reads bring about.
    pub fn synchronise(&mut self, skeleton: &Skeleton) {
        members(self.decided).for_each(|read| {
            self.obey(skeleton, read);
        });
    }

    /// Adds the causality that the decision of one read brings about; says whether there is more of it now.
    pub fn order(&mut self, skeleton: &Skeleton, read: usize) -> bool {
        let more = self.synchronise_read(skeleton, read);
        self.force(skeleton, if more { None } else { Some(skeleton.run.events[read].physical) }) | more
    }

    fn synchronise_read(&mut self, skeleton: &Skeleton, read: usize) -> bool {
        let events = &skeleton.run.events;
        let (mut more, mut seen, mut open) = (false, 0u128, 1u128 << read);
        while open != 0 {
            let at = open.trailing_zeros() as usize;
            seen |= 1 << at;
            more |= self.obey(skeleton, at);
            // Whoever reads what an atomic writes obeys through it whom that one's read obeys.
            if let Some(own) = events[at].partner {
                let readers = members(skeleton.memory[events[at].physical] & self.decided);
                open |= readers.filter(|other| usize::from(self.from[*other]) == own).fold(0, |all, at| all | 1 << at);
            }
            open &= !seen;
        }
        more
    }

    /// Orders what ends acquire patterns of a read behind what starts release patterns of the writes that it obeys.
    fn obey(&mut self, skeleton: &Skeleton, read: usize) -> bool {
        let ends = skeleton.acquires[read];
        let mut more = false;
        if ends != 0 {
            let base = &mut self.base;
            skeleton.observed(&self.from, read, |write| {
                for start in members(skeleton.releases[write]) {
                    for end in members(ends & skeleton.ms[start]) {
                        more |= add_transitive(base, start, end);
                    }
                }
            });
        }
        more
    }

    /// Orders fences where only one direction is left: a read of an older write must not be behind a newer one, or behind what observed
    /// it. Begins with the reads of one location, where nothing else is new, or with all. Says whether it added any.
    pub fn force(&mut self, skeleton: &Skeleton, location: Option<usize>) -> bool {
        if skeleton.sc.is_empty() {
            return false;
        }
        let mut reads = self.decided & location.map_or(u128::MAX, |location| skeleton.memory[location]);
        let mut more = false;
        while self.force_for(skeleton, reads) {
            (reads, more) = (self.decided, true);
        }
        more
    }

    /// Orders fences because of some of the reads, all those of their locations.
    fn force_for(&mut self, skeleton: &Skeleton, reads: u128) -> bool {
        let mut observers = [0u128; MOST];
        for read in members(reads) {
            skeleton.observed(&self.from, read, |write| observers[write] |= 1 << read);
        }
        // Per read that has any: the fences that it must not be behind.
        let (mut bound, mut behind) = (0u128, [0u128; MOST]);
        for read in members(reads) {
            let write = usize::from(self.from[read]);
            let event = &skeleton.run.events[write];
            let writes = skeleton.memory[event.physical] & skeleton.writes & !(1 << write);
            let known = skeleton.poloc[write] | self.base[write] & skeleton.plain[write];
            let newer = if event.thread.is_none() { writes } else { writes & known };
            let sources = members(newer).fold(0, |all, at| all | 1 << at | observers[at]) & skeleton.plain[read];
            behind[read] = members(sources).fold(0, |all, at| all | self.base[at]) & skeleton.fences;
            bound |= u128::from(behind[read] != 0) << read;
        }
        let mut more = false;
        for ahead in members(if bound == 0 { 0 } else { skeleton.fences }) {
            let after = members(self.base[ahead] & bound).fold(0, |all, read| all | behind[read]);
            for fence in members(after & skeleton.ms[ahead] & !self.base[ahead]) {
                more |= add_transitive(&mut self.base, ahead, fence);
            }
        }
        more
    }
}
