//! What is the same in every execution of a run: program order, what is morally strong to what, which patterns start and end where.
//!
//! Must not know what reads from what.

use crate::event::{Event, Kind};
use crate::relation::{Relation, add_transitive, members};
use crate::run::Run;

/// A run with the relations that it fixes.
#[derive(Clone, Debug)]
pub struct Skeleton<'a> {
    pub run: Run<'a>,
    /// Program order.
    pub po: Vec<u128>,
    /// What is morally strong to what.
    pub ms: Vec<u128>,
    /// Program order at one address through one proxy.
    pub poloc: Vec<u128>,
    /// Per write: the starts of release patterns that it ends.
    pub releases: Vec<u128>,
    /// Per read: the ends of acquire patterns that it starts.
    pub acquires: Vec<u128>,
    /// Same address and same proxy, so that base causality counts: the first two clauses of preserved causality.
    pub plain: Vec<u128>,
    /// The proxy fences.
    pub bridges: Vec<usize>,
    /// The fences between aliases.
    pub joints: Vec<usize>,
    /// Every `fence.sc`.
    pub fences: u128,
    /// Pairs of `fence.sc` that are morally strong, the smaller index first.
    pub sc: Vec<(usize, usize)>,
    /// What comes before what whatever is read: program order and barriers, transitive.
    pub base: Vec<u128>,
    /// Per location without alias: its events.
    pub memory: Vec<u128>,
    /// The locations that have events.
    pub locations: Vec<usize>,
    pub reads: u128,
    /// The reads whose location is known.
    pub placed: u128,
    /// Per event: the reads that it depends on.
    pub needs: Vec<u128>,
    pub writes: u128,
    /// Who meets whom, if that does not depend on values.
    pub meetings: Vec<(usize, usize)>,
    /// Per node: the nodes that are computed from it.
    pub users: Vec<Vec<usize>>,
    /// Per node: the writes of its value.
    pub writers: Vec<u128>,
    /// Whether what is read can add to base causality.
    pub orders_by_reading: bool,
    /// Whether there may be writes later that are not known now: a thread waits, or an address is not known.
    pub more_to_come: bool,
}

impl<'a> Skeleton<'a> {
    pub fn new(run: Run<'a>, meetings: &[(usize, usize)]) -> Self {
        let events = &run.events;
        let count = events.len();
        let rows = |holds: &dyn Fn(&Event, &Event) -> bool| -> Vec<u128> {
            let row = |a: usize| (0..count).filter(move |b| *b != a && holds(&events[a], &events[*b]));
            (0..count).map(|a| row(a).fold(0, |row, b| row | 1 << b)).collect()
        };
        let mut po = vec![0u128; count];
        for a in 0..count {
            for b in a + 1..count {
                if events[a].thread.is_some() && events[a].thread == events[b].thread {
                    po[a] |= 1 << b;
                }
            }
        }
        let ms = rows(&Event::morally_strong);
        let same = rows(&|a, b| a.same_address(b) && a.proxy == b.proxy);
        let poloc: Vec<u128> = po.iter().zip(&same).map(|(po, same)| po & same).collect();
        let plain = rows(&|a, b| {
            a.same_address(b) && a.proxy == b.proxy && {
                let generic = a.proxy == crate::Proxy::Generic;
                generic || a.place == b.place || a.thread.is_none() || b.thread.is_none()
            }
        });
        let set = |holds: &dyn Fn(&Event) -> bool| -> u128 {
            (0..count).filter(|at| holds(&events[*at])).fold(0, |row, at| row | 1 << at)
        };
        let release = set(&|e| e.kind == Kind::Write && e.release);
        let release_fences = set(&|e| e.is_fence() && e.release);
        let acquire = set(&|e| e.kind == Kind::Read && e.acquire && !e.reduction);
        let acquire_fences = set(&|e| e.is_fence() && e.acquire);
        let mut releases = vec![0; count];
        let mut acquires = vec![0; count];
        for at in 0..count {
            let event = &events[at];
            if event.kind == Kind::Write && event.strong {
                let before =
                    |order: &[u128]| (0..count).filter(|a| order[*a] >> at & 1 == 1).fold(0, |r, a| r | 1 << a);
                releases[at] = release & (before(&poloc) | 1 << at) | release_fences & before(&po);
            }
            if event.kind == Kind::Read && event.strong && !event.reduction {
                acquires[at] = acquire & (poloc[at] | 1 << at) | acquire_fences & po[at];
            }
        }
        let fences = set(&|e| e.sc);
        let pairs = members(fences).flat_map(|a| members(fences & ms[a]).filter(move |b| a < *b).map(move |b| (a, b)));
        let mut base = po.clone();
        meetings.iter().for_each(|(a, b)| {
            add_transitive(&mut base, *a, *b);
        });
        let mut users = vec![Vec::new(); run.nodes.len()];
        for (at, node) in run.nodes.iter().enumerate() {
            node.operands().for_each(|operand| users[operand].push(at));
        }
        let mut writers = vec![0; run.nodes.len()];
        for (at, event) in events.iter().enumerate().filter(|(_, event)| event.kind == Kind::Write) {
            writers[event.value] |= 1 << at;
        }
        let sc: Vec<_> = pairs.collect();
        let patterns = acquires.iter().any(|ends| *ends != 0) && releases.iter().any(|starts| *starts != 0);
        let unplaced = |event: &Event| event.is_memory() && event.location.is_none();
        let memory = (0..run.program.locations.len()).map(|at| set(&|e| e.location.is_some() && e.physical == at));
        let memory: Vec<u128> = memory.collect();
        Skeleton {
            bridges: members(set(&|e| e.kind == Kind::ProxyFence)).collect(),
            joints: members(set(&|e| e.kind == Kind::AliasFence)).collect(),
            fences,
            orders_by_reading: !sc.is_empty() || patterns,
            sc,
            locations: (0..memory.len()).filter(|at| memory[*at] != 0).collect(),
            memory,
            reads: set(&|e| e.kind == Kind::Read),
            placed: set(&|e| e.kind == Kind::Read && e.location.is_some()),
            needs: events.iter().map(|event| event.needs).collect(),
            writes: set(&|e| e.kind == Kind::Write),
            po,
            ms,
            poloc,
            releases,
            acquires,
            plain,
            base,
            meetings: meetings.to_vec(),
            users,
            writers,
            more_to_come: !run.done() || events.iter().any(unplaced),
            run,
        }
    }

