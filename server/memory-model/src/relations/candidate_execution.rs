//! Candidate executions: a run with the relations that do not depend on which writes its reads read.

use crate::code::proxy::Proxy;
use crate::relations::barrier::BarrierPairing;
use crate::relations::event::{Event, EventKind, OperationFence};
use crate::relations::event_set::EventSet;
use crate::relations::reads_from::ReadsFrom;
use crate::relations::relation::Relation;
use crate::runs::asynchronous::{completion, is_own, issue_order, successors};
use crate::runs::run::ProgramRun;

/// A run with the relations that do not depend on reads-from.
#[derive(Clone, Debug)]
pub struct CandidateExecution<'a> {
    pub run: ProgramRun<'a>,
    pub program_order: Relation,
    pub morally_strong: Relation,
    /// Pairs that are atomic to each other: morally strong ones, and operations on one mbarrier.
    pub atomic: Relation,
    /// Program order at one address through one proxy.
    pub program_order_per_location: Relation,
    /// From a write to the first events of the release patterns that it completes.
    pub release_patterns: Relation,
    /// From a read to the last events of the acquire patterns that it begins.
    pub acquire_patterns: Relation,
    /// Same address and same proxy: the first two clauses of proxy-preserved base causality order.
    pub same_proxy: Relation,
    /// The fences between proxies.
    proxy_fences: EventSet,
    /// The fences between aliases.
    alias_fences: EventSet,
    /// The issues of asynchronous operations, and the fences that operations need.
    issues: EventSet,
    /// Per event: if it initializes an mbarrier, the fences after it that are for that alone.
    mbarrier_init_fences: Relation,
    /// From the issue of an asynchronous operation to its events.
    issue_order: Relation,
    /// Every `fence.sc`.
    pub sc_fences: EventSet,
    /// Pairs of `fence.sc` that fence-SC order relates: morally strong ones, the smaller index first.
    pub sc_pairs: Vec<(usize, usize)>,
    /// Base causality order without synchronization by reads: program order and barriers, transitive.
    pub base_causality_order: Relation,
    /// Per location that is no alias: its accesses.
    pub accesses: Vec<EventSet>,
    /// The locations that are accessed.
    pub locations: Vec<usize>,
    /// Per event: the reads that it depends on.
    pub dependencies: Vec<EventSet>,
    pub reads: EventSet,
    /// The reads whose location is known.
    pub located_reads: EventSet,
    pub writes: EventSet,
    /// The pairing of barriers, if it does not depend on values.
    pub barriers: BarrierPairing,
    /// Per node: the nodes that use it.
    pub users: Vec<Vec<usize>>,
    /// Per node: the writes that write its value.
    pub writers: Vec<EventSet>,
    /// Whether reads can add edges to base causality order.
    pub reads_synchronize: bool,
    /// Whether writes may be added later: a thread waits, or an address is unknown.
    pub incomplete: bool,
}

impl<'a> CandidateExecution<'a> {
    /// The candidate execution of a run, with a pairing of its barriers.
    pub fn new(run: ProgramRun<'a>, barriers: &[(usize, usize)]) -> Self {
        let events = &run.events;
        let of_kind = |kind| set(events, |event| event.kind == kind);
        let (reads, writes) = (of_kind(EventKind::Read), of_kind(EventKind::Write));
        let program_order = Relation::of(events.len(), |a, b| a < b && events[a].same_thread(&events[b]));
        let morally_strong = between(events, Event::morally_strong);
        let atomic = between(events, Event::atomic);
        let program_order_per_location = program_order.filter(|a, b| events[a].same_location(&events[b]));
        let release_patterns = release_patterns(events, &program_order, &program_order_per_location);
        let acquire_patterns = acquire_patterns(events, &program_order, &program_order_per_location);
        let patterns = release_patterns.edges().next().is_some() && acquire_patterns.edges().next().is_some();
        let sc_fences = set(events, |event| event.sc);
        let sc_pairs = sc_pairs(sc_fences, &morally_strong);
        let mut base_causality_order = ordering_program_order(events, &program_order);
        base_causality_order.extend_transitive(barriers);
        let completed: Vec<(usize, usize)> = completion(run.program, events).edges().collect();
        base_causality_order.extend_transitive(&completed);
        let accesses: Vec<EventSet> = (0..run.program.locations.len())
            .map(|location| set(events, |event| event.location.is_some() && event.physical == location))
            .collect();
        CandidateExecution {
            same_proxy: between(events, same_proxy),
            proxy_fences: of_kind(EventKind::ProxyFence),
            alias_fences: of_kind(EventKind::AliasFence),
            issues: of_kind(EventKind::Issue) | of_kind(EventKind::IssueFence),
            issue_order: issue_order(run.program, events),
            mbarrier_init_fences: mbarrier_init_fences(events, &program_order),
            locations: (0..accesses.len()).filter(|at| !accesses[*at].is_empty()).collect(),
            located_reads: reads & set(events, |event| event.location.is_some()),
            dependencies: events.iter().map(|event| event.dependencies).collect(),
            users: users(&run),
            writers: writers(&run, writes),
            barriers: barriers.to_vec(),
            reads_synchronize: patterns || !sc_pairs.is_empty(),
            incomplete: !run.done() || events.iter().any(|event| event.is_memory() && event.location.is_none()),
            program_order,
            morally_strong,
            atomic,
            program_order_per_location,
            release_patterns,
            acquire_patterns,
            sc_fences,
            sc_pairs,
            base_causality_order,
            accesses,
            reads,
            writes,
            run,
        }
    }

