//! Whether load buffering, which is not explored, matters.

use crate::choices::sharing::SharedLocations;
use machine::state::Machine;
use ordering::load_buffering::{buffering, value_dependent_writes};
use ordering::{
    Agent, BufferedLoads, EarlierRead, ReadThenWrite, StepLog, StrongAccesses, ThreadKey, ThreadPlace,
    ValueDependentWrites, reads_in_cycles,
};
use program::memory::location::{IsUpdate, LocationKey, RacedMemory};
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What load buffering would need, of all states.
#[derive(Default)]
pub struct BufferedReads {
    pairs: BTreeSet<ReadThenWrite>,
    /// The locations where reads acquire, or fences after them.
    acquired_at: BTreeSet<LocationKey>,
    /// The locations with writes that do not depend on what they overwrite.
    unchained: BTreeSet<LocationKey>,
    /// The strong accesses of each location.
    accesses: StrongAccesses,
    /// The locations that asynchronous reductions update.
    reduced_at: BTreeSet<LocationKey>,
    /// What the program may write because of what it reads.
    decided: Arc<ValueDependentWrites>,
    /// The reads of what might be missing in an execution with load buffering.
    missable: BTreeSet<ThreadPlace>,
    /// Where branches have led threads.
    branch_targets: BTreeSet<ThreadPlace>,
    /// The writes that strong reads may have decided about, with their threads and memory.
    executed: BTreeMap<(ThreadKey, CodePlace), BTreeSet<RacedMemory>>,
    /// Where branches have led each thread.
    branch_targets_by_thread: BTreeSet<(ThreadKey, CodePlace)>,
    /// The instructions whose guards are false for threads in each execution.
    guarded: BTreeSet<(ThreadKey, CodePlace)>,
}

impl BufferedReads {
    /// Of a program, what it may write because of what it reads.
    pub fn of(decided: Arc<ValueDependentWrites>) -> Self {
        Self { decided, ..Self::default() }
    }

    /// Adds what happened in a step.
    pub fn add(&mut self, log: &mut StepLog) {
        self.pairs.append(&mut log.reads_then_writes);
        self.acquired_at.append(&mut log.acquired_at);
        self.unchained.append(&mut log.unchained);
        self.accesses.append(std::mem::take(&mut log.accesses));
        self.reduced_at.append(&mut log.reduced_at);
        self.missable.append(&mut log.missable);
        self.branch_targets.append(&mut log.branch_targets);
        for (thread, place, memory) in std::mem::take(&mut log.value_dependent_writes) {
            self.executed.entry((thread, place)).or_default().insert(memory);
        }
        self.branch_targets_by_thread.append(&mut log.branch_targets_by_thread);
        self.guarded.append(&mut log.guarded);
    }

    /// Whether executions with load buffering may exist that end otherwise than those without.
    ///
    /// What reads of a counter read is nowhere seen, and they acquire nothing: another order of its updates is an execution, too.
    pub fn may_matter(&self, first: &Machine, shared: &SharedLocations, cancelled: &dyn Fn() -> bool) -> BufferedLoads {
        self.decided((first, shared), || {
            buffering::buffered_reads(&first.races, &self.seen(shared), &self.accesses, cancelled)
        })
    }

    /// The same if each thread may do what those do with which it has changed places.
    pub fn may_matter_permuted(
        &self,
        first: &Machine,
        shared: &SharedLocations,
        cancelled: &dyn Fn() -> bool,
    ) -> BufferedLoads {
        let places = |(warp, lane): ThreadKey| -> Vec<ThreadKey> {
            let moved = shared.moved.places(Agent { warp, lane }).into_iter();
            moved.map(|agent| (agent.warp, agent.lane)).collect()
        };
        let mut all = BTreeSet::new();
        for pair in &self.seen(shared) {
            for reader in places(pair.read.reader) {
                for writer in places(pair.writer) {
                    let is_one = pair.read.reader == pair.writer;
                    if is_one == (reader == writer) {
                        all.insert(pair.of_threads(reader, writer));
                    }
                }
            }
        }
        let accesses = self.accesses.moved(&places);
        self.decided((first, shared), || buffering::buffered_reads(&first.races, &all, &accesses, cancelled))
    }

