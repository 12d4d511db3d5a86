//! How long loops that wait at barriers go on: as long as somebody makes progress.

use std::collections::HashSet;

/// The most wait_cycles that are remembered.
const MOST_STALLS: usize = 65_536;

/// The wait_cycles of the clusters that are resident. A wait in vain comes back to one. All are remembered until they are too many, then fewer and fewer, chosen by
/// their hashes; a short cycle that has none of these comes back to the last one, which is replaced after twice as many each time (Brent's search).
#[derive(Clone, Debug, Default)]
pub struct WaitCycles {
    /// What the threads were at, as hashes that end in some zero bits.
    seen: HashSet<u64>,
    /// The number of these bits.
    zeros: u32,
    /// The last stall that was remembered whatever its hash; `None` before the first one.
    last: Option<u64>,
    /// The wait_cycles since then.
    since: u64,
    /// The wait_cycles after which it is replaced.
    most: u64,
    /// The instructions that were executed before the first one.
    begun_at: u64,
}

impl WaitCycles {
    /// The instructions that were executed before the first one.
    pub const fn begun_at(&self) -> u64 {
        self.begun_at
    }

    /// Adds one, after some instructions. Returns whether it is not known to be an earlier one.
    pub fn add(&mut self, hash: u64, executed: u64) -> bool {
        if self.last.is_none() {
            self.begun_at = executed;
        }
        if self.last == Some(hash) {
            return false;
        }
        self.since += 1;
        if self.since >= self.most {
            (self.last, self.since, self.most) = (Some(hash), 0, self.most.saturating_mul(2).max(1));
        }
        while self.seen.len() >= MOST_STALLS && self.zeros < u64::BITS {
            self.zeros += 1;
            let zeros = self.zeros;
            self.seen.retain(|hash| hash.trailing_zeros() >= zeros);
        }
        hash.trailing_zeros() < self.zeros || self.seen.insert(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{DefaultHasher, Hasher};

    #[test]
    fn cycles_are_found() {
        for (begin, length) in [(0, 1), (5, 2), (100, 131_072), (200_000, 1), (200_000, 3)] {
            let mut wait_cycles = WaitCycles::default();
            let hash = |turn: u64| {
                let mut hash = DefaultHasher::new();
                hash.write_u64(if turn < begin { turn } else { begin + (turn - begin) % length });
                hash.finish()
            };
            let found = (0..).position(|turn| !wait_cycles.add(hash(turn), turn)).unwrap_or_default() as u64;
            let latest = if length > 100 { begin + length + 1000 } else { 3 * (begin + length) };
            assert!((begin + length..=latest).contains(&found), "{begin} {length} {found}");
        }
    }
}
