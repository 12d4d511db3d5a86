//! A whole execution: every event with its value, and every relation of the model, each spelled out as the model defines it.
//!
//! This is the definition; the search has shortcuts of its own, and tests compare them. Must not know how executions are found.

use crate::Bits;
use crate::coherence::Order;
use crate::event::{Event, Kind};
use crate::light::{Light, NONE};
use crate::relation::{Relation, members};
use crate::skeleton::Skeleton;

/// An execution with its relations.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The events; the first values of memory come first.
    pub events: Vec<Event>,
    /// What each event reads or writes; `None` of fences and barriers.
    pub values: Vec<Option<Bits>>,
    /// Program order.
    pub po: Relation,
    /// Program order at one address through one proxy.
    pub poloc: Relation,
    /// From a write to the reads that read it.
    pub rf: Relation,
    /// The order of writes, as far as there is one.
    pub co: Relation,
    /// From a read to the writes behind the one that it read.
    pub fr: Relation,
    /// From the read of a read-modify-write to its write.
    pub rmw: Relation,
    /// Morally strong pairs.
    pub ms: Relation,
    /// The order of `fence.sc`.
    pub sc: Relation,
    /// From arrivals at barriers to the ends of waiting there.
    pub barrier: Relation,
    /// Who obeys whom through reads and read-modify-writes.
    pub obs: Relation,
    /// Synchronisation.
    pub sync: Relation,
    /// Base causality: program order and synchronisation, transitive.
    pub base: Relation,
    /// Causality at one memory.
    pub cause: Relation,
    /// Address, data and control dependencies.
    pub dep: Relation,
}

impl Execution {
    pub(crate) fn new(
        skeleton: &Skeleton,
        light: &Light,
        meetings: &[(usize, usize)],
        fences: &[(usize, usize)],
        orders: Order,
    ) -> Self {
        let events = skeleton.run.events.clone();
        let count = events.len();
        let pairs = |pairs: &mut dyn Iterator<Item = (usize, usize)>| {
            let mut relation = Relation::empty(count);
            pairs.for_each(|(a, b)| relation.add(a, b));
            relation
        };
        let po = skeleton.program_order();
        let poloc = po.filter(|a, b| events[a].same_address(&events[b]) && events[a].proxy == events[b].proxy);
        let reads = (0..count).filter(|at| light.from[*at] != NONE);
        let rf = pairs(&mut reads.map(|read| (usize::from(light.from[read]), read)));
        let co = Relation::from_rows(orders).closure();
        let fr = rf.inverse().then(&co);
        let halves = (0..count).filter(|at| events[*at].kind == Kind::Read);
        let rmw = pairs(&mut halves.filter_map(|read| Some((read, events[read].partner?))));
        let ms = Relation::of(count, |a, b| a != b && events[a].morally_strong(&events[b]));
        let (sc, barrier) = (pairs(&mut fences.iter().copied()), pairs(&mut meetings.iter().copied()));
        let obs = observation(&rf.and(&ms), &rmw);
        let sync = synchronisation(&events, &po, &ms, &obs).or(&sc).or(&barrier);
        let base = po.or(&sync).closure();
        let cause = obs.optional().then(&preserved(&events, &base));
        let dep = pairs(&mut (0..count).flat_map(|at| members(events[at].needs).map(move |read| (read, at))));
        let values =
            events.iter().map(|event| event.is_memory().then(|| light.values[event.value]).flatten()).collect();
        Execution { events, values, po, poloc, rf, co, fr, rmw, ms, sc, barrier, obs, sync, base, cause, dep }
    }
}

/// The least relation that holds what is read morally strongly, and `obs; rmw; obs`.
fn observation(strong: &Relation, rmw: &Relation) -> Relation {
    let mut obs = strong.clone();
    loop {
        let more = obs.or(&obs.then(rmw).then(&obs));
        if more == obs {
            return obs;
        }
        obs = more;
    }
}

/// What reading synchronises: from the start of a release pattern to the end of an acquire pattern.
fn synchronisation(events: &[Event], po: &Relation, ms: &Relation, obs: &Relation) -> Relation {
    let count = events.len();
    let near = |a: usize, b: usize| {
        a == b || po.has(a, b) && events[a].same_address(&events[b]) && events[a].proxy == events[b].proxy
    };
    let release = Relation::of(count, |a, b| {
        let (start, end) = (&events[a], &events[b]);
        let strong = end.kind == Kind::Write && end.strong;
        let write = start.kind == Kind::Write && near(a, b);
        strong && start.release && (write || start.is_fence() && po.has(a, b))
    });
    let acquire = Relation::of(count, |a, b| {
        let (start, end) = (&events[a], &events[b]);
        let strong = start.kind == Kind::Read && start.strong && !start.reduction;
        let read = end.kind == Kind::Read && !end.reduction && near(a, b);
        strong && end.acquire && (read || end.is_fence() && po.has(a, b))
    });
    release.then(obs).then(&acquire).and(ms)
}

/// Base causality where it counts: at one address through one proxy, or with the proxy fences that lead from one to the other.
fn preserved(events: &[Event], base: &Relation) -> Relation {
    let count = events.len();
    let set = |kind| Relation::of(count, move |a, b| a == b && events[a].kind == kind);
    let (bridges, joints) = (set(Kind::ProxyFence), set(Kind::AliasFence));
    let serves =
        |fence: usize, at: usize| events[fence].proxy == events[at].proxy && events[fence].place == events[at].place;
    let memory = |at: usize| events[at].is_memory();
    let generic = Relation::of(count, |a, b| a == b && memory(a) && events[a].proxy == crate::Proxy::Generic);
    let out = base.then(&bridges).filter(|a, f| memory(a) && serves(f, a));
    let back = bridges.then(base).filter(|f, b| memory(b) && serves(f, b));
    // Each side is an event that is generic itself, or a fence between it and the generic proxy.
    let (from, to) = (generic.or(&out), generic.or(&back));
    let through = from.then(base).then(&to).or(&out.then(&back));
    let joined = from.then(base).then(&joints).then(base).then(&to);
    let same = |a: usize, b: usize| events[a].same_address(&events[b]);
    let plain =
        base.filter(|a, b| same(a, b) && events[a].proxy == events[b].proxy && events[a].place == events[b].place);
    let across = |a: usize, b: usize| events[a].same_memory(&events[b]);
    plain.or(&through.filter(same)).or(&joined.filter(across))
}
