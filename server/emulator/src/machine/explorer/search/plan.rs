//! The searches of a verification: if the first one had to leave something out, another one may not have to.

use crate::machine::explorer::choices::waits::has_clock;
use crate::machine::explorer::load_buffering::unconstrained_searches::{UnconstrainedLimits, rule_out_buffering};
use crate::machine::explorer::result::{Verification, VerificationBounds, VerifyRequest};
use crate::machine::explorer::search::omission::Unfinished;
use crate::machine::explorer::search::state_space::search;
use crate::machine::launch::launch_error::{LaunchError, check_explored};
use crate::machine::ordering::{
    BufferedLoads, FollowedBranches, HistoryPruning, MbarrierOrders, OrderRule, SearchRules, SequentialFenceOrder,
    SymmetryRule,
};
use crate::machine::program::machine_program::MachineProgram;
use std::sync::Arc;

/// The rounds of loops that wait and count in a second search, if the first one left some out.
const MORE_ROUNDS: u32 = 8;

/// How many times more states the search through all orders of `fence.sc` may have, if the one without them has left something else out.
const MORE_STATES_OF_FENCES: usize = 4;

/// How many times more states there may be where branches that strong reads may decide about are followed.
const MORE_STATES_OF_BRANCHES: usize = 12;

/// How many times more states the searches may have that rule out load buffering.
const MORE_STATES_OF_BUFFERING: usize = 8;

/// How many times more states than that there are if states in which threads have only changed places are visited each, as in these searches.
const MORE_STATES_OF_PERMUTATIONS: usize = 24;

/// The most states of the second search, at least; see [`more_states`].
const MORE_STATES: usize = 5_000;

/// The part of all states that a second search may have.
const PART_OF_MORE_STATES: usize = 200;

/// Explores all executions of a launch.
///
/// # Errors
/// [`LaunchError`] if the dimensions are invalid.
pub fn verify(request: VerifyRequest, bounds: VerificationBounds) -> Result<Verification, LaunchError> {
    verify_without(request, bounds, None)
}

/// The same, and visits each state, also those in which threads have only changed places: a test compares.
///
/// # Errors
/// [`LaunchError`] if the dimensions are invalid.
pub fn verify_each_state(request: VerifyRequest, bounds: VerificationBounds) -> Result<Verification, LaunchError> {
    verify_by(request, bounds, SearchRules { symmetry: SymmetryRule::Off, ..SearchRules::default() })
}

/// The same, with all orders of the steps at mbarriers: a test compares.
///
/// # Errors
/// [`LaunchError`] if the dimensions are invalid.
pub fn verify_each_order(request: VerifyRequest, bounds: VerificationBounds) -> Result<Verification, LaunchError> {
    verify_by(request, bounds, SearchRules { mbarriers: MbarrierOrders::All, ..SearchRules::default() })
}

/// The same without one of the rules that order accesses: a test shows that each of them matters.
///
/// # Errors
/// [`LaunchError`] if the dimensions are invalid.
pub fn verify_without(
    request: VerifyRequest,
    bounds: VerificationBounds,
    without: Option<OrderRule>,
) -> Result<Verification, LaunchError> {
    verify_by(request, bounds, SearchRules { without, ..SearchRules::default() })
}

fn verify_by(
    request: VerifyRequest,
    bounds: VerificationBounds,
    rules: SearchRules,
) -> Result<Verification, LaunchError> {
    check_explored(request.program, request.launch)?;
    let fences = SequentialFenceOrder::Explored;
    let rules = SearchRules { pruning: HistoryPruning::Repeated, fences, states: bounds.states, ..rules };
    let (mut found, rules) = search_following_branches(request, bounds, rules);
    found.may_buffer_loads = found.buffered_loads != BufferedLoads::None;
    if found.problems.is_empty() && found.may_buffer_loads {
        return Ok(with_buffering(request, bounds, rules, found));
    }
    Ok(found)
}

/// The searches, without what is not explored at all; with the branches that strong reads may decide about if load buffering is not ruled out without
/// them. Returns what the last search followed.
fn search_following_branches(
    request: VerifyRequest,
    bounds: VerificationBounds,
    rules: SearchRules,
) -> (Verification, SearchRules) {
    let has_orders = rules.without.is_none() && has_sequential_fence(request.program);
    let search = |bounds, rules| {
        if has_orders { search_with_fences(request, bounds, rules) } else { search_all(request, bounds, rules) }
    };
    let first = search(bounds, rules);
    let is_clean = first.problems.is_empty() && first.unfinished.is_none();
    if !is_clean || first.buffered_loads != BufferedLoads::Unknown {
        return (first, rules);
    }
    let states = bounds.states.min(more_states(bounds) + MORE_STATES_OF_BRANCHES * first.states);
    let more_rules = SearchRules { branches: FollowedBranches::All, ..rules };
    let second = search(VerificationBounds { states, ..bounds }, more_rules);
    if second.unfinished.is_some() || second.buffered_loads == BufferedLoads::Unknown {
        return (first, rules);
    }
    (Verification { states: first.states + second.states, ..second }, more_rules)
}

