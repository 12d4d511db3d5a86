//! The state of a search while it runs.

use crate::choices::sharing::SharedLocations;
use crate::equivalence::state_permutations::StatePermutations;
use crate::equivalence::symmetry::ThreadSymmetry;
use crate::load_buffering::buffered_reads::BufferedReads;
use crate::result::{ProvedExample, Verification, VerificationBounds};
use crate::search::search_limits::SearchLimits;
use crate::search::state_graph::{StateGraph, StateOrigin};
use crate::search::unconfirmed::Unconfirmed;
use machine::exploration::unconstrained_reads::UnconstrainedReads;
use machine::memory::global::GlobalMemory;
use machine::state::Machine;
use ordering::{LostRead, SequentialFenceOrder};
use program::analysis::liveness::RegisterSet;
use program::memory::location::LocationKey;
use std::collections::BTreeSet;

/// A search through all states. `verifier.rs` chooses the states to visit, `findings.rs` and `ends.rs` look at each of them, and `conclusion.rs` at all
/// of them.
pub struct StateSearch<'s, 'p> {
    /// The bounds of the request.
    pub bounds: VerificationBounds,
    /// The order of `fence.sc`.
    pub fences: SequentialFenceOrder,
    /// The reads that may have any value.
    pub unconstrained_reads: &'s UnconstrainedReads,
    /// Returns the claims that do not hold at the end of an execution.
    pub claims: &'s dyn Fn(&GlobalMemory) -> Vec<String>,
    /// Returns whether the search has to stop.
    pub cancelled: &'s dyn Fn() -> bool,
    /// The locations that several threads access.
    pub shared: &'s mut SharedLocations,
    /// The reads that an execution with load buffering would need.
    pub reads: &'s mut BufferedReads,
    /// The CTAs and threads that may change places in equivalent states.
    pub symmetry: Option<&'s ThreadSymmetry>,
    /// The threads that have changed places.
    pub places: StatePermutations,
    /// The sequences of reads that the search leaves out if their threads read them.
    pub lost: BTreeSet<(LocationKey, LostRead)>,
    /// The part of the bounds that is used up.
    pub limits: SearchLimits,
    /// The live registers at each instruction of each function.
    pub live: &'s [Vec<RegisterSet>],
    /// Makes the first state of an execution that records its steps.
    pub begin_traced: &'s dyn Fn(SequentialFenceOrder) -> Machine<'p>,
    /// The visited states.
    pub graph: StateGraph,
    /// The addresses that loops wait for.
    pub polled: BTreeSet<u64>,
    /// The way to the first end.
    pub first_end: Option<StateOrigin>,
    /// The problems that no repeated execution has shown yet.
    pub unconfirmed: Unconfirmed,
    /// The notes that no repeated execution has shown yet. A note that cannot be repeated is dropped: it refutes nothing.
    pub unconfirmed_notes: Unconfirmed,
    /// Whether to keep an execution to show if none has a problem.
    pub example: ProvedExample,
    /// The result so far.
    pub found: Verification,
}