    /// The accesses to the same memory as an event whose location is known.
    pub fn same_memory(&self, event: usize) -> EventSet {
        self.accesses[self.run.events[event].physical]
    }

    /// The successors of an access in proxy-preserved base causality order.
    pub fn proxy_preserved(&self, base: &Relation, a: usize) -> EventSet {
        let fences = self.mbarrier_init_fences.successors(a);
        let behind = self.before(base, a) | fences.union_of(|fence| self.before(base, fence));
        let same_proxy = behind & self.same_proxy.successors(a);
        if self.proxy_fences.is_empty() && self.alias_fences.is_empty() {
            return same_proxy;
        }
        let others = (self.same_memory(a) & behind) - same_proxy;
        same_proxy | others.filter(|b| self.is_preserved_by_fences(base, a, b))
    }

    /// Whether an access is of an asynchronous operation that an order puts after an event.
    pub fn is_issued_after(&self, order: &Relation, event: usize, access: usize) -> bool {
        let behind = order.successors(event) & self.issues;
        behind.into_iter().any(|issue| self.issue_order.contains(issue, access))
    }

    /// Whether there are asynchronous operations.
    pub fn has_operations(&self) -> bool {
        !self.issues.is_empty()
    }

    /// The accesses that base causality order, and then perhaps an issue, orders after an event.
    fn before(&self, base: &Relation, a: usize) -> EventSet {
        successors(base, &self.issue_order, self.issues, a)
    }

    /// The clauses of proxy-preserved base causality order with fences: from the proxy of `a` to generic, across aliases where the
    /// addresses differ, and from generic to the proxy of `b`.
    fn is_preserved_by_fences(&self, base: &Relation, a: usize, b: usize) -> bool {
        let events = &self.run.events;
        let fences_for = |access: usize| {
            self.proxy_fences.into_iter().filter(move |fence| events[*fence].is_proxy_fence_for(&events[access]))
        };
        // The events at which the value is visible in the generic proxy: the access itself, or a fence of its proxy.
        let itself = |access: usize| std::iter::once(access).filter(|access| events[*access].proxy == Proxy::Generic);
        // Base causality order continues through an issue only to the access itself.
        let is_before = |x: usize, y: usize| base.contains(x, y) || y == b && self.before(base, x).contains(b);
        let into_generic = || {
            itself(a).chain(fences_for(a).filter(|fence| events[*fence].leads_to_generic() && base.contains(a, *fence)))
        };
        let out_of_generic: EventSet =
            itself(b).chain(fences_for(b).filter(|fence| self.before(base, *fence).contains(b))).collect();
        // Whose write it is decides whether a release is needed, not whose fence made it visible to the generic proxy.
        let is_handed_over = |x: usize, y: usize| {
            let is_released =
                |fence: usize| events[fence].is_proxy_release() && base.contains(x, fence) && base.contains(fence, y);
            !events[y].is_fence_of_maps()
                || is_own(self.run.program, &events[a], &events[y])
                || self.proxy_fences.into_iter().any(is_released)
        };
        if events[a].generic == events[b].generic {
            let reaches = |x: usize, y: usize| (x, y) != (a, b) && (x == y || is_before(x, y) && is_handed_over(x, y));
            into_generic().any(|x| out_of_generic.into_iter().any(|y| reaches(x, y)))
        } else {
            let through = |x: usize, y: usize| {
                self.alias_fences
                    .into_iter()
                    .any(|fence| base.contains(x, fence) && is_before(fence, y) && is_handed_over(fence, y))
            };
            into_generic().any(|x| out_of_generic.into_iter().any(|y| through(x, y)))
        }
    }

