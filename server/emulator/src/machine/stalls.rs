//! How long loops that wait at barriers go on.

use std::collections::BTreeSet;

/// The most stalls after which the loops go on: somebody may count for ever.
const MOST_STALLS: usize = 4_096;

/// The instructions after the first stall within which the loops go on.
const MOST_INSTRUCTIONS: u64 = 10_000_000;

/// The stalls after which the loops go on even later: there may be much work between them.
const FEW_STALLS: usize = 16;

/// The stalls of the clusters that are resident.
#[derive(Clone, Debug, Default)]
pub struct Stalls {
    /// What the threads were at, as hashes.
    seen: BTreeSet<u64>,
    /// The instructions that were executed before the first one.
    begun_at: u64,
}

impl Stalls {
    /// The instructions that were executed before the first one.
    pub const fn begun_at(&self) -> u64 {
        self.begun_at
    }

    /// Adds one, after some instructions. Returns whether it is new.
    pub fn add(&mut self, hash: u64, executed: u64) -> bool {
        if self.seen.is_empty() {
            self.begun_at = executed;
        }
        self.seen.insert(hash)
    }

    /// Whether the loops have gone on so long in vain that this is a deadlock.
    pub fn are_too_many(&self, executed: u64, max_instructions: u64) -> bool {
        if self.seen.is_empty() {
            return false;
        }
        let tenth = max_instructions / 10;
        let most = if self.seen.len() < FEW_STALLS { tenth } else { tenth.min(MOST_INSTRUCTIONS) };
        self.seen.len() >= MOST_STALLS || executed.saturating_sub(self.begun_at) > most
    }
}
