//! When a search ends before it has visited all states.

use crate::result::{Verification, VerificationBounds};
use crate::search::budgets::{
    LONGEST_HISTORY, MORE_STATES_AFTER_PROBLEM, MOST_STATES_UNCONFIRMED, MOST_WRITES, MOST_WRITES_AFTER_PROBLEM,
    STATES_AFTER_OMISSION, TIMES_STATES_BEFORE_PROBLEM,
};
use crate::search::unconfirmed::Unconfirmed;
use machine::state::Machine;
use ordering::messages::history_pruning;

/// What a search has spent of its bounds.
#[derive(Debug)]
pub struct SearchLimits {
    /// The most states.
    most_states: usize,
    /// Whether a location has more messages than a search can follow.
    has_long_history: bool,
    /// What visits of states with many messages of a location have cost; see [`MOST_WRITES`].
    writes: usize,
    /// The number of states after which the search ends, if it is known to be incomplete.
    last_state: Option<usize>,
    /// The number of states when the last problem was found.
    last_problem: usize,
}

impl SearchLimits {
    /// Nothing is spent yet.
    pub fn new(bounds: VerificationBounds) -> Self {
        Self { most_states: bounds.states, has_long_history: false, writes: 0, last_state: None, last_problem: 0 }
    }

    /// Counts what a visit of a state costs.
    pub fn count_visit(&mut self, machine: &Machine) {
        let messages = history_pruning::longest_history(&machine.races);
        if messages > LONGEST_HISTORY {
            self.has_long_history |= history_pruning::prunes_nothing(&machine.races);
            self.writes += messages * messages / 64;
        }
    }

    /// A problem was found after so many states.
    pub fn note_problem(&mut self, states: usize) {
        self.last_problem = states;
    }

    /// After so many states there is a problem, and something is left out that is not made up for: some more states show other problems.
    pub fn note_omission(&mut self, states: usize) {
        self.last_state.get_or_insert(states + STATES_AFTER_OMISSION);
    }

    /// Whether there are as many states as the bound allows, or a state is more than a search can follow.
    pub fn has_too_many_states(&self, states: usize) -> bool {
        states >= self.most_states || self.has_long_history
    }

    /// Whether states with ever more messages would take memory and time without end.
    pub fn has_too_many_writes(&self, found: &Verification) -> bool {
        let bounded = MOST_WRITES.max(self.most_states.saturating_mul(3));
        self.writes > if found.problems.is_empty() { bounded } else { MOST_WRITES_AFTER_PROBLEM }
    }

    /// Whether many states after a problem have not shown another one.
    pub fn has_gone_on_for_long(&self, states: usize, found: &Verification) -> bool {
        let most = self.last_problem.saturating_mul(TIMES_STATES_BEFORE_PROBLEM) + MORE_STATES_AFTER_PROBLEM;
        !found.problems.is_empty() && states > most
    }

    /// Whether a search that has left something out has gone on for long enough.
    pub fn has_omitted_enough(&self, states: usize) -> bool {
        self.last_state.is_some_and(|last| states >= last)
    }

    /// Whether a search that cannot show something that it has found has looked for something else for long enough.
    pub fn has_shown_nothing(&self, states: usize, unconfirmed: &Unconfirmed) -> bool {
        unconfirmed.has_given_up() && states >= MOST_STATES_UNCONFIRMED
    }
}
