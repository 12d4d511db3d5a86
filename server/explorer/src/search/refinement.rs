//! What a search may do in another way, so that it leaves out less: each refinement looks at the last result, and says which attempt comes next.
//!
//! Each way costs states, and most launches need none of them. So the cheapest search comes first, and a refinement is tried only where its reason shows.

use crate::choices::waits::has_clock;
use crate::result::{Verification, VerificationBounds, VerifyRequest};
use crate::search::budgets::{
    MORE_ROUNDS, MORE_STATES, MORE_STATES_OF_BRANCHES, MORE_STATES_OF_FENCES, MORE_STATES_OF_WAITS,
    TIMES_STATES_OF_WAITS, more_states,
};
use crate::search::omission::Omission;
use ordering::{BufferedLoads, FollowedBranches, HistoryPruning, SearchRules, SequentialFenceOrder};
use program::machine_program::MachineProgram;

/// A search that the plan may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// The most states, and the rounds of loops that wait and count.
    pub bounds: VerificationBounds,
    /// What the search explores.
    pub rules: SearchRules,
}

/// What an attempt has found.
#[derive(Debug)]
pub struct Explored {
    /// The result.
    pub found: Verification,
    /// The attempt.
    pub attempt: Attempt,
}

/// A way to leave out less.
#[derive(Clone, Copy, Debug)]
pub enum Refinement {
    /// More rounds of loops that wait and count.
    Waits,
    /// Histories of which nothing is pruned.
    WholeHistories,
    /// All orders of `fence.sc`.
    ///
    /// First they are ordered only where each order of them does. The order only rules executions out, so that all those of the program are among these;
    /// and which states can reach an end is decided by reads of the last values, which no fence rules out. `n` fences have up to `n!` orders, which
    /// seldom matter: CUDA's `__threadfence()` is one. A problem is repeated with an order, which may forbid it: then all orders are explored.
    FenceOrders,
    /// The branches that strong reads may decide about, if load buffering is not ruled out without them.
    Branches,
}

/// The refinements, from the innermost on: each applies to searches with all those before it.
pub const REFINEMENTS: [Refinement; 4] =
    [Refinement::Waits, Refinement::WholeHistories, Refinement::FenceOrders, Refinement::Branches];

impl Refinement {
    /// The attempt that comes first, of one that has the refinement.
    pub fn first(self, request: VerifyRequest, attempt: Attempt) -> Attempt {
        match self {
            Self::FenceOrders if has_orders(request.program, attempt.rules) => Attempt {
                bounds: VerificationBounds { states: attempt.bounds.states / 2, ..attempt.bounds },
                rules: SearchRules { fences: SequentialFenceOrder::Implied, ..attempt.rules },
            },
            Self::Waits | Self::WholeHistories | Self::FenceOrders | Self::Branches => attempt,
        }
    }

    /// What to try next, if the last attempt leaves out something that this refinement may not.
    pub fn next(self, request: VerifyRequest, attempt: Attempt, last: &Verification) -> Option<Attempt> {
        match self {
            Self::Waits => more_rounds(request, attempt, last),
            Self::WholeHistories => whole_histories(attempt, last),
            Self::FenceOrders => all_fence_orders(request, attempt, last),
            Self::Branches => all_branches(attempt, last),
        }
    }

    /// Of the results of both attempts, the one that says more, with what both have cost or left out where that is part of it.
    pub fn merge(self, first: Explored, second: Explored) -> Explored {
        let (one, two) = (&first.found, &second.found);
        let is_finished = two.unfinished().is_none();
        let has_findings = !two.problems.is_empty() || two.is_unconfirmed;
        match self {
            Self::Waits if has_findings || is_finished && !two.omits(Omission::WaitRounds) => second,
            Self::WholeHistories if has_findings || is_finished => {
                let mut second = second;
                second.found.omissions.extend(one.omits(Omission::WaitRounds).then_some(Omission::WaitRounds));
                second
            }
            Self::Waits | Self::WholeHistories => first,
            Self::FenceOrders => {
                let is_refuted = !one.problems.is_empty();
                let shows_more = two.problems.len() >= one.problems.len().max(1);
                let says_enough = is_searched(one) && !shows_more && (is_refuted || !two.has_all_orders());
                if says_enough { first } else { second }
            }
            Self::Branches if !is_finished || two.buffered_loads == BufferedLoads::Unknown => first,
            Self::Branches => {
                let states = one.states + two.states;
                Explored { found: Verification { states, ..second.found }, ..second }
            }
        }
    }
}

