//! Strong reads that threads have passed on, of which later writes of others may depend on the last ones that they know of.
//!
//! Threads that read again and again between barriers would never come back to a state if all were kept.

use crate::Races;
use crate::clock::{Agent, Clock};
use crate::load_buffering::earlier_reads::{PassedOrder, PassedReads};

/// The entries of a thread from which on those are forgotten that nobody can get to know any more.
const MANY: usize = 6;

/// Whether a thread has passed on its reads often.
pub fn has_long_passed_reads(races: &Races) -> bool {
    races.reads.passed.values().any(|passed| passed.len() >= MANY)
}

/// Forgets reads that are the last ones for nobody: some clocks are all that threads may get to know, and who gets to know more of a thread later knows
/// its last entry.
pub fn prune_passed_reads(races: &mut Races, clocks: &[Clock]) {
    for ((warp, lane), passed) in races.reads.passed.iter_mut().filter(|(_, passed)| passed.len() >= MANY) {
        let reader = Agent { warp: *warp, lane: *lane };
        let last_known = |clock: &Clock| passed.iter().rposition(|one| clock.has_epoch(reader, one.epoch));
        let mut is_kept = vec![false; passed.len()];
        clocks.iter().filter_map(last_known).for_each(|at| is_kept[at] = true);
        for (at, one) in passed.iter().enumerate() {
            let is_same = |later: &PassedReads| later.order == one.order && later.reads == one.reads;
            is_kept[at] |= at + 1 == passed.len();
            // What is executed later counts for those who know none of them.
            is_kept[at] |= one.order == PassedOrder::Executed && !passed[at + 1..].iter().any(is_same);
        }
        let mut kept = is_kept.into_iter();
        passed.retain(|_| kept.next() == Some(true));
    }
}
