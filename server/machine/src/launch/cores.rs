//! Runs independent clusters on several cores.
//!
//! The result is that of the clusters one after another, whatever the number of cores: each cluster has random numbers of its own, and sees
//! what those of the same core have written, but not what those of other cores have. If that was wrong because one has written what one of another core
//! has accessed, or if anything is to be reported, they run again one after another.

use crate::launch::remains::RunRemains;
use crate::launch::residency::{LONG_CLUSTER, Residency};
use crate::launch::schedule::RunProgress;
use crate::launch::slots::Slots;
use crate::memory::global::GlobalMemory;
use crate::memory::region::MemoryBytes;
use crate::state::Machine;
use ordering::shadow::{commutative_words, touched};
use ordering::{Races, TouchedWords};
use program::analysis::independent::clusters_are_independent;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Builder};

/// The instructions after which another core is worth its start.
const START: u64 = 1 << 16;
/// How many bytes of memory are copied in the time of an instruction.
const COPIED: u64 = 8;
/// The most bytes that all copies of global memory take.
const MOST_MEMORY: usize = 512 << 20;
/// The most cores that are used: each has records of its own about what it accesses.
const MOST_CORES: usize = 16;
/// Into how many shares of each core the clusters are divided: some take longer than others.
const SHARES: u64 = 8;

/// The clusters that no core has taken yet.
#[derive(Debug)]
struct ClustersLeft {
    next: AtomicU64,
    /// The number of clusters that are taken together: neighbours access neighbouring memory.
    share: u64,
    end: u64,
    /// Whether the clusters have to run one after another.
    failed: AtomicBool,
}

impl<'p> Machine<'p> {
    /// Runs to the end on up to so many cores. What the others have used is kept.
    pub fn run_on(mut self, cores: NonZeroUsize, remains: &mut RunRemains) -> Self {
        let allocations = self.memory.allocations();
        let bytes: usize = allocations.iter().map(|one| one.region.len()).sum();
        // Each cluster has to do with an earlier kernel.
        let is_alone = !self.memory.has_earlier();
        // One copy is kept to begin again.
        let cores = cores.get().min(MOST_CORES).min(MOST_MEMORY / bytes.max(1));
        let can_divide = cores > 1
            && is_alone
            && self.launch.beside.is_empty()
            && clusters_are_independent(self.program)
            && self.launch.trace.is_empty();
        let begin = if can_divide { START + bytes as u64 / COPIED } else { u64::MAX };
        if self.run_for(begin) == RunProgress::Ended {
            return self;
        }
        let before = self.clone();
        if self.is_clean()
            && let Some(done) = self.divided(cores, &before.memory, remains)
        {
            return done;
        }
        let mut again = before;
        again.run();
        again
    }

    /// Goes on with the clusters that have begun, and runs those that are left, on several cores; `None` if they have to run one after another.
    fn divided(mut self, cores: usize, before: &GlobalMemory, remains: &mut RunRemains) -> Option<Self> {
        let left = self.queue.end - self.queue.next;
        let others = (cores as u64 - 1).min(left);
        let share = (left / ((others + 1) * SHARES)).max(1);
        let (next, failed) = (AtomicU64::new(self.queue.next), AtomicBool::new(false));
        let shared = ClustersLeft { next, share, end: self.queue.end, failed };
        let mut helpers: Vec<Self> = (0..others).map(|_| self.helper()).collect();
        thread::scope(|scope| {
            for helper in &mut helpers {
                // Without the thread, the others take its clusters.
                let _ = Builder::new().spawn_scoped(scope, || helper.take_clusters(&shared));
            }
            self.queue.end = self.queue.next;
            self.end_clusters(&shared);
            self.take_clusters(&shared);
        });
        let executed = helpers.iter().fold(self.executed, |sum, helper| sum + helper.executed);
        if shared.failed.into_inner() || executed > self.launch.max_instructions {
            return None;
        }
        let mut touched = TouchedWords::default();
        let all = [&self.races].into_iter().chain(helpers.iter().map(|helper| &helper.races));
        if !{ all }.all(|races| touched.add(races)) {
            return None;
        }
        for helper in &helpers {
            for (allocation, offset, update) in
                commutative_words::combined(&helper.races).iter().flat_map(|combined| combined.places())
            {
                let value =
                    |memory: &GlobalMemory| memory.allocations()[allocation].region.load(offset, update.bytes());
                let merged = update.merged(value(before), value(&self.memory), value(&helper.memory));
                self.memory.allocation_mut(allocation).region.store(offset, update.bytes(), merged);
            }
            for (allocation, range) in touched::written(&helper.races) {
                let from = &helper.memory.allocations()[allocation].region;
                self.memory.allocation_mut(allocation).region.copy_range(from, range);
            }
        }
        self.executed = executed;
        helpers.into_iter().for_each(|helper| remains.keep(helper.races));
        Some(self)
    }

    /// A machine before the clusters that are left that has executed nothing.
    fn helper(&self) -> Self {
        let mut helper = self.clone();
        helper.races = Races::of_launch(self.program, self.launch);
        helper.races.keep(self.races.kept());
        helper.memory.forget();
        if commutative_words::notes_commutative(&self.races) {
            commutative_words::note_commutative(&mut helper.races);
        }
        (helper.ctas, helper.clusters) = (Slots::default(), Slots::default());
        (helper.warps, helper.copies, helper.executed) = (Vec::new(), Vec::new(), 0);
        helper.queue.residency = Residency::One { begun_at: 0 };
        helper
    }

    /// Runs clusters, each to its end, as long as there are some.
    fn take_clusters(&mut self, shared: &ClustersLeft) {
        loop {
            let first = shared.next.fetch_add(shared.share, Ordering::Relaxed);
            if first >= shared.end {
                return;
            }
            for number in first..shared.end.min(first + shared.share) {
                if shared.failed.load(Ordering::Relaxed) {
                    return;
                }
                (self.queue.next, self.queue.end) = (number, number + 1);
                self.end_clusters(shared);
            }
        }
    }

    /// Runs the clusters that have begun, and those before the end, to their end.
    fn end_clusters(&mut self, shared: &ClustersLeft) {
        self.run();
        let is_long =
            matches!(self.queue.residency, Residency::One { begun_at } if self.executed - begun_at > LONG_CLUSTER);
        if !self.is_clean() || is_long {
            shared.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether there is nothing to be reported.
    fn is_clean(&self) -> bool {
        !self.stopped && self.problems.list().is_empty() && self.notes.list().is_empty()
    }
}

impl MemoryBytes {
    /// Takes over what other memory of the same size has in a range, as far as it goes.
    fn copy_range(&mut self, from: &Self, range: std::ops::Range<usize>) {
        let range = range.start..range.end.min(self.len());
        if self.is_always_defined() && from.is_always_defined() {
            return self.copy_bytes(range.start, &from.bytes()[range]);
        }
        let (bytes, defined) = from.read(range.start, range.len());
        self.write(range.start, &bytes, &defined);
    }
}
