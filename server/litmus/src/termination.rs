//! Whether every execution of a litmus test ends.

use crate::test::{Expected, Test};
use memory_model::{Budget, ClaimVerdict, EndlessExecution, Fairness, Termination, may_be_endless, termination};

/// The fairness that the answer assumes, one sentence each, without a full stop.
pub const FAIRNESS: [&str; 3] = [
    "every thread is scheduled again and again; before sm_70 this holds for warps, not for the lanes of one",
    "a read that is repeated sees in the end what morally strong writes leave behind",
    "asynchronous operations and barriers complete as soon as they can",
];

/// Whether every fair execution of a test ends.
#[derive(Debug)]
pub enum TestTermination {
    /// Every one ends.
    Ends,
    /// It depends on a write that is seen by an access that is not morally strong relative to it, which nothing guarantees.
    NotGuaranteed(Box<EndlessExecution>),
    /// One does not end.
    Endless(Box<EndlessExecution>),
    /// The search limit was reached first.
    Unknown,
    /// The model does not define what the program does.
    NotModelled(Vec<String>),
}

impl TestTermination {
    /// The answer for a test without errors; `None` if it has no loop and no wait.
    pub fn of(test: &Test, budget: Budget) -> Option<Self> {
        if !may_be_endless(&test.program) {
            return None;
        }
        Some(match termination(&test.program, Fairness::MorallyStrong, budget) {
            Termination::Ends => TestTermination::Ends,
            Termination::Unknown => TestTermination::Unknown,
            Termination::NotModelled(what) => TestTermination::NotModelled(what.into_iter().collect()),
            Termination::Endless(found) => match termination(&test.program, Fairness::EveryWrite, budget) {
                Termination::Endless(found) => TestTermination::Endless(found),
                Termination::Ends => TestTermination::NotGuaranteed(found),
                Termination::Unknown | Termination::NotModelled(_) => TestTermination::Endless(found),
            },
        })
    }

    /// The word in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            TestTermination::Ends => "ends",
            TestTermination::NotGuaranteed(_) => "notGuaranteed",
            TestTermination::Endless(_) => "endless",
            TestTermination::Unknown | TestTermination::NotModelled(_) => "unknown",
        }
    }

    /// The execution that does not end.
    pub fn execution(&self) -> Option<&EndlessExecution> {
        match self {
            TestTermination::Endless(found) | TestTermination::NotGuaranteed(found) => Some(found),
            TestTermination::Ends | TestTermination::Unknown | TestTermination::NotModelled(_) => None,
        }
    }

    /// The verdict on a claim about an execution that does not end. A test without a loop and without a wait ends.
    pub fn verdict(termination: Option<&Self>, expected: Expected) -> ClaimVerdict {
        let ends = match termination {
            None | Some(TestTermination::Ends) => true,
            Some(TestTermination::Endless(_) | TestTermination::NotGuaranteed(_)) => false,
            Some(TestTermination::Unknown | TestTermination::NotModelled(_)) => return ClaimVerdict::Unknown,
        };
        if ends == (expected == Expected::Forbidden) { ClaimVerdict::Pass } else { ClaimVerdict::Fail }
    }
}
