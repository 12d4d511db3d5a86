//! How much a search may cost, and how much more the next one may.
//!
//! The user bounds the states of a verification. The other budgets follow from what searches of the evidence needed (`tests/evidence/verification`):
//! they are parts or multiples of what was already spent, so that a refinement never dominates the search that it follows.

use crate::result::VerificationBounds;

/// The rounds of loops that wait and count in a second search, if the first one left some out.
pub const MORE_ROUNDS: u32 = 8;

/// How many times as many states as before such a second search may have, and how many more.
pub const TIMES_STATES_OF_WAITS: usize = 3;
/// See [`TIMES_STATES_OF_WAITS`].
pub const MORE_STATES_OF_WAITS: usize = 200;

/// How many times more states the search through all orders of `fence.sc` may have, if the one without them has left something else out.
pub const MORE_STATES_OF_FENCES: usize = 4;

/// How many times more states there may be where branches that strong reads may decide about are followed.
pub const MORE_STATES_OF_BRANCHES: usize = 12;

/// How many times more states the searches may have that rule out load buffering.
pub const MORE_STATES_OF_BUFFERING: usize = 8;

/// How many times more states than that there are if states in which threads have only changed places are visited each, as in these searches.
pub const MORE_STATES_OF_PERMUTATIONS: usize = 24;

/// The most states of the second search, at least; see [`more_states`].
pub const MORE_STATES: usize = 5_000;

/// The part of all states that a second search may have.
const PART_OF_MORE_STATES: usize = 200;

/// The most searches that rule out load buffering, at least: each one may find values that the next one has to read, or reads that have to be free.
pub const MOST_SEARCHES: usize = 8;

/// The most values of a location in them, at least.
pub const MOST_VALUES: usize = 32;

/// The states for which there may be one more such search.
pub const STATES_FOR_A_SEARCH: usize = 125_000;

/// The states for which there may be one more value.
pub const STATES_FOR_A_VALUE: usize = 31_250;

/// The most messages of a location in a search that forgets none.
pub const LONGEST_HISTORY: usize = 12;

/// What visits of states may cost in which locations have more messages than [`LONGEST_HISTORY`], at least: threads write again and again, and the
/// writes that others may read are ever more. A visit costs as the square of the messages.
pub const MOST_WRITES: usize = 1_000_000;

/// The same after a problem: the search goes on only to find others.
pub const MOST_WRITES_AFTER_PROBLEM: usize = 50_000;

/// The most states of a search that cannot show something that it has found: it may show something else.
pub const MOST_STATES_UNCONFIRMED: usize = 20_000;

/// How many times as many states as before the last problem a search may have, which goes on only to find others; and
/// [`MORE_STATES_AFTER_PROBLEM`] more.
pub const TIMES_STATES_BEFORE_PROBLEM: usize = 4;

/// The states that a search may have after the last problem in any case.
pub const MORE_STATES_AFTER_PROBLEM: usize = 2_000;

/// The states that are still visited after a problem, if the search has left something out.
pub const STATES_AFTER_OMISSION: usize = 100;

/// The most states of a second search: more, if more are asked for.
pub fn more_states(bounds: VerificationBounds) -> usize {
    bounds.states.min(MORE_STATES.max(bounds.states / PART_OF_MORE_STATES))
}
