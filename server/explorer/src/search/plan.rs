//! The plan of a verification: which searches there are, until nothing is left out or no refinement promises more.

use crate::load_buffering::unconstrained_searches::{UnconstrainedLimits, rule_out_buffering};
use crate::result::{Verification, VerificationBounds, VerifyRequest};
use crate::search::budgets::{MORE_ROUNDS, MORE_STATES_OF_BUFFERING, MORE_STATES_OF_PERMUTATIONS, more_states};
use crate::search::omission::Omission;
use crate::search::refinement::{Attempt, Explored, REFINEMENTS, Refinement};
use crate::search::state_space::search;
use machine::launch::launch_error::{LaunchError, check_explored};
use ordering::{
    BufferedLoads, HistoryPruning, MbarrierOrders, OrderRule, SearchRules, SequentialFenceOrder, SymmetryRule,
};
use std::sync::Arc;

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
    let attempt = Attempt { bounds, rules };
    let Explored { mut found, attempt } = explore(request, attempt, &REFINEMENTS);
    if found.buffered_loads == BufferedLoads::None {
        return Ok(found);
    }
    found.omissions.insert(Omission::BufferedExecutions);
    if found.problems.is_empty() {
        return Ok(with_buffering(request, bounds, attempt.rules, found));
    }
    Ok(found)
}

/// The search of an attempt; and again with more, for each of the refinements whose reason shows.
fn explore(request: VerifyRequest, attempt: Attempt, refinements: &[Refinement]) -> Explored {
    let Some((refinement, simpler)) = refinements.split_last() else {
        let found = search(request, attempt.bounds, attempt.rules, &Arc::default());
        return Explored { found, attempt };
    };
    let explored = |first, attempt| Explored { attempt, ..explore(request, first, simpler) };
    let first = explored(refinement.first(request, attempt), attempt);
    match refinement.next(request, attempt, &first.found) {
        Some(next) => refinement.merge(first, explored(next, next)),
        None => first,
    }
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
    let rounds = if found.omits(Omission::WaitRounds) { 0 } else { MORE_ROUNDS };
    let more = VerificationBounds { states, wait_rounds: bounds.wait_rounds.max(rounds) };
    let limits = UnconstrainedLimits::new(more, rules.states);
    let with_unconstrained_reads = match rule_out_buffering(request, limits, rules, &found) {
        Ok(searched) => searched,
        Err(reason) => {
            found.omissions.insert(Omission::LoadBuffering(reason));
            return found;
        }
    };
    found.states += with_unconstrained_reads.states;
    for (place, rounds) in with_unconstrained_reads.rounds {
        let most = found.rounds.entry(place).or_default();
        *most = rounds.max(*most);
    }
    found.omissions.extend(with_unconstrained_reads.omissions);
    found.has_further_final_states = true;
    found.rule_out_buffering();
    found
}
