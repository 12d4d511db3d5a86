//! Searches that show that no execution with load buffering has a problem: the first read of each of its cycles may have any value that is ever
//! written to its location ([`machine::exploration::unconstrained_reads`]).

use crate::load_buffering::value_dependent_addresses::may_redirect_writes;
use crate::result::{ProvedExample, Verification, VerificationBounds, VerifyRequest};
use crate::search::budgets::{MOST_SEARCHES, MOST_VALUES, STATES_FOR_A_SEARCH, STATES_FOR_A_VALUE};
use crate::search::omission::BufferingReason;
use crate::search::state_space::search;
use machine::exploration::unconstrained_reads::{LocationValues, UnconstrainedReads};
use machine::memory::global::GlobalMemory;
use ordering::{BufferedLoads, SearchRules, SequentialFenceOrder, SymmetryRule};
use program::analysis::code_places::after;
use program::machine_program::MachineProgram;
use program::problem::CodePlace;
use std::sync::Arc;

/// The bounds of the searches that rule load buffering out.
#[derive(Clone, Copy)]
pub struct UnconstrainedLimits {
    /// Those of all searches together.
    pub search: VerificationBounds,
    /// The most searches.
    searches: usize,
    /// The most values of a location.
    values: usize,
}

impl UnconstrainedLimits {
    /// Those of searches of a verification that has a bound on all states.
    pub fn new(search: VerificationBounds, states: usize) -> Self {
        let searches = MOST_SEARCHES.max(states / STATES_FOR_A_SEARCH);
        Self { search, searches, values: MOST_VALUES.max(states / STATES_FOR_A_VALUE) }
    }
}

/// Whether no execution with load buffering has a problem, where a search without them has found none: the last search then.
///
/// # Errors
/// Why that is not known.
pub fn rule_out_buffering(
    request: VerifyRequest,
    limits: UnconstrainedLimits,
    rules: SearchRules,
    found: &Verification,
) -> Result<Verification, BufferingReason> {
    let (Some(holds), BufferedLoads::Through(places)) = (request.holds, &found.buffered_loads) else {
        return Err(BufferingReason::DecidesWrites);
    };
    if found.unfinished().is_some() || found.unsupported.is_some() || rules.without.is_some() {
        return Err(BufferingReason::Bound);
    }
    let claims = |memory: &GlobalMemory| if holds(memory) { Vec::new() } else { vec![String::new()] };
    let request = VerifyRequest { claims: &claims, example: ProvedExample::Hidden, ..request };
    // Each order of the fences has no problem if all executions without an order of them have none.
    let rules = SearchRules { symmetry: SymmetryRule::Off, fences: SequentialFenceOrder::Implied, ..rules };
    let (mut bounds, mut visited) = (limits.search, 0);
    let mut free = UnconstrainedReads { places: places.clone(), values: LocationValues::new() };
    // The writes that a read reads depend on fewer other free reads than there are.
    let mut depth = 0;
    for _ in 0..limits.searches {
        if may_redirect_writes(request.program, &free.places) {
            return Err(BufferingReason::DecidesWrites);
        }
        let searched = search(request, bounds, rules, &Arc::new(free.clone()));
        bounds.states = bounds.states.saturating_sub(searched.states);
        visited += searched.states;
        let is_clean = searched.problems.is_empty() && searched.unfinished().is_none() && !searched.is_unconfirmed;
        let may_repeat = searched.fair_cycle.is_some() && found.fair_cycle.is_none();
        if !is_clean || may_repeat || searched.unsupported.is_some() || searched.unknown_result.is_some() {
            let has_problem = !searched.problems.is_empty() || searched.is_unconfirmed || may_repeat;
            return Err(if has_problem { BufferingReason::PossibleProblem } else { BufferingReason::Bound });
        }
        let before = free.clone();
        for (key, values) in &searched.written_values {
            free.values.entry(*key).or_default().extend(values);
        }
        match &searched.buffered_loads {
            BufferedLoads::None => {}
            BufferedLoads::Through(more) => free.places.extend(more),
            BufferedLoads::Unknown => return Err(BufferingReason::DecidesWrites),
        }
        if free.values.values().any(|values| values.len() > limits.values) {
            return Err(BufferingReason::Bound);
        }
        if free.places != before.places {
            depth = 0;
            continue;
        }
        let is_executed_once = free.places.iter().all(|place| !is_repeated(request.program, *place));
        if free.values == before.values || is_executed_once && depth >= searched.unconstrained_reads.len() {
            return Ok(Verification { states: visited, ..searched });
        }
        depth += 1;
    }
    Err(BufferingReason::Bound)
}

/// Whether a thread may execute an instruction more than once. What is called is not followed.
fn is_repeated(program: &MachineProgram, place: CodePlace) -> bool {
    let code = &program.functions[place.function as usize].code;
    let start = place.instruction as usize;
    place.function != 0 || after(code, vec![start], |_| false)[start]
}
