//! Messages that are forgotten: those that nobody can read any more, and updates, as they tell their readers nothing but what earlier ones do.
//!
//! Without it, threads that update in vain, a reader that comes and goes while a writer holds the lock, would never come back to a state. What may be
//! lost are sequences of reads: who reads a message, and then a later one with an earlier value, needs both of them. Who only updates a location
//! reads no message that was updated before. So it is noted which threads may have lost something, if they read.

use crate::Races;
use crate::clock::{Agent, Clock};
use crate::load_buffering::passed_reads;
use crate::messages::history::{History, HistoryPruning, LocationHistory};
use crate::release::ReleaseSequence;
use program::memory::location::LocationKey;
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
    pub fn prune_repeated(&mut self, mut begins: ReadBegins, lost: &mut BTreeSet<LostRead>) {
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

/// Whether all messages are kept that some thread may still read.
pub fn prunes_nothing(races: &Races) -> bool {
    races.pruning == HistoryPruning::Nothing
}

/// The most messages of a location.
pub fn longest_history(races: &Races) -> usize {
    let all = races.history.iter().flatten();
    all.map(|(_, location)| location.messages.len()).max().unwrap_or(0)
}

/// Removes the messages of a location that only one thread accesses but the last one: it reads no other, and what its writes before have released
/// the last one releases, too.
pub fn prune_overwritten(races: &mut Races, key: LocationKey) {
    if let Some(location) = races.history.as_mut().and_then(|history| history.get_mut(&key)) {
        location.messages.drain(..location.messages.len() - 1);
    }
}

/// Removes messages that none of some agents can read any more, and those that tell their readers nothing but what an earlier one does.
///
/// `others` are the clocks that are not kept here: of barriers, ends and copies.
pub fn prune_history<'c>(races: &mut Races, agents: &[Agent], others: impl Iterator<Item = &'c Clock>) {
    let known: Vec<Clock> = agents.iter().map(|agent| races.known(*agent)).collect();
    let others: Vec<&Clock> = others.collect();
    races.observed.sort();
    let Some(mut history) = races.history.take() else { return };
    for location in history.values_mut() {
        let first = agents.iter().zip(&known).map(|(agent, known)| location.first_readable(*agent, known)).min();
        location.messages.drain(..first.unwrap_or(location.messages.len() - 1));
    }
    // Where readers of shared memory begin is not in their clocks alone then.
    if races.pruning == HistoryPruning::Repeated && !races.fences_used.has_restricted {
        prune_updates(races, &mut history, (agents, &known), &others);
    }
    if passed_reads::has_long_passed_reads(races) {
        let mut clocks = all_clocks(races, &history, agents, None);
        let known = known.iter().chain(others.iter().copied());
        clocks.extend(known.clone().cloned());
        clocks.extend(known.flat_map(Clock::of_fences));
        passed_reads::prune_passed_reads(races, &clocks);
    }
    races.history = Some(history);
}

/// Forgets updates that tell their readers nothing but what earlier ones do.
fn prune_updates(races: &mut Races, history: &mut History, (agents, known): (&[Agent], &[Clock]), others: &[&Clock]) {
    let of_fences = known.iter().chain(others.iter().copied()).flat_map(Clock::of_fences);
    let of_fences: Vec<Clock> = of_fences.filter(|clock| !clock.is_empty()).collect();
    let begins = |location: &LocationHistory, clocks: &[Clock]| {
        let first = |(agent, known): (&Agent, &Clock)| (*agent, location.first_readable(*agent, known));
        let of_clock = |clock: &Clock| location.first_readable(Agent::NOBODY, clock);
        ReadBegins {
            threads: agents.iter().zip(known).map(first).collect(),
            clocks: clocks.iter().chain(others.iter().copied()).chain(&of_fences).map(of_clock).collect(),
        }
    };
    let mut lost = BTreeSet::new();
    if history.values().any(LocationHistory::has_repeated) {
        let clocks = all_clocks(races, history, agents, None);
        for (key, location) in history.iter_mut().filter(|(_, location)| location.has_repeated()) {
            location.prune_repeated(begins(location, &clocks), &mut lost);
            note_pruned(races, *key, &mut lost);
        }
    }
    let with_rounds = history.iter().filter(|(_, location)| location.has_rounds());
    let with_rounds: Vec<LocationKey> = with_rounds.map(|(key, _)| *key).collect();
    for key in with_rounds {
        let clocks = all_clocks(races, history, agents, Some(key));
        let Some(location) = history.get_mut(&key) else { continue };
        location.forget_rounds(begins(location, &clocks), &mut lost);
        note_pruned(races, key, &mut lost);
    }
}

/// Updates of a location may have been forgotten, and with them reads lost.
fn note_pruned(races: &mut Races, key: LocationKey, lost: &mut BTreeSet<LostRead>) {
    races.log.accesses.add_unordered(key, None, None);
    races.log.lost_reads.extend(std::mem::take(lost).into_iter().map(|lost| (key, lost)));
}

/// The clocks that a thread may get to know, but for what threads know already: those that [`Races::hash_order`] adds to a hash. Those of the
/// messages of one location may be left out.
fn all_clocks(races: &Races, history: &History, agents: &[Agent], without: Option<LocationKey>) -> Vec<Clock> {
    let locations = history.iter().filter(|(key, _)| without != Some(**key));
    let writes = locations.flat_map(|(_, location)| &location.messages).filter_map(|one| one.write.as_ref());
    let of_mbarriers = races.mbarriers.values().flat_map(|mbarrier| mbarrier.sequences());
    let of_copies = races.mbarriers.values().flat_map(|mbarrier| mbarrier.executed()).cloned();
    let sequences = writes.map(|write| &write.releases).chain(of_mbarriers);
    let of_sequence = |one: &ReleaseSequence| {
        let mut clocks: Vec<Clock> = one.entries().iter().map(|one| one.clock.clone()).collect();
        clocks.extend(Some(one.before_fences()).filter(|clock| !clock.is_empty()).cloned());
        clocks
    };
    let mut clocks: Vec<Clock> = sequences.flat_map(of_sequence).chain(of_copies).collect();
    for agent in agents {
        let Some(Some(warp)) = races.warps.get(agent.warp as usize) else { continue };
        let (thread, known) = (warp.fences(agent.lane as usize), warp.known(agent.lane as usize));
        clocks.extend(thread.released().iter().map(|(_, moment)| moment.clock(*agent)));
        clocks.extend(thread.observed().iter().map(|(_, clock)| clock.clone()));
        clocks.extend(thread.observed_at(known).map(|(.., clock)| clock.clone()));
    }
    clocks.extend(races.warps.iter().flatten().flat_map(|warp| &warp.barriers).map(|(_, _, clock)| clock.clone()));
    clocks.extend(races.fences.values().cloned());
    let of_fences: Vec<Clock> = clocks.iter().flat_map(Clock::of_fences).filter(|clock| !clock.is_empty()).collect();
    clocks.extend(of_fences);
    clocks
}