/// Loops that wait and count often count little: the values of others, or to a limit. Those have few states more.
fn more_rounds(request: VerifyRequest, attempt: Attempt, last: &Verification) -> Option<Attempt> {
    let may_end = last.unfinished().is_none_or(|why| why == Omission::Waits) && last.problems.is_empty();
    let may_be_complete = last.omits(Omission::WaitRounds) && !has_clock(request.program);
    let states = more_states(attempt.bounds).min(last.states * TIMES_STATES_OF_WAITS + MORE_STATES_OF_WAITS);
    // Whole histories have the rounds that their reason asks for.
    let is_allowed = attempt.rules.pruning != HistoryPruning::Nothing && attempt.bounds.wait_rounds < MORE_ROUNDS;
    let bounds = VerificationBounds { states, wait_rounds: MORE_ROUNDS };
    (is_allowed && may_end && may_be_complete && states > last.states).then_some(Attempt { bounds, ..attempt })
}

/// Without pruned histories a search has no end if a loop updates a location again and again.
fn whole_histories(attempt: Attempt, last: &Verification) -> Option<Attempt> {
    let is_doubtful = last.problems.is_empty() && last.unfinished().is_none() && last.omits(Omission::ReadSequences);
    // Where the search has followed every round of its waits, this one has to.
    let rounds = if last.omits(Omission::WaitRounds) { 0 } else { MORE_ROUNDS };
    let wait_rounds = attempt.bounds.wait_rounds.max(rounds);
    is_doubtful.then(|| Attempt {
        bounds: VerificationBounds { states: more_states(attempt.bounds), wait_rounds },
        rules: SearchRules { pruning: HistoryPruning::Nothing, ..attempt.rules },
    })
}

fn all_fence_orders(request: VerifyRequest, attempt: Attempt, last: &Verification) -> Option<Attempt> {
    if !has_orders(request.program, attempt.rules) {
        return None;
    }
    let is_decided = last.has_all_orders() || !last.problems.is_empty();
    if is_known(last) && !last.is_unconfirmed && is_decided {
        return None;
    }
    let most = attempt.bounds.states;
    let states = if is_searched(last) { last.states * MORE_STATES_OF_FENCES + MORE_STATES } else { most };
    Some(Attempt { bounds: VerificationBounds { states: states.min(most), ..attempt.bounds }, ..attempt })
}

fn all_branches(attempt: Attempt, last: &Verification) -> Option<Attempt> {
    let is_clean = last.problems.is_empty() && last.unfinished().is_none();
    let states = more_states(attempt.bounds) + MORE_STATES_OF_BRANCHES * last.states;
    (is_clean && last.buffered_loads == BufferedLoads::Unknown).then(|| Attempt {
        bounds: VerificationBounds { states: attempt.bounds.states.min(states), ..attempt.bounds },
        rules: SearchRules { branches: FollowedBranches::All, ..attempt.rules },
    })
}

/// Whether the machine can execute what the search has met.
fn is_known(found: &Verification) -> bool {
    found.unsupported.is_none() && found.unknown_result.is_none()
}

/// Whether a search without the orders of fences says enough. What it leaves out otherwise has seldom to do with their order; and what was shown refutes,
/// whatever else there may be.
fn is_searched(found: &Verification) -> bool {
    let is_finished = !found.is_unconfirmed && found.unfinished().is_none_or(|why| why == Omission::Waits);
    is_known(found) && (!found.problems.is_empty() || is_finished)
}

/// Whether there are orders of `fence.sc` to explore.
fn has_orders(program: &MachineProgram, rules: SearchRules) -> bool {
    let fences = program.instructions().filter_map(|instruction| instruction.action.synchronization().fence());
    rules.without.is_none() && fences.into_iter().any(|fence| fence.is_sequential)
}
