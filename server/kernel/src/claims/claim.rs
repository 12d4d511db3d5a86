//! What is claimed about memory after a run.

use crate::claims::condition::MemoryCondition;
use crate::claims::expectation::Expectation;
use machine::GlobalMemory;

/// A claim about memory after a run.
#[derive(Debug)]
pub enum MemoryClaim {
    /// Values of a buffer or variable.
    Values(Expectation),
    /// A condition that has to hold, or must not.
    Condition(MemoryCondition),
}

impl MemoryClaim {
    /// How memory is not as claimed.
    pub fn failure(&self, memory: &GlobalMemory) -> Option<String> {
        match self {
            Self::Values(expected) => expected.difference(memory),
            Self::Condition(condition) => condition.failure(memory),
        }
    }
}

/// How memory is not as claimed: a message for each claim that does not hold.
pub fn failures(claims: &[MemoryClaim], memory: &GlobalMemory) -> Vec<String> {
    claims.iter().filter_map(|one| one.failure(memory)).collect()
}
