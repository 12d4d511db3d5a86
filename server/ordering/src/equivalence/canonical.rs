//! The order of a state without the history of its epochs: what each clock has before it, of what is still remembered.

use crate::Races;
use crate::acquired_maps::AcquiredMaps;
use crate::barriers::{MbarrierClock, PassedPhase};
use crate::clock::{Agent, Clock};
use crate::equivalence::known_accesses::{KnownAccesses, KnownRules};
use crate::equivalence::thread_permutation::ThreadPermutation;
use crate::load_buffering::earlier_reads::PassedReads;
use crate::load_buffering::read_logs::ReadLogs;
use crate::load_buffering::value_dependent_branches;
use crate::load_buffering::value_dependent_writes;
use crate::messages::history::{LocationHistory, Message};
use crate::messages::observed_writes::{ChainedWrite, ObservedWrite};
use crate::release::{LastWrite, ReleaseSequence, Released};
use crate::shadow::shadow_access::ShadowAccess;
use crate::tensor_memory::operations::IssuedOperation;
use isa::types::Scope;
use program::lanes::lanes_of;
use program::memory::location::{LocationKey, RacedMemory};
use std::collections::{BTreeSet, HashSet};
use std::hash::{Hash, Hasher};

/// What is remembered of the accesses of a state.
struct Remembered<'r> {
    /// The region, the word, and the access; one for each thread if threads may have changed places.
    accesses: Vec<(RacedMemory, usize, ShadowAccess)>,
    /// What the clocks that were added have before them of these.
    known: KnownAccesses,
    locations: Vec<(&'r LocationKey, &'r LocationHistory)>,
    observed: Vec<(&'r LocationKey, &'r ObservedWrite)>,
    /// Writes of threads that others may have to know before what they have observed is before what they do.
    older: Vec<ChainedWrite>,
    /// The last writes of threads to locations, as what later ones would not observe.
    last_writes: Vec<(&'r LocationKey, ChainedWrite)>,
    /// Arrivals at mbarriers that others may have to know of before they arrive.
    arrivals: Vec<(Agent, u32)>,
    /// Where threads have passed on what they have read.
    passed: Vec<(Agent, u32)>,
    /// The threads that have not ended. It does not matter which of the others did something.
    live: HashSet<Agent>,
    has_proxy_fences: bool,
    has_restricted_fences: bool,
    has_changed_maps: bool,
    acquired_maps: &'r AcquiredMaps,
    tensors: &'r [IssuedOperation],
    /// Who has seen the ends of phases of mbarriers.
    phases: Vec<&'r PassedPhase>,
    permutation: &'r ThreadPermutation,
}