    /// The reads that may be those of executions with load buffering, where more is not known: of pairs that may lead back to each other, or of any.
    pub fn suspected(&self) -> BTreeSet<CodePlace> {
        let leading_back = reads_in_cycles(&self.pairs);
        let all = || self.pairs.iter().filter_map(|pair| pair.read.place).collect();
        if leading_back.is_empty() { all() } else { leading_back }
    }

    fn decided(
        &self,
        (first, shared): (&Machine, &SharedLocations),
        cycles: impl FnOnce() -> BufferedLoads,
    ) -> BufferedLoads {
        let number = |(warp, lane): ThreadKey| first.races.thread(Agent { warp, lane }).1;
        let guarded = self.guarded.iter().map(|(thread, place)| (number(*thread), *place)).collect();
        let may_write_after = |read: &ThreadPlace| self.decided.may_write_after(*read, &self.branch_targets, &guarded);
        if self.decided.has_arrivals || self.missable.iter().any(may_write_after) {
            return BufferedLoads::Unknown;
        }
        let hidden = self.hidden(first, shared);
        match cycles() {
            BufferedLoads::None if hidden.is_empty() => BufferedLoads::None,
            BufferedLoads::None => BufferedLoads::Through(hidden),
            BufferedLoads::Through(reads) => BufferedLoads::Through(&reads | &hidden),
            BufferedLoads::Unknown => BufferedLoads::Unknown,
        }
    }

    /// The reads that may decide about writes which only an execution with load buffering has. Such a write matters between an exchange and what that
    /// reads otherwise, as the exchange writes the same; any other update writes what depends on the write, which would be a value out of thin air.
    fn hidden(&self, first: &Machine, shared: &SharedLocations) -> BTreeSet<CodePlace> {
        let is_exchange = |pair: &&ReadThenWrite| pair.update == IsUpdate::Yes && !pair.depends();
        let exchanged: BTreeSet<RacedMemory> =
            self.pairs.iter().filter(is_exchange).map(|pair| pair.written.0).collect();
        let mut all = BTreeSet::new();
        if exchanged.is_empty() {
            return all;
        }
        for agent in first.live_agents() {
            let threads: BTreeSet<ThreadKey> =
                shared.moved.places(agent).iter().map(|agent| (agent.warp, agent.lane)).collect();
            let written = |place| {
                let executed = threads.iter().filter_map(|thread| self.executed.get(&(*thread, place)));
                executed.flatten().copied().collect()
            };
            let is_branch_target =
                |place| threads.iter().any(|thread| self.branch_targets_by_thread.contains(&(*thread, place)));
            let is_guarded = |place| threads.iter().all(|thread| self.guarded.contains(&(*thread, place)));
            let scope = value_dependent_writes::scope_of_all(&first.races);
            all.append(&mut self.decided.hidden((&exchanged, scope), &written, (&is_branch_target, &is_guarded)));
        }
        all
    }

    fn seen(&self, shared: &SharedLocations) -> BTreeSet<ReadThenWrite> {
        let is_seen = |key: &LocationKey| !shared.is_counter(*key) || self.acquired_at.contains(key);
        // Who reads there may read what a reduction has made of a write, and synchronizes with nobody then.
        let passes_on = |pair: &ReadThenWrite| match self.reduced_at.contains(&pair.read.location) {
            true => ReadThenWrite { read: EarlierRead { acquired: None, ..pair.read }, update: IsUpdate::No, ..*pair },
            false => *pair,
        };
        // Each write after its own one depends on that: the update reads there what depends on its earlier read.
        let follow_chain = |pair: ReadThenWrite| {
            let is_chained = pair.rewrites() && !self.unchained.contains(&pair.written);
            if is_chained { pair.depending() } else { pair }
        };
        self.pairs.iter().filter(|pair| is_seen(&pair.read.location)).map(passes_on).map(follow_chain).collect()
    }
}
