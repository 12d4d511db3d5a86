//! Problems of searches that supposed something wrong about who accesses which location.
//!
//! What such a search did is an execution, but it has left steps of others out. That nobody can go on, or that a limit on waiting is reached, says nothing
//! then; nor does a race, if nobody followed who has observed what.

use crate::choices::waits::is_meant_by_limit;
use crate::result::{FoundProblem, Verification};
use crate::search::omission::Omission;
use program::problem::ProblemKind;

/// Those that hold whatever the steps of others are.
#[derive(Debug, Default)]
pub struct EarlierProblems(Vec<FoundProblem>);

impl EarlierProblems {
    /// Keeps what holds of the problems of a search, after which more locations are followed or not.
    pub fn keep(&mut self, problems: Vec<FoundProblem>, follows_more: bool) {
        let is_race = |kind: &ProblemKind| matches!(kind, ProblemKind::DataRace { .. });
        let holds = |kind: &ProblemKind| !is_meant_by_limit(kind) && (!follows_more || !is_race(kind));
        let kept =
            problems.into_iter().filter(|found| found.problem.as_ref().is_none_or(|problem| holds(&problem.kind)));
        if self.0.is_empty() {
            self.0.extend(kept);
        }
    }

    /// The result of a later search, with them if that has ended before it could find them.
    pub fn added_to(self, mut found: Verification) -> Verification {
        if found.problems.is_empty() && found.unfinished().is_some() && !self.0.is_empty() {
            found.problems = self.0;
            found.omissions.insert(Omission::AfterProblem);
        }
        found
    }
}