impl Remembered<'_> {
    /// Adds what a clock has before it to a hash; also what an agent did itself, if it is that of an agent.
    fn hash_clock(&self, clock: &Clock, own: Option<Agent>, hash: &mut dyn Hasher) {
        let (mut bits, mut count) = (0_u64, 0_u32);
        let mut add = |known: bool| {
            bits = bits << 1 | u64::from(known);
            count += 1;
            if count.is_multiple_of(64) {
                hash.write_u64(bits);
            }
        };
        self.known.add(clock, own);
        for (_, observed) in &self.observed {
            add(observed.is_before(own, clock));
        }
        let older = self.older.iter().chain(self.last_writes.iter().map(|(_, write)| write));
        older.filter(|write| write.older != 0).for_each(|write| {
            add(own == Some(write.writer) || write.is_older_before(clock));
        });
        self.arrivals.iter().for_each(|(agent, epoch)| add(own == Some(*agent) || clock.has_finished(*agent, *epoch)));
        self.passed.iter().for_each(|(agent, epoch)| add(own == Some(*agent) || clock.has_epoch(*agent, *epoch)));
        self.phases.iter().for_each(|passed| add(own == Some(passed.agent) || passed.is_before(clock)));
        self.tensors.iter().flat_map(|issued| issued.known_to(clock)).for_each(&mut add);
        hash.write_u64(bits);
        self.hash_acquired_maps(clock, hash);
        let in_shared = self.has_restricted_fences.then(|| clock.for_shared_memory());
        for (_, location) in &self.locations {
            let first = |clock: &Clock| location.first_readable(own.unwrap_or(Agent::NOBODY), clock);
            hash.write_usize(first(clock));
            in_shared.iter().for_each(|clock| hash.write_usize(first(clock)));
        }
        for (at, part) in clock.of_fences().iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            hash.write_usize(at);
            self.hash_clock(part, None, hash);
        }
    }

    /// Adds which tensor maps are acquired before a clock, and in which CTAs.
    fn hash_acquired_maps(&self, clock: &Clock, hash: &mut dyn Hasher) {
        if self.has_proxy_fences && !self.acquired_maps.is_empty() {
            for (at, (region, word, access)) in self.accesses.iter().enumerate().filter(|(_, one)| one.2.writes()) {
                let acquirers = self.acquired_maps.acquirers(access, (*region, *word), clock);
                let mut ctas: Vec<u32> = acquirers.map(|cta| self.permutation.cta(cta)).collect();
                ctas.sort_unstable();
                for cta in ctas {
                    hash.write_usize(at);
                    hash.write_u32(cta);
                }
            }
        }
        if self.has_changed_maps {
            let known = self.acquired_maps.known_parts(clock).map(|(part, cta)| (part, self.permutation.cta(cta)));
            let mut known: Vec<_> = known.collect();
            known.sort_unstable();
            for ((allocation, part), cta) in known {
                hash.write_usize(allocation);
                hash.write_usize(part);
                hash.write_u32(cta);
            }
        }
    }

    fn hash_releases(&self, releases: &ReleaseSequence, hash: &mut dyn Hasher) {
        let thread = |released: &Released| {
            let thread = released.thread.filter(|thread| self.live.contains(thread));
            thread.map_or(u32::MAX, |thread| {
                let Agent { warp, lane } = self.permutation.agent(thread);
                warp * 32 + lane
            })
        };
        let key = |released: &&Released| {
            (self.permutation.cta(released.position.cta), released.scope as u8, thread(released))
        };
        let mut entries: Vec<_> = releases.entries().iter().collect();
        if self.permutation.is_some() {
            entries.sort_by_key(key);
        }
        for released in entries {
            let (cta, scope, thread) = key(&released);
            hash.write_u32(cta);
            hash.write_u8(scope);
            hash.write_u32(thread);
            self.hash_clock(&released.clock, None, hash);
        }
        let before_fences = releases.before_fences();
        if !before_fences.is_empty() {
            self.hash_clock(before_fences, None, hash);
        }
    }

    /// Adds what is remembered to a hash, without its order.
    fn hash_contents(&self, races: &Races, hash: &mut impl Hasher) {
        for (region, word, access) in &self.accesses {
            // The order of epochs and times is that of clocks; of instructions only what they do matters.
            let ShadowAccess { warp, lanes, bytes, size, kind, scope, epoch: _, instruction: _, time: _ } = *access;
            (self.permutation.region(*region), word, bytes, size).hash(hash);
            (kind as u8, scope, races.is_surface_store(access)).hash(hash);
            for lane in lanes_of(lanes) {
                let agent = Agent { warp, lane: lane as u32 };
                if self.live.contains(&agent) {
                    self.permutation.agent(agent).hash(hash);
                } else {
                    self.permutation.cta(races.position(agent).cta).hash(hash);
                }
            }
        }
        (self.arrivals.len(), self.passed.len(), self.phases.len()).hash(hash);
        for issued in self.tensors {
            issued.operation.hash(hash);
            issued.hash_followers(self.tensors, hash);
        }
        for (key, observed) in &self.observed {
            (key, self.permutation.agent(observed.write.writer), observed.write.older != 0).hash(hash);
        }
        if self.permutation.is_some() {
            for (key, write) in &self.last_writes {
                (key, self.permutation.agent(write.writer)).hash(hash);
            }
        }
        for (key, location) in &self.locations {
            let LocationHistory { size, messages } = location;
            (key, size, messages.len()).hash(hash);
            for message in messages {
                // Who can read it is in the clocks.
                let Message { value, write, is_update, writers, event: _, observers: _, repeated_by: _ } = message;
                (value, is_update).hash(hash);
                for ChainedWrite { writer, older } in chained_writes(message, self.permutation) {
                    (self.permutation.agent(writer), older != 0).hash(hash);
                }
                writers.len().hash(hash);
                if let Some(LastWrite { position, scope, releases }) = write {
                    (self.permutation.cta(position.cta), scope).hash(hash);
                    self.hash_releases(releases, hash);
                }
            }
        }
    }
}

