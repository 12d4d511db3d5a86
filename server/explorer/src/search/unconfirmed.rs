//! What a search that does not order all `fence.sc` has found, and no execution with an order of them has shown yet.

use program::problem::CodePlace;
use std::collections::BTreeMap;

/// The ways on which something is looked for again, before it is left to a search through all orders.
const MOST_ATTEMPTS: u32 = 16;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// The end of an execution, by its state.
    End(u32),
    /// A problem: its instruction and code.
    Problem(CodePlace, &'static str),
    /// A note, by the instructions of its accesses.
    Note(Vec<CodePlace>),
    /// A claim that does not hold.
    Claim(String),
}

/// What has yet to be shown, with the number of ways that did not show it.
#[derive(Debug, Default)]
pub struct Unconfirmed {
    attempts: BTreeMap<Finding, u32>,
}

impl Unconfirmed {
    /// A way to it is not possible with an order of all fences; another one may be.
    pub fn add(&mut self, finding: Finding) {
        *self.attempts.entry(finding).or_default() += 1;
    }

    /// It was shown.
    pub fn remove(&mut self, finding: &Finding) {
        self.attempts.remove(finding);
    }

    /// Whether the end of an execution has yet to be shown.
    pub fn has_end(&self, state: u32) -> bool {
        self.attempts.get(&Finding::End(state)).is_some_and(|attempts| *attempts < MOST_ATTEMPTS)
    }

    /// Whether all was shown.
    pub fn is_empty(&self) -> bool {
        self.attempts.is_empty()
    }

    /// Whether something was looked for often enough.
    pub fn is_given_up(&self, finding: &Finding) -> bool {
        self.attempts.get(finding).is_some_and(|attempts| *attempts >= MOST_ATTEMPTS)
    }

    /// Whether anything was.
    pub fn has_given_up(&self) -> bool {
        self.attempts.values().any(|attempts| *attempts >= MOST_ATTEMPTS)
    }
}
