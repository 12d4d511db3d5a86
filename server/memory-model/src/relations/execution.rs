//! Complete executions: every event with its value, and every relation of the model as the paper defines it.
//!
//! This is the reference definition. The search computes the same relations incrementally, and tests compare the two.

use crate::Bits;
use crate::code::program::Program;
use crate::relations::candidate_execution::{CandidateExecution, mbarrier_init_fences, ordering_program_order};
use crate::relations::event::{Event, EventKind};
use crate::relations::partial_execution::PartialExecution;
use crate::relations::relation::Relation;
use crate::runs::asynchronous::{completion, is_own, issue_order};

/// An execution with its relations. Their names are those of the paper.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The events; the initial values of memory come first.
    pub events: Vec<Event>,
    /// The value that each event reads or writes; `None` for fences and barriers.
    pub values: Vec<Option<Bits>>,
    /// Program order (`po`).
    pub program_order: Relation,
    /// Program order at one address through one proxy (`po_loc`).
    pub program_order_per_location: Relation,
    /// Reads-from (`rf`): from a write to the reads that read it.
    pub reads_from: Relation,
    /// Coherence order (`co`): a partial order of the writes of each location.
    pub coherence_order: Relation,
    /// From-reads (`fr`): from a read to the writes that are after the write it read in coherence order.
    pub from_reads: Relation,
    /// From the read of a read-modify-write to its write (`rmw`).
    pub read_modify_write: Relation,
    /// Morally strong pairs.
    pub morally_strong: Relation,
    /// Pairs that are atomic to each other: morally strong ones, and operations on one mbarrier.
    pub atomic: Relation,
    /// Fence-SC order (`sc`).
    pub fence_sc_order: Relation,
    /// From arrivals at barriers to the ends of waits.
    pub barrier_synchronization: Relation,
    /// From the events of asynchronous operations to the ends of waits for them.
    pub completion: Relation,
    /// From the issue of an asynchronous operation to its events.
    pub issue_order: Relation,
    /// Observation (`obs`): reads-from, transitively through read-modify-writes.
    pub observation: Relation,
    /// Synchronizes-with (`sync`): release patterns with acquire patterns, fence-SC order and barriers.
    pub synchronizes_with: Relation,
    /// Base causality order: program order and synchronizes-with, transitive.
    pub base_causality_order: Relation,
    /// Causality order (`cause`), between accesses to the same memory.
    pub causality_order: Relation,
    /// From a read to the writes of asynchronous operations that are issued after it. Here patterns of mbarriers order in every scope.
    pub overwrites: Relation,
    /// Address, data and control dependencies (`dep`).
    pub dependency: Relation,
}

/// The choices that complete a candidate execution, besides reads-from.
pub(crate) struct Choices<'c> {
    /// From arrivals at barriers to the ends of waits.
    pub barriers: &'c [(usize, usize)],
    /// Fence-SC order.
    pub fence_sc: &'c [(usize, usize)],
    /// Coherence order; edges that follow by transitivity may be missing.
    pub coherence: &'c Relation,
}

impl Execution {
    pub(crate) fn new(candidate: &CandidateExecution, partial: &PartialExecution, choices: &Choices) -> Self {
        let events = candidate.run.events.clone();
        let count = events.len();
        let program_order = candidate.program_order.clone();
        let program_order_per_location = program_order.filter(|a, b| events[a].same_location(&events[b]));
        let reads_from = Relation::from_edges(count, partial.reads_from.edges());
        let coherence_order = choices.coherence.closure();
        let from_reads = reads_from.inverse().then(&coherence_order);
        let read_modify_write = read_modify_write(&events);
        let morally_strong = Relation::of(count, |a, b| a != b && events[a].morally_strong(&events[b]));
        let atomic = Relation::of(count, |a, b| a != b && events[a].atomic(&events[b]));
        let fence_sc_order = Relation::from_edges(count, choices.fence_sc.iter().copied());
        let barrier_synchronization = Relation::from_edges(count, choices.barriers.iter().copied());
        let completion = completion(candidate.run.program, &events);
        let issue_order = issue_order(candidate.run.program, &events);
        let observation = observation(&reads_from.intersection(&atomic), &read_modify_write);
        let synchronizes_with = patterns(&events, &program_order, &observation)
            .intersection(&morally_strong)
            .union(&fence_sc_order)
            .union(&barrier_synchronization)
            .union(&completion);
        let ordering = ordering_program_order(&events, &program_order);
        let base_causality_order = ordering.union(&synchronizes_with).closure();
        let signals = observation.filter(|a, b| events[a].mbarrier && events[b].mbarrier);
        let order = base_causality_order.union(&patterns(&events, &program_order, &signals));
        let overwrites = overwrites(&events, &order, &issue_order);
        let preserved =
            proxy_preserved_base_causality((candidate.run.program, &events), &base_causality_order, &issue_order)
                .union(
                    &mbarrier_init_fences(&events, &program_order)
                        .then(&base_causality_order)
                        .filter(|a, b| events[a].same_location(&events[b])),
                );
        let causality_order = observation.reflexive().then(&preserved);
        Execution {
            values: events.iter().map(|event| partial.value_of(event)).collect(),
            dependency: dependency(&events),
            events,
            program_order,
            program_order_per_location,
            reads_from,
            coherence_order,
            from_reads,
            read_modify_write,
            morally_strong,
            atomic,
            fence_sc_order,
            barrier_synchronization,
            completion,
            issue_order,
            observation,
            synchronizes_with,
            base_causality_order,
            causality_order,
            overwrites,
        }
    }