/// The writes that the readers of a message observe, and those that the updates of it do, in an order that does not depend on the numbers of threads.
fn chained_writes(message: &Message, permutation: &ThreadPermutation) -> Vec<ChainedWrite> {
    let (mut writers, mut repeated) = (message.writers.clone(), message.repeated_by.clone());
    if permutation.is_some() {
        for writes in [&mut writers, &mut repeated] {
            writes.sort_by_key(|write| permutation.agent(write.writer));
        }
    }
    writers.append(&mut repeated);
    writers
}

/// Adds what orders the accesses of a state to a hash: clocks by what they order, and what is remembered.
/// `agents` are the threads that have not ended, in the order of the numbers that they have now.
pub fn hash_order<'c>(
    races: &'c Races,
    clocks: impl Iterator<Item = &'c Clock>,
    (agents, permutation): (&[Agent], &ThreadPermutation),
    hash: &mut impl Hasher,
) {
    // Each field is here, so that a new one is not forgotten.
    #[rustfmt::skip]
    let Races {
        warps, fences,
        reads: ReadLogs { earlier, dependencies, passed: _, decided: _ },
        // By what is remembered.
        global: _, shared: _, mbarriers: _, history: _, observed: _, fences_used: _, acquired_maps: _, tensors: _,
        // The same in all states of a search.
        numbers: _, program: _, ordered_arrivals: _, pruning: _, fence_order: _, without: _,
        // Numbers by which clocks are compared.
        notifiers: _, strong_accesses: _,
        // In a run of one execution, or hashed with the launch.
        last_writes: _, kernels: _,
        // What was found on the way, which decides nothing.
        log: _, recorder: _, used: _, kept: _,
    } = races;
    let remembered = remembered(races, agents, permutation);
    remembered.hash_contents(races, hash);
    clocks.for_each(|clock| remembered.hash_clock(clock, None, hash));
    for agent in agents {
        let Some(Some(warp)) = warps.get(agent.warp as usize) else { continue };
        let (thread, known) = (warp.fences(agent.lane as usize), warp.known(agent.lane as usize));
        remembered.hash_clock(known, Some(*agent), hash);
        for (scope, moment) in thread.released() {
            scope.hash(hash);
            remembered.hash_clock(&moment.clock(*agent), None, hash);
        }
        // By their scope, each of which is there once.
        let mut observed: Vec<_> = thread.observed().iter().collect();
        if permutation.is_some() {
            observed.sort_by_key(|(scope, _)| *scope);
        }
        for (scope, clock) in observed {
            scope.hash(hash);
            remembered.hash_clock(clock, None, hash);
        }
        for (key, scope, clock) in thread.observed_at(known) {
            (key, scope).hash(hash);
            remembered.hash_clock(clock, None, hash);
        }
        if let Some((released, acquired)) = thread.fenced_tensors().filter(|_| !remembered.tensors.is_empty()) {
            remembered.hash_clock(released, None, hash);
            remembered.hash_clock(acquired, None, hash);
        }
        let reads = earlier.get(&(agent.warp, agent.lane));
        reads.map_or(0, BTreeSet::len).hash(hash);
        reads.into_iter().flatten().for_each(|read| read.of_anybody().hash(hash));
        dependencies.values(*agent).hash(hash);
        value_dependent_branches::branched_on(races, *agent).hash(hash);
    }
    for (reader, passed) in sorted_passed(races, permutation) {
        (permutation.agent(reader), passed.len()).hash(hash);
        for one in passed {
            (one.reads.len(), one.order).hash(hash);
            one.reads.iter().for_each(|read| read.of_anybody().hash(hash));
        }
    }
    value_dependent_writes::hash_value_dependent(races, permutation, hash);
    for at in 0..warps.len() {
        let old = permutation.warp_at(at);
        let Some(Some(warp)) = warps.get(old) else { continue };
        for (mask, arrived, clock) in &warp.barriers {
            (mask, arrived).hash(hash);
            remembered.hash_clock(clock, None, hash);
        }
    }
    for (key, mbarrier) in sorted_mbarriers(races) {
        key.hash(hash);
        for arrived in mbarrier.arrived() {
            arrived.len().hash(hash);
            arrived.keys().for_each(|agent| agent.hash(hash));
        }
        for PassedPhase { agent, epoch, products: (_, products), met: (met, met_epoch) } in mbarrier.passed() {
            let warp = races.warps.get(agent.warp as usize).and_then(Option::as_deref);
            let has_released = |epoch| warp.is_none_or(|warp| warp.epoch != epoch);
            (agent, has_released(*epoch), products).hash(hash);
            (met, *met != 0 && has_released(*met_epoch)).hash(hash);
        }
        mbarrier.sequences().for_each(|releases| remembered.hash_releases(releases, hash));
        mbarrier.executed().for_each(|clock| remembered.hash_clock(clock, None, hash));
    }
    let group = |(scope, group): &(Scope, u32)| match scope {
        Scope::Cta | Scope::Cluster => (*scope, permutation.cta(*group)),
        _ => (*scope, *group),
    };
    let mut fences: Vec<_> = fences.iter().map(|(key, clock)| (group(key), clock)).collect();
    fences.sort_by_key(|(key, _)| *key);
    for (key, clock) in fences {
        key.hash(hash);
        remembered.hash_clock(clock, None, hash);
    }
    remembered.known.hash_all(hash);
}

