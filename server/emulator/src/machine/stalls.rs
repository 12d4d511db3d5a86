//! How long loops that wait at barriers go on: as long as somebody makes progress.

use std::collections::HashSet;

/// The most stalls that are remembered. A wait in vain comes back to one soon.
const MOST_STALLS: usize = 65_536;

/// The stalls of the clusters that are resident.
#[derive(Clone, Debug, Default)]
pub struct Stalls {
    /// What the threads were at, as hashes.
    seen: HashSet<u64>,
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
        if self.seen.len() >= MOST_STALLS {
            self.seen.clear();
        }
        self.seen.insert(hash)
    }
}
