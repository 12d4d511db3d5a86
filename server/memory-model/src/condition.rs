//! Conditions on outcomes, and claims about them.

use crate::Bits;
use crate::arithmetic::Compare;
use crate::program::Observable;

/// A value in a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// What a register or a location holds at the end.
    Observable(Observable),
    /// A constant.
    Constant(Bits),
}

/// A condition on an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Two values compare so.
    Compare(Compare, Term, Term),
    /// All hold.
    And(Vec<Condition>),
    /// One holds.
    Or(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}

/// What is claimed of all outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// The condition holds in one.
    Exists,
    /// It holds in none.
    NotExists,
    /// It holds in each.
    ForAll,
}

/// Whether a claim is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// It is.
    Pass,
    /// It is not.
    Fail,
    /// The search reached its limit before it was decided.
    Unknown,
}

impl Condition {
    /// Whether it holds for an outcome: the values of these observables, in this order.
    pub fn holds(&self, observed: &[Observable], outcome: &[Bits]) -> bool {
        let value = |term: &Term| match term {
            Term::Constant(value) => *value,
            Term::Observable(observable) => {
                let at = observed.iter().position(|known| known == observable);
                at.map_or(0, |at| outcome[at])
            }
        };
        match self {
            Condition::Compare(compare, a, b) => compare.holds(value(a), value(b)),
            Condition::And(all) => all.iter().all(|part| part.holds(observed, outcome)),
            Condition::Or(all) => all.iter().any(|part| part.holds(observed, outcome)),
            Condition::Not(part) => !part.holds(observed, outcome),
        }
    }

    /// The observables that it names, in the order of their names.
    pub fn observables(&self) -> Vec<Observable> {
        let mut all = Vec::new();
        let mut open = vec![self];
        while let Some(next) = open.pop() {
            match next {
                Condition::Compare(_, a, b) => all.extend([a, b].into_iter().filter_map(|term| match term {
                    Term::Observable(observable) => Some(*observable),
                    Term::Constant(_) => None,
                })),
                Condition::And(parts) | Condition::Or(parts) => open.extend(parts),
                Condition::Not(part) => open.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Quantifier {
    /// Its word in litmus tests.
    pub fn word(self) -> &'static str {
        match self {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::ForAll => "forall",
        }
    }

    /// The verdict, once it is known whether the condition holds in some outcome and fails in some.
    pub fn verdict(self, holds: bool, fails: bool, complete: bool) -> ClaimVerdict {
        let (decided, when) = match self {
            Quantifier::Exists => (holds, ClaimVerdict::Pass),
            Quantifier::NotExists => (holds, ClaimVerdict::Fail),
            Quantifier::ForAll => (fails, ClaimVerdict::Fail),
        };
        match (decided, complete) {
            (true, _) => when,
            (false, false) => ClaimVerdict::Unknown,
            (false, true) if self == Quantifier::Exists => ClaimVerdict::Fail,
            (false, true) => ClaimVerdict::Pass,
        }
    }
}

impl ClaimVerdict {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            ClaimVerdict::Pass => "PASS",
            ClaimVerdict::Fail => "FAIL",
            ClaimVerdict::Unknown => "UNKNOWN",
        }
    }
}