fn sorted_mbarriers(races: &Races) -> Vec<(&(usize, u32), &MbarrierClock)> {
    let mut mbarriers: Vec<_> = races.mbarriers.iter().collect();
    mbarriers.sort_unstable_by_key(|(key, _)| **key);
    mbarriers
}

/// Where threads have passed on what they have read, by their numbers.
fn sorted_passed<'r>(races: &'r Races, permutation: &ThreadPermutation) -> Vec<(Agent, &'r Vec<PassedReads>)> {
    let passed = races.reads.passed.iter();
    let mut all: Vec<_> = passed.map(|((warp, lane), passed)| (Agent { warp: *warp, lane: *lane }, passed)).collect();
    all.sort_by_key(|(reader, _)| permutation.agent(*reader));
    all
}

/// The accesses that are remembered, by what they are and by whom; those of threads that have ended by who knows of them.
fn sorted_accesses(
    races: &Races,
    (agents, live): (&[Agent], &HashSet<Agent>),
    permutation: &ThreadPermutation,
) -> Vec<(RacedMemory, usize, ShadowAccess)> {
    let global = races.global.iter().enumerate().map(|(at, shadow)| (RacedMemory::Global(at), shadow));
    let shared = races.shared.iter().enumerate().map(|(at, shadow)| (RacedMemory::Shared(at), shadow));
    let mut sorted: Vec<(RacedMemory, usize, ShadowAccess)> = Vec::new();
    for (region, shadow) in global.chain(shared) {
        sorted.extend(shadow.accesses().map(|(word, access)| (region, word, *access)));
    }
    if permutation.moves_threads() {
        // Which threads share a record depends on their warps.
        let of_lanes = |(region, word, access): (RacedMemory, usize, ShadowAccess)| {
            lanes_of(access.lanes).map(move |lane| (region, word, ShadowAccess { lanes: 1 << lane, ..access }))
        };
        sorted = sorted.into_iter().flat_map(of_lanes).collect();
    }
    let known_to = |access: &ShadowAccess| {
        let knows = |agent: &Agent| {
            let warp = races.warps.get(agent.warp as usize).and_then(Option::as_deref);
            let known = warp.map(|warp| warp.known(agent.lane as usize));
            known.is_some_and(|known| {
                lanes_of(access.lanes)
                    .all(|lane| known.has_epoch(Agent { warp: access.warp, lane: lane as u32 }, access.epoch))
            })
        };
        agents.iter().map(knows).collect::<Vec<_>>()
    };
    sorted.sort_by_cached_key(|(region, word, access)| {
        let agent = Some(access.agent()).filter(|agent| live.contains(agent));
        let ended = (permutation.is_some() && agent.is_none())
            .then(|| (permutation.cta(races.position(access.agent()).cta), known_to(access)));
        let agent = agent.map(|agent| {
            let Agent { warp, lane } = permutation.agent(agent);
            (warp, lane)
        });
        let region = permutation.region(*region);
        let lanes = if permutation.moves_threads() { 0 } else { access.lanes };
        (region, *word, access.bytes, access.kind as u8, access.scope, access.size, agent, (ended, lanes))
    });
    sorted
}

