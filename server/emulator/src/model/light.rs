//! The part of an execution that is being decided: which write each read reads, and what follows from that.
//!
//! Must not know the axioms.

use super::Bits;
use super::relation::{MOST, add_transitive, members};
use super::run::Node;
use super::skeleton::Skeleton;

/// No write chosen.
pub const NONE: u8 = u8::MAX;

/// What has been decided so far.
#[derive(Clone, Debug)]
pub struct Light {
    /// Per event: the write that it reads.
    pub from: Vec<u8>,
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
        Light { from: Vec::new(), values: Vec::new(), base: Vec::new(), later: Vec::new() }
    }

    /// What was decided before threads went on.
    pub fn resume(skeleton: &Skeleton, mut from: Vec<u8>, mut later: Vec<u32>) -> Self {
        let count = skeleton.run.events.len();
        from.resize(count, NONE);
        later.resize(count, 0);
        let mut light = Light { from, later, values: skeleton.constants(), base: skeleton.base.clone() };
        light.follow(skeleton, &mut Vec::new());
        light.synchronise(skeleton);
        light
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
        let mut places = [0; MOST];
        members(skeleton.fences).for_each(|fence| places[fence] = before(fence));
        for (a, b) in &skeleton.sc {
            let (from, to) = if (places[*a], a) < (places[*b], b) { (*a, *b) } else { (*b, *a) };
            add_transitive(&mut self.base, from, to);
        }
    }

    /// Whether a write depends on a read, through data, addresses, jumps and other reads.
    pub fn depends(&self, skeleton: &Skeleton, write: usize, read: usize) -> bool {
        let events = &skeleton.run.events;
        let (mut seen, mut open) = (0u128, events[write].needs);
        while open != 0 {
            let at = open.trailing_zeros() as usize;
            seen |= 1 << at;
            open |= events[at].needs;
            if self.from[at] != NONE {
                open |= events[usize::from(self.from[at])].needs;
            }
            open &= !seen;
        }
        seen >> read & 1 == 1
    }

    /// Adds the synchronisation that reads bring about; says whether there is more of it now.
    pub fn synchronise(&mut self, skeleton: &Skeleton) -> bool {
        let mut more = false;
        for read in members(skeleton.reads) {
            let ends = skeleton.acquires[read];
            if ends == 0 || self.from[read] == NONE {
                continue;
            }
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
    /// it. Says whether it added any.
    pub fn force(&mut self, skeleton: &Skeleton) -> bool {
        if skeleton.sc.is_empty() {
            return false;
        }
        let mut observers = [0u128; MOST];
        let decided = members(skeleton.reads).filter(|read| self.from[*read] != NONE).fold(0, |all, at| all | 1 << at);
        for read in members(decided) {
            skeleton.observed(&self.from, read, |write| observers[write] |= 1 << read);
        }
        let mut more = false;
        let mut changed = true;
        while changed {
            changed = false;
            for read in members(decided) {
                let write = usize::from(self.from[read]);
                let event = &skeleton.run.events[write];
                let writes = skeleton.memory[event.physical] & skeleton.writes & !(1 << write);
                let known = skeleton.poloc[write] | self.base[write] & skeleton.plain[write];
                let newer = if event.thread.is_none() { writes } else { writes & known };
                let sources = members(newer).fold(0, |all, at| all | 1 << at | observers[at]) & skeleton.plain[read];
                let behind = members(sources).fold(0, |all, at| all | self.base[at]) & skeleton.fences;
                if behind == 0 {
                    continue;
                }
                let ahead = members(skeleton.fences).filter(|fence| self.base[*fence] >> read & 1 == 1);
                let ahead = ahead.fold(0, |all, fence| all | 1u128 << fence);
                for a in members(behind) {
                    for b in members(ahead & skeleton.ms[a]) {
                        changed |= add_transitive(&mut self.base, b, a);
                    }
                }
            }
            more |= changed;
        }
        more
    }
}
