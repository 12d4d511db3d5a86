//! Conditions on outcomes, and claims about them.

use crate::Bits;
use crate::code::arithmetic::Compare;
use crate::code::program::Observable;

/// A value in a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// The final value of a register or location.
    Observable(Observable),
    /// A constant.
    Constant(Bits),
}

/// A condition on an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A comparison of two values.
    Compare(Compare, Term, Term),
    /// All conditions hold.
    And(Vec<Condition>),
    /// At least one condition holds.
    Or(Vec<Condition>),
    /// The condition does not hold.
    Not(Box<Condition>),
}

/// The quantifier of a claim over all outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// The condition holds in at least one outcome.
    Exists,
    /// It holds in no outcome.
    NotExists,
    /// It holds in every outcome.
    ForAll,
}

/// Whether a claim is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// The claim is true.
    Pass,
    /// The claim is false.
    Fail,
    /// The search limit was reached before the claim was decided.
    Unknown,
}

/// The result of a search for outcomes that satisfy, or violate, the condition of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimEvidence {
    /// Whether it holds for some outcome.
    pub holds: bool,
    /// Whether it does not hold for some outcome.
    pub fails: bool,
    /// Whether all outcomes were found.
    pub complete: bool,
}

impl Condition {
    /// Whether it holds for an outcome, given as the values of `observed` in their order.
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

    /// The observables that it names, sorted, without duplicates.
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
    /// The keyword in litmus tests.
    pub fn word(self) -> &'static str {
        match self {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::ForAll => "forall",
        }
    }

    /// The verdict on a claim.
    pub fn verdict(self, evidence: ClaimEvidence) -> ClaimVerdict {
        let ClaimEvidence { holds, fails, complete } = evidence;
        let (is_decided, verdict) = match self {
            Quantifier::Exists => (holds, ClaimVerdict::Pass),
            Quantifier::NotExists => (holds, ClaimVerdict::Fail),
            Quantifier::ForAll => (fails, ClaimVerdict::Fail),
        };
        match (is_decided, complete) {
            (true, _) => verdict,
            (false, false) => ClaimVerdict::Unknown,
            (false, true) if self == Quantifier::Exists => ClaimVerdict::Fail,
            (false, true) => ClaimVerdict::Pass,
        }
    }
}

impl ClaimVerdict {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            ClaimVerdict::Pass => "PASS",
            ClaimVerdict::Fail => "FAIL",
            ClaimVerdict::Unknown => "UNKNOWN",
        }
    }
}