fn remembered<'r>(races: &'r Races, agents: &[Agent], permutation: &'r ThreadPermutation) -> Remembered<'r> {
    let live: HashSet<Agent> = agents.iter().copied().collect();
    let messages = races.history.iter().flatten().flat_map(|(_, location)| &location.messages);
    let of_messages = messages.flat_map(|message| chained_writes(message, permutation));
    let mut observed: Vec<(&LocationKey, &ObservedWrite)> = races.observed.all().collect();
    let mut last_writes: Vec<(&LocationKey, ChainedWrite)> = races.observed.last_writes().collect();
    if permutation.is_some() {
        let write = |one: &ChainedWrite| (permutation.agent(one.writer), one.older != 0);
        observed.sort_by_key(|(key, one)| (**key, write(&one.write), permutation.agent(one.observer)));
        // Who has ended writes nothing after them.
        last_writes.retain(|(_, one)| live.contains(&one.writer));
        last_writes.sort_by_key(|(key, one)| (**key, write(one)));
    }
    let of_observers = observed.iter().map(|(_, observed)| observed.write);
    let mbarriers = sorted_mbarriers(races);
    let arrivals = mbarriers.iter().flat_map(|(_, mbarrier)| mbarrier.arrived()).flatten();
    let passed = sorted_passed(races, permutation).into_iter();
    let passed = passed.flat_map(|(reader, passed)| passed.iter().map(move |one| (reader, one.epoch)));
    let accesses = sorted_accesses(races, (agents, &live), permutation);
    let rules = KnownRules {
        has_proxy_fences: races.fences_used.has_proxies,
        has_finished: races.fences_used.has_finished,
        has_restricted_fences: races.fences_used.has_restricted,
        has_initialization_fences: races.fences_used.has_initialization,
    };
    Remembered {
        passed: passed.chain(value_dependent_writes::sorted_decided_epochs(races, permutation)).collect(),
        older: of_messages.chain(of_observers).filter(|write| write.older != 0).collect(),
        last_writes,
        known: KnownAccesses::of(&accesses, rules),
        accesses,
        arrivals: arrivals.map(|(agent, epoch)| (*agent, *epoch)).collect(),
        locations: races.history.iter().flatten().collect(),
        observed,
        live,
        has_proxy_fences: races.fences_used.has_proxies,
        has_restricted_fences: races.fences_used.has_restricted,
        has_changed_maps: races.fences_used.has_changed_maps,
        acquired_maps: &races.acquired_maps,
        tensors: &races.tensors.issued,
        phases: mbarriers.iter().flat_map(|(_, mbarrier)| mbarrier.passed()).collect(),
        permutation,
    }
}