/// What a search without load buffering has found, and whether executions with it may have a problem.
fn with_buffering(
    request: VerifyRequest,
    bounds: VerificationBounds,
    rules: SearchRules,
    mut found: Verification,
) -> Verification {
    let places = if found.merges_permuted { MORE_STATES_OF_PERMUTATIONS } else { 1 };
    let states = bounds.states.min(more_states(bounds) + MORE_STATES_OF_BUFFERING * places * found.states);
    let rounds = if found.has_shortened_waits { 0 } else { MORE_ROUNDS };
    let more = VerificationBounds { states, wait_rounds: bounds.wait_rounds.max(rounds) };
    let limits = UnconstrainedLimits::new(more, rules.states);
    let with_unconstrained_reads = match rule_out_buffering(request, limits, rules, &found) {
        Ok(searched) => searched,
        Err(reason) => {
            found.unfinished.get_or_insert(Unfinished::LoadBuffering);
            found.buffering = Some(reason);
            return found;
        }
    };
    found.states += with_unconstrained_reads.states;
    for (place, rounds) in with_unconstrained_reads.rounds {
        let most = found.rounds.entry(place).or_default();
        *most = rounds.max(*most);
    }
    found.has_shortened_waits |= with_unconstrained_reads.has_shortened_waits;
    found.loses_reads |= with_unconstrained_reads.loses_reads;
    found.leaves_out_lanes |= with_unconstrained_reads.leaves_out_lanes;
    found.has_further_ends = true;
    found.may_buffer_loads = false;
    found
}

/// The searches, without what is not explored at all, of a launch with `fence.sc`.
///
/// First they are ordered only where each order of them does. The order only rules executions out, so that all those of the program are among these;
/// and which states can reach an end is decided by reads of the last values, which no fence rules out. `n` fences have up to `n!` orders, which
/// seldom matter: CUDA's `__threadfence()` is one. A problem is repeated with an order, which may forbid it: then all orders are explored.
fn search_with_fences(request: VerifyRequest, bounds: VerificationBounds, rules: SearchRules) -> Verification {
    let implied_rules = SearchRules { fences: SequentialFenceOrder::Implied, ..rules };
    let implied = search_all(request, VerificationBounds { states: bounds.states / 2, ..bounds }, implied_rules);
    let is_known = implied.unsupported.is_none() && implied.unknown_result.is_none();
    let is_refuted = !implied.problems.is_empty();
    if is_known && !implied.is_unconfirmed && (implied.has_all_orders() || is_refuted) {
        return implied;
    }
    // What is left out otherwise has seldom to do with the order of the fences; and what was shown refutes, whatever else there may be.
    let is_finished = !implied.is_unconfirmed && implied.unfinished.is_none_or(|why| why == Unfinished::Waits);
    let is_searched = is_known && (is_refuted || is_finished);
    let states = if is_searched { implied.states * MORE_STATES_OF_FENCES + MORE_STATES } else { bounds.states };
    let explored = search_all(request, VerificationBounds { states: states.min(bounds.states), ..bounds }, rules);
    let shows_more = explored.problems.len() >= implied.problems.len().max(1);
    if is_searched && !shows_more && (is_refuted || !explored.has_all_orders()) { implied } else { explored }
}

fn has_sequential_fence(program: &MachineProgram) -> bool {
    let fences = program.instructions().filter_map(|instruction| instruction.action.synchronization().fence());
    fences.into_iter().any(|fence| fence.is_sequential)
}

/// The searches, without what is not explored at all.
fn search_all(request: VerifyRequest, bounds: VerificationBounds, rules: SearchRules) -> Verification {
    let found = verify_waits(request, bounds, rules);
    let is_doubtful = found.problems.is_empty() && found.unfinished.is_none() && found.loses_reads;
    if !is_doubtful {
        return found;
    }
    // Without shortened histories the search has no end if a loop updates a location again and again.
    let states = more_states(bounds);
    let whole_rules = SearchRules { pruning: HistoryPruning::Nothing, ..rules };
    // Where the search has followed every round of its waits, this one has to.
    let rounds = if found.has_shortened_waits { 0 } else { MORE_ROUNDS };
    let wait_rounds = bounds.wait_rounds.max(rounds);
    let whole = search(request, VerificationBounds { states, wait_rounds }, whole_rules, &Arc::default());
    let is_better = whole.unfinished.is_none() || !whole.problems.is_empty() || whole.is_unconfirmed;
    if is_better {
        Verification { has_shortened_waits: found.has_shortened_waits || whole.has_shortened_waits, ..whole }
    } else {
        found
    }
}

/// The most states of a second search: more, if more are asked for.
fn more_states(bounds: VerificationBounds) -> usize {
    bounds.states.min(MORE_STATES.max(bounds.states / PART_OF_MORE_STATES))
}

/// Explores executions, with more rounds of loops that wait and count if few were left out.
fn verify_waits(request: VerifyRequest, bounds: VerificationBounds, rules: SearchRules) -> Verification {
    let first = search(request, bounds, rules, &Arc::default());
    let may_end = first.unfinished.is_none_or(|why| why == Unfinished::Waits) && first.problems.is_empty();
    let may_be_complete = first.has_shortened_waits && !has_clock(request.program);
    // Loops that wait and count often count little: the values of others, or to a limit. Those have few states more.
    let states = more_states(bounds).min(first.states * 3 + 200);
    if !may_end || !may_be_complete || bounds.wait_rounds >= MORE_ROUNDS || states <= first.states {
        return first;
    }
    let more = VerificationBounds { states, wait_rounds: MORE_ROUNDS };
    let second = search(request, more, rules, &Arc::default());
    let is_complete = second.unfinished.is_none() && !second.has_shortened_waits;
    let is_better = is_complete || !second.problems.is_empty() || second.is_unconfirmed;
    if is_better { second } else { first }
}
