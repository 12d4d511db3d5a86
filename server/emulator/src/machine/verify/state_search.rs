//! What a search knows while it runs.

use super::super::free_reads::FreeReads;
use super::super::global::GlobalMemory;
use super::super::liveness::RegisterSet;
use super::super::races::{LocationKey, LostRead, SequentialFenceOrder};
use super::super::state::Machine;
use super::buffered_reads::BufferedReads;
use super::places::PlacesOfStates;
use super::result::{ProvedExample, Verification, VerificationBounds};
use super::search_limits::SearchLimits;
use super::sharing::SharedLocations;
use super::state_graph::{StateGraph, StateOrigin};
use super::symmetry::ThreadSymmetry;
use super::unconfirmed::Unconfirmed;
use std::collections::BTreeSet;

/// A search through all states: which ones are visited is in `verifier.rs`, what they show in `findings.rs` and `ends.rs`, what all of them do in
/// `conclusion.rs`.
pub(super) struct StateSearch<'s, 'p> {
    /// The bounds that were asked for.
    pub bounds: VerificationBounds,
    /// How `fence.sc` are ordered.
    pub fences: SequentialFenceOrder,
    /// The reads that may have any value.
    pub free_reads: &'s FreeReads,
    /// What does not hold at the end of an execution.
    pub claims: &'s dyn Fn(&GlobalMemory) -> Vec<String>,
    /// Whether to give up.
    pub cancelled: &'s dyn Fn() -> bool,
    /// The locations that several threads access.
    pub shared: &'s mut SharedLocations,
    /// What load buffering would need.
    pub reads: &'s mut BufferedReads,
    /// Which CTAs and threads may change places in states that are alike.
    pub symmetry: Option<&'s ThreadSymmetry>,
    /// The threads that have changed places.
    pub places: PlacesOfStates,
    /// The sequences of reads that are not explored, if their threads read.
    pub lost: BTreeSet<(LocationKey, LostRead)>,
    /// What is spent of the bounds.
    pub limits: SearchLimits,
    /// Whether only one order of changes of what is allocated in tensor memory is explored, and nothing orders them.
    pub has_unordered_allocations: bool,
    /// Whether a warp has gone on from a wait for products without its warpgroup: only one time of that is explored.
    pub has_parted_warpgroup: bool,
    /// Whether only one order of strong accesses of this kernel and of one that it overlaps is explored.
    pub has_unordered_kernels: bool,
    /// The registers that matter at each instruction of each function.
    pub live: &'s [Vec<RegisterSet>],
    /// Makes the first state, with steps that are traced.
    pub begin_traced: &'s dyn Fn(SequentialFenceOrder) -> Machine<'p>,
    /// The states that were visited.
    pub graph: StateGraph,
    /// The addresses that loops wait for.
    pub polled: BTreeSet<u64>,
    /// How the first end was reached.
    pub first_end: Option<StateOrigin>,
    /// What was found and not shown yet.
    pub unconfirmed: Unconfirmed,
    /// The same of notes. Which does not refute and is not found again is not worth a search through all orders.
    pub unconfirmed_notes: Unconfirmed,
    /// Whether an execution is shown if none has a problem.
    pub example: ProvedExample,
    /// What was found.
    pub found: Verification,
}