    /// The write that a read reads.
    pub fn write_read_by(&self, read: usize) -> Option<usize> {
        self.reads_from.predecessors(read).first()
    }
}

fn read_modify_write(events: &[Event]) -> Relation {
    let reads = events.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Read);
    Relation::from_edges(events.len(), reads.filter_map(|(read, event)| Some((read, event.partner?))))
}

fn dependency(events: &[Event]) -> Relation {
    let edges = |(at, event): (usize, &Event)| event.dependencies.into_iter().map(move |read| (read, at));
    Relation::from_edges(events.len(), events.iter().enumerate().flat_map(edges))
}

/// Observation: the least relation that includes morally strong reads-from and `observation; rmw; observation`.
fn observation(strong_reads_from: &Relation, read_modify_write: &Relation) -> Relation {
    let mut observation = strong_reads_from.clone();
    loop {
        let more = observation.union(&observation.then(read_modify_write).then(&observation));
        if more == observation {
            return observation;
        }
        observation = more;
    }
}

/// From the begin of a release pattern to the end of an acquire pattern that observes it, whatever their scopes.
fn patterns(events: &[Event], po: &Relation, observation: &Relation) -> Relation {
    let count = events.len();
    let same_or_earlier = |a: usize, b: usize| a == b || po.contains(a, b) && events[a].same_location(&events[b]);
    let release_pattern = Relation::of(count, |a, b| {
        let (start, end) = (&events[a], &events[b]);
        let write = start.kind == EventKind::Write && same_or_earlier(a, b);
        end.is_strong_write() && start.release && (write || start.is_fence() && po.contains(a, b))
    });
    let acquire_pattern = Relation::of(count, |a, b| {
        let (start, end) = (&events[a], &events[b]);
        let read = end.kind == EventKind::Read && !end.reduction && same_or_earlier(a, b);
        start.is_strong_read() && end.acquire && (read || end.is_fence() && po.contains(a, b))
    });
    let patterns = release_pattern.then(observation).then(&acquire_pattern);
    patterns.filter(|a, b| events[a].can_synchronize_with(&events[b]))
}

/// From reads to the writes of asynchronous operations that are issued after them, by an order that need not be transitive yet.
fn overwrites(events: &[Event], order: &Relation, issue_order: &Relation) -> Relation {
    let overwrites = |a: usize, b: usize| {
        events[a].kind == EventKind::Read && events[b].kind == EventKind::Write && events[a].same_memory(&events[b])
    };
    order.closure().then(issue_order).filter(overwrites)
}

/// Proxy-preserved base causality order: at one address through one proxy of a CTA, or with the proxy fences between the accesses that
/// connect their proxies.
fn proxy_preserved_base_causality(
    (program, events): (&Program, &[Event]),
    base: &Relation,
    issue_order: &Relation,
) -> Relation {
    // What is ordered before the issue of an asynchronous operation is before its accesses, and no further.
    let to_access = &base.union(&base.then(issue_order));
    let identity = |holds: &dyn Fn(&Event) -> bool| Relation::of(events.len(), |a, b| a == b && holds(&events[a]));
    let proxy_fences = identity(&|event| event.kind == EventKind::ProxyFence);
    let alias_fences = identity(&|event| event.kind == EventKind::AliasFence);
    let generic_accesses = identity(&Event::is_generic_access);
    let fence_for =
        |fence: usize, access: usize| events[access].is_memory() && events[fence].is_proxy_fence_for(&events[access]);
    let access_then_fence =
        base.then(&proxy_fences).filter(|access, fence| fence_for(fence, access) && events[fence].leads_to_generic());
    let fence_then_access = proxy_fences.then(to_access).filter(fence_for);
    let releases = identity(&Event::is_proxy_release);
    let released = base.then(&releases).then(base);
    let to_fence = base.filter(|from, fence| !events[fence].is_fence_of_maps() || released.contains(from, fence));
    // Tensor maps need no release if the thread of the fence has written them, or a copy that it has issued.
    let to_own = |paths: &Relation| {
        let is_own = |write: usize, fence: usize| is_own(program, &events[write], &events[fence]);
        paths.then(base).filter(is_own).then(&fence_then_access)
    };
    let into_generic = generic_accesses.union(&access_then_fence);
    let out_of_generic = to_access.then(&generic_accesses).union(&to_fence.then(&fence_then_access));
    let through_generic = into_generic.then(&out_of_generic).union(&access_then_fence.then(&fence_then_access));
    let through_generic = through_generic.union(&to_own(&into_generic));
    let to_aliases = into_generic.then(base).then(&alias_fences);
    let across_aliases = to_aliases.then(&out_of_generic).union(&to_own(&to_aliases));
    let same_address = |a: usize, b: usize| events[a].same_address(&events[b]);
    let same_proxy = |a: usize, b: usize| events[a].same_location(&events[b]) && events[a].place == events[b].place;
    to_access
        .filter(same_proxy)
        .union(&through_generic.filter(same_address))
        .union(&across_aliases.filter(|a, b| events[a].same_memory(&events[b])))
}