    /// The writes that a read observes: the write that it reads if they are atomic to each other, and transitively through read-modify-writes.
    pub fn observed<'s>(&'s self, reads_from: &'s ReadsFrom, read: usize) -> impl Iterator<Item = usize> + 's {
        let mut next = Some(read);
        let observed = std::iter::from_fn(move || {
            let read = next?;
            let write = reads_from.write_of(read).filter(|write| self.atomic.contains(*write, read))?;
            next = self.run.events[write].partner;
            Some(write)
        });
        observed.take(self.run.events.len())
    }
}

/// The events with a property.
fn set(events: &[Event], holds: impl Fn(&Event) -> bool) -> EventSet {
    (0..events.len()).filter(|at| holds(&events[*at])).collect()
}

/// The pairs of different events with a property.
fn between(events: &[Event], holds: impl Fn(&Event, &Event) -> bool) -> Relation {
    Relation::of(events.len(), |a, b| a != b && holds(&events[a], &events[b]))
}

/// Whether both access the same location through the same proxy. Only the generic proxy is shared by all CTAs.
fn same_proxy(a: &Event, b: &Event) -> bool {
    let everywhere = a.proxy == Proxy::Generic || a.thread.is_none() || b.thread.is_none();
    a.same_location(b) && (everywhere || a.place == b.place)
}

/// The program order that is part of base causality order: nothing is ordered before a fence for the initialization of mbarriers, and only
/// other fences for asynchronous operations before one that releases such.
pub fn ordering_program_order(events: &[Event], program_order: &Relation) -> Relation {
    let is_ordered = |a: &Event, b: &Event| {
        !b.mbarrier_init && (!b.is_operation_fence(OperationFence::Release) || a.operation_fence.is_some())
    };
    program_order.filter(|a, b| is_ordered(&events[a], &events[b]))
}

/// From the initialization of an mbarrier to the later fences of its thread that are for that alone.
pub fn mbarrier_init_fences(events: &[Event], program_order: &Relation) -> Relation {
    let initializes = |write: &Event| {
        let is_mbarrier = || events.iter().any(|other| other.mbarrier && other.same_memory(write));
        write.kind == EventKind::Write && !write.mbarrier && is_mbarrier()
    };
    program_order.filter(|a, b| events[b].mbarrier_init && initializes(&events[a]))
}

/// From a write to the first events of the release patterns that it completes.
fn release_patterns(events: &[Event], program_order: &Relation, per_location: &Relation) -> Relation {
    let writes = set(events, |event| event.kind == EventKind::Write && event.release);
    let fences = set(events, |event| event.is_fence() && event.release);
    let starts = |end: usize| match events[end].is_strong_write() {
        true => {
            let writes = writes & (per_location.predecessors(end) | EventSet::of(end));
            writes | fences & program_order.predecessors(end)
        }
        false => EventSet::EMPTY,
    };
    (0..events.len()).map(starts).collect()
}

/// From a read to the last events of the acquire patterns that it begins.
fn acquire_patterns(events: &[Event], program_order: &Relation, per_location: &Relation) -> Relation {
    let reads = set(events, |event| event.kind == EventKind::Read && event.acquire && !event.reduction);
    let fences = set(events, |event| event.is_fence() && event.acquire);
    let ends = |start: usize| match events[start].is_strong_read() {
        true => {
            let reads = reads & (per_location.successors(start) | EventSet::of(start));
            reads | fences & program_order.successors(start)
        }
        false => EventSet::EMPTY,
    };
    (0..events.len()).map(ends).collect()
}

/// The morally strong pairs of `fence.sc`, the smaller index first.
fn sc_pairs(sc_fences: EventSet, morally_strong: &Relation) -> Vec<(usize, usize)> {
    let later = |a: usize| (sc_fences & morally_strong.successors(a)).into_iter().filter(move |b| a < *b);
    sc_fences.into_iter().flat_map(|a| later(a).map(move |b| (a, b))).collect()
}

/// Per node: the nodes that use it.
fn users(run: &ProgramRun) -> Vec<Vec<usize>> {
    let mut users = vec![Vec::new(); run.nodes.len()];
    for (at, node) in run.nodes.iter().enumerate() {
        node.operands().for_each(|operand| users[operand].push(at));
    }
    users
}

/// Per node: the writes that write its value.
fn writers(run: &ProgramRun, writes: EventSet) -> Vec<EventSet> {
    let mut writers = vec![EventSet::EMPTY; run.nodes.len()];
    writes.into_iter().for_each(|write| writers[run.events[write].value].insert(write));
    writers
}
