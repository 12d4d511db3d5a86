//! What a search learns from a step, beside the state that the step leads to.

use crate::Races;
use crate::clock::Agent;
use crate::load_buffering::earlier_reads::{ReadThenWrite, ThreadKey};
use crate::load_buffering::value_dependent_writes::ThreadPlace;
use crate::messages::history_pruning::LostRead;
use crate::messages::strong_accesses::StrongAccesses;
use program::memory::location::{LocationKey, RacedMemory};
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet};

/// What has happened since the log was drained. A state does not have it: two steps that lead to one state may differ in it.
#[derive(Clone, Debug, Default)]
pub struct StepLog {
    /// The reads before writes of the same thread, for load buffering.
    pub reads_then_writes: BTreeSet<ReadThenWrite>,
    /// The locations where a read acquires, or a fence of its thread after it.
    pub acquired_at: BTreeSet<LocationKey>,
    /// The locations with writes that do not depend on what they overwrite.
    pub unchained: BTreeSet<LocationKey>,
    /// The strong accesses.
    pub accesses: StrongAccesses,
    /// The locations that asynchronous reductions update.
    pub reduced_at: BTreeSet<LocationKey>,
    /// The values that were written, or were there before.
    pub written_values: BTreeSet<(LocationKey, u128)>,
    /// The sequences of reads that may have been lost, as their messages were forgotten.
    pub lost_reads: BTreeSet<(LocationKey, LostRead)>,
    /// The reads of what a write that strong reads have decided about may have written, by the number of the thread in its CTA, where the thread does not
    /// know of that write.
    pub missable: BTreeSet<ThreadPlace>,
    /// Where branches that strong reads may have decided about have led, by the number of the thread in its CTA.
    pub branch_targets: BTreeSet<ThreadPlace>,
    /// The same for each thread.
    pub branch_targets_by_thread: BTreeSet<(ThreadKey, CodePlace)>,
    /// The writes that strong reads may have decided about, with their threads and memory.
    pub value_dependent_writes: BTreeSet<(ThreadKey, CodePlace, RacedMemory)>,
    /// The instructions whose guards are false for threads in each execution.
    pub guarded: BTreeSet<(ThreadKey, CodePlace)>,
    /// The mbarriers of which a phase has ended that did not wait for all threads which had seen the end of the one before, with one of these threads, or
    /// which were used by who did not know of all arrivals in the one before.
    pub overrun: BTreeMap<(usize, u32), Option<Agent>>,
    /// The strong accesses of this kernel that nothing orders with those of an earlier one that may still run: their outcomes are not explored.
    pub unordered_kernels: BTreeSet<CodePlace>,
    /// What the search does not follow.
    pub left_out: NotFollowed,
}

/// What a step has come to that a search does not follow. It counts of steps, too, whose states are left out as they repeat others.
#[derive(Clone, Debug, Default)]
pub struct NotFollowed {
    /// The locations that have to be followed, as weak accesses meet strong writes there.
    pub locations: BTreeSet<LocationKey>,
    /// Where a warp has changed what is allocated in tensor memory, or used it, and nothing orders that after an earlier change: only one of their orders is
    /// explored.
    pub unordered_allocations: BTreeSet<CodePlace>,
}

/// What has happened since the last call.
pub fn drain_log(races: &mut Races) -> StepLog {
    std::mem::take(&mut races.log)
}

/// The part of the log about what the search does not follow.
pub fn drain_left_out(races: &mut Races) -> NotFollowed {
    let left_out = std::mem::take(&mut races.log.left_out);
    NotFollowed { locations: races.observed.drain_missing(), ..left_out }
}

/// The part of the log about mbarriers, which a search needs before its next step.
pub fn drain_overrun(races: &mut Races) -> BTreeMap<(usize, u32), Option<Agent>> {
    std::mem::take(&mut races.log.overrun)
}
