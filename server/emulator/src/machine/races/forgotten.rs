//! Updates that are forgotten, as they tell their readers nothing but what earlier ones do.
//!
//! Without it, threads that update in vain, a reader that comes and goes while a writer holds the lock, would never come back to a state. What may be
//! lost are sequences of reads: who reads a message, and then a later one with an earlier value, needs both of them. Who only updates a location
//! reads no message that was updated before. So it is noted which threads may have lost something, if they read.

use super::Races;
use super::clock::Agent;
use super::history::{Forgetting, LocationHistory};
use std::collections::BTreeSet;
use std::ops::Range;

/// The most updates of a round of a loop that has others after it in a location's history.
const LONGEST_ROUND: usize = 4;

/// A thread that may have lost a sequence of reads that ends with a value.
pub type LostRead = (Agent, u128);

/// Where readers of a location begin: the first messages that they may read.
#[derive(Debug)]
pub struct ReadBegins {
    /// Of threads.
    pub threads: Vec<(Agent, usize)>,
    /// Of those who synchronize with what is remembered.
    pub clocks: Vec<usize>,
}

impl ReadBegins {
    /// Nobody reads.
    const NONE: Self = Self { threads: Vec::new(), clocks: Vec::new() };

    fn all(&self) -> impl Iterator<Item = usize> {
        self.threads.iter().map(|(_, begin)| *begin).chain(self.clocks.iter().copied())
    }

    /// Some messages are gone that nobody begins at.
    fn remove(&mut self, gone: &Range<usize>) {
        let length = gone.len();
        let all = self.threads.iter_mut().map(|(_, begin)| begin).chain(&mut self.clocks);
        all.filter(|begin| **begin >= gone.end).for_each(|begin| *begin -= length);
    }
}

impl LocationHistory {
    /// Whether something could be forgotten if nobody read.
    pub fn has_repeated(&self) -> bool {
        self.repeated(&ReadBegins::NONE).is_some()
    }

    /// Whether a round could be forgotten if nobody read.
    pub fn has_rounds(&self) -> bool {
        self.repeated_round(&ReadBegins::NONE).is_some()
    }

    /// The first update that nobody needs to read, and the earlier message that stands for it: it has the same value and releases no more, and
    /// everybody who may read the update may read that one, too. No write can be after either of its neighbours but in front of the next update.
    fn repeated(&self, begins: &ReadBegins) -> Option<(usize, usize)> {
        let updates = self.messages.windows(2).enumerate().filter(|(_, pair)| pair.iter().all(|one| one.is_update));
        updates.map(|(at, _)| at).find_map(|at| {
            // What is between the two is not known to anybody who has not seen more.
            let from = begins.all().filter(|begin| *begin <= at).max().unwrap_or(0);
            let stands_for = |earlier: &usize| self.messages[*earlier].says_no_more(&self.messages[at]);
            (from..at).rev().find(stands_for).map(|earlier| (at, earlier))
        })
    }

    /// Removes the updates that nobody needs to read, and adds what that loses.
    pub fn forget_repeated(&mut self, mut begins: ReadBegins, lost: &mut BTreeSet<LostRead>) {
        while let Some((at, earlier)) = self.repeated(&begins) {
            let value = self.messages[at].value;
            // What is between them and has the same value makes no difference.
            if self.messages[earlier..at].iter().any(|between| between.value != value) {
                let may_read = |begin: usize| begin < at;
                lost.extend(
                    begins.threads.iter().filter(|(_, begin)| may_read(*begin)).map(|(agent, _)| (*agent, value)),
                );
            }
            self.messages.remove(at);
            begins.remove(&(at..at + 1));
        }
    }

    /// Updates that repeat those before them, one by one, and that nobody needs to read: a thread that polls under a lock takes and frees it again
    /// and again. The begins are without what the messages of this location tell: who reads one of the later updates in the original sees no more
    /// than who reads its counterpart.
    fn repeated_round(&self, begins: &ReadBegins) -> Option<Range<usize>> {
        let count = self.messages.len();
        let is_round = |from: usize, length: usize| {
            let (earlier, later) = (&self.messages[from - length..from], &self.messages[from..from + length]);
            let are_updates = self.messages[from - length + 1..=from + length].iter().all(|one| one.is_update);
            let is_inside = |begin: usize| (from - length + 1..from + length).contains(&begin);
            are_updates
                && earlier.iter().zip(later).all(|(one, other)| one.says_no_more(other))
                && !begins.all().any(is_inside)
        };
        let lengths = 2..=LONGEST_ROUND.min(count / 2);
        lengths.into_iter().find_map(|length| {
            (length..count.saturating_sub(length)).find(|from| is_round(*from, length)).map(|from| from..from + length)
        })
    }

    /// Removes the rounds that nobody needs to read, and adds what that loses.
    pub fn forget_rounds(&mut self, mut begins: ReadBegins, lost: &mut BTreeSet<LostRead>) {
        while let Some(round) = self.repeated_round(&begins) {
            let values: Vec<u128> = self.messages.drain(round.clone()).map(|message| message.value).collect();
            let readers = begins.threads.iter().filter(|(_, begin)| *begin < round.start);
            lost.extend(readers.flat_map(|(agent, _)| values.iter().map(|value| (*agent, *value))));
            begins.remove(&round);
        }
    }
}

impl Races {
    /// Whether all messages are kept that some thread may still read.
    pub fn forgets_nothing(&self) -> bool {
        self.forgetting == Forgetting::Nothing
    }

    /// The most messages of a location.
    pub fn longest_history(&self) -> usize {
        let all = self.history.iter().flatten();
        all.map(|(_, location)| location.messages.len()).max().unwrap_or(0)
    }
}