    /// Preserved causality from one event, given base causality: what it may be observed by at the same memory.
    pub fn preserved(&self, base: &[u128], a: usize) -> u128 {
        let mut all = base[a] & self.plain[a];
        if self.bridges.is_empty() && self.joints.is_empty() {
            return all;
        }
        let events = &self.run.events;
        let memory = self.memory[events[a].physical];
        for b in members(memory & base[a] & !all) {
            if self.bridged(base, a, b) {
                all |= 1 << b;
            }
        }
        all
    }

    /// The clauses of the mixed-proxy model with fences between: out of the first proxy, across aliases where the addresses differ, into
    /// the second proxy.
    fn bridged(&self, base: &[u128], a: usize, b: usize) -> bool {
        let events = &self.run.events;
        let before = |x: usize, y: usize| base[x] >> y & 1 == 1;
        let serves = |fence: usize, event: usize| {
            events[fence].proxy == events[event].proxy && events[fence].place == events[event].place
        };
        // Where the value is in the generic proxy: the event itself, or a fence of its proxy behind it.
        let generic = |event: usize| events[event].proxy == crate::Proxy::Generic;
        let outs = std::iter::once(a).filter(|a| generic(*a));
        let outs: Vec<_> =
            outs.chain(self.bridges.iter().copied().filter(|fence| serves(*fence, a) && before(a, *fence))).collect();
        let ins = std::iter::once(b).filter(|b| generic(*b));
        let ins: Vec<_> =
            ins.chain(self.bridges.iter().copied().filter(|fence| serves(*fence, b) && before(*fence, b))).collect();
        let reaches = |x: usize, y: usize| x == y || before(x, y);
        if events[a].generic == events[b].generic {
            outs.iter().any(|x| ins.iter().any(|y| (*x, *y) != (a, b) && reaches(*x, *y)))
        } else {
            let joined = |x: &usize, y: &usize| self.joints.iter().any(|f| before(*x, *f) && before(*f, *y));
            outs.iter().any(|x| ins.iter().any(|y| joined(x, y)))
        }
    }

    /// Program order as a relation.
    pub fn program_order(&self) -> Relation {
        Relation::from_rows(self.po.clone())
    }

    /// The writes that a read obeys morally strongly, itself resolved: its own, and through read-modify-writes the ones before.
    pub fn observed(&self, from: &[u8], read: usize, mut each: impl FnMut(usize)) {
        let mut read = read;
        for _ in 0..self.run.events.len() {
            let write = from[read] as usize;
            if write >= self.run.events.len() || self.ms[write] >> read & 1 == 0 {
                return;
            }
            each(write);
            match self.run.events[write].partner {
                Some(partner) => read = partner,
                None => return,
            }
        }
    }
}
