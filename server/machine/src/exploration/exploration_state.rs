//! What an exploration of all executions adds to the state of a run.

use crate::exploration::unconstrained_reads::UnconstrainedReads;
use crate::threads::executed::ExecutedInstructions;
use crate::waiting::loop_rounds::LoopRounds;
use ordering::Agent;
use program::memory::location::LocationKey;
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What clocks show after a long time: more than any limit on waiting, in instructions or nanoseconds, in the lower 32 bits, too.
const LONG_TIME: u64 = 1 << 40 | 1 << 30;

/// The choices of the execution that is explored, and the loops in which threads wait.
#[derive(Clone, Debug, Default)]
pub struct ExplorationState {
    /// The message that each element of the next strong access reads or is written after; empty for the last one.
    pub chosen_messages: Vec<usize>,
    /// The reads that read no message. Their choices are [`UnconstrainedChoice`](crate::exploration::unconstrained_reads::UnconstrainedChoice)s.
    pub unconstrained_reads: Arc<UnconstrainedReads>,
    /// What clocks show; `None` in a run of one execution.
    pub clock: Option<ExplorationClock>,
    /// Where each thread was since it last had an effect on others.
    pub waits: BTreeMap<Agent, WaitWatch>,
    /// How often threads have repeated loops.
    pub rounds: LoopRounds,
    /// The clusters that have not begun and are there to be cancelled; `None` if no thread cancels clusters.
    pub withheld: Option<Vec<u64>>,
    /// The waits for products that a warp has gone on from without the other warps of its warpgroup, which cannot come to theirs.
    pub parted_warpgroups: BTreeSet<CodePlace>,
    /// Which instructions were executed, if that is noted.
    pub executed: Option<Arc<ExecutedInstructions>>,
    /// The number of steps so far that others can notice.
    pub steps: u64,
    /// The location that only its thread has accessed which each thread has read last.
    pub owned_reads: BTreeMap<Agent, LocationKey>,
    /// Locations that only their threads have accessed, which wait for a change there: somebody else may make it.
    pub waited_for: BTreeSet<LocationKey>,
    /// Whether some groups of lanes were left out that could have executed `activemask` together.
    pub leaves_out_lanes: bool,
}

/// Clocks of an exploration: they stand still, so that a loop that reads one comes back to the same state. For a thread that waits when nobody
/// else can go on, a long time passes: the limit on waiting ends its loop, if it has one.
#[derive(Clone, Debug, Default)]
pub struct ExplorationClock {
    late: BTreeSet<Agent>,
    /// Whether a limit on waiting was reached although others could go on. That is possible, and what the thread does then must not race; but a
    /// trap, or others that wait for it, are what the limit is for.
    pub has_timed_out: bool,
}

impl ExplorationState {
    /// A long time passes for a thread that has read a clock which stands still. Returns whether it has.
    pub fn pass_time(&mut self, agent: Agent) -> bool {
        let has_read = self.waits.get_mut(&agent).is_some_and(|watch| std::mem::take(&mut watch.has_read_clock));
        if let Some(clock) = self.clock.as_mut().filter(|_| has_read) {
            clock.late.insert(agent);
        }
        has_read
    }
}

impl ExplorationClock {
    /// What the clock of a thread shows.
    pub fn value(&self, agent: Agent) -> u64 {
        if self.late.contains(&agent) { LONG_TIME } else { 0 }
    }

    /// Whether a long time has passed for a thread.
    pub fn is_late(&self, agent: Agent) -> bool {
        self.late.contains(&agent)
    }
}

/// The reads that a thread has come to since it last had an effect on others; the last one at the end.
#[derive(Clone, Debug, Default)]
pub struct WaitWatch {
    arrivals: Vec<WaitArrival>,
    /// Whether it has read a clock that stands still.
    pub has_read_clock: bool,
    /// Whether the last read has seen nothing but what the thread had seen before.
    pub is_reread: bool,
    /// The address of the last read.
    pub last_read: Option<u64>,
    /// Such reads in a row whose values the thread does not use any more.
    rereads: u32,
}

/// The reads in a row that see nothing new before the thread is assumed to wait: loops that wait may be unrolled.
const REREADS: u32 = 1;

/// A thread before a read.
#[derive(Clone, Debug)]
struct WaitArrival {
    place: CodePlace,
    /// A hash of what the thread can still use of its registers and local memory.
    state: u64,
    /// Its states before, if it came back with others: a loop that counts.
    before: Vec<u64>,
}

/// How a thread came to a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalKind {
    /// For the first time, or with a count of rounds that is within the bound.
    New,
    /// As before: what it has seen meanwhile has changed nothing.
    Same,
    /// With another state, after more rounds in vain than the bound, or as before but for the time that has passed.
    InVain,
}

impl WaitArrival {
    /// How many other states it came back with.
    const fn rounds(&self) -> u32 {
        self.before.len() as u32
    }
}

impl WaitWatch {
    /// The thread is before a read. `rounds` bounds the rounds of loops that count.
    pub fn arrive(&mut self, place: CodePlace, state: u64, rounds: u32) -> ArrivalKind {
        let mut arrival = WaitArrival { place, state, before: Vec::new() };
        let is_unused = self.arrivals.last().is_some_and(|last| last.state == state);
        // More of them mean no more, and a loop comes back to the same state only if they are not counted on.
        let enough = REREADS + rounds + 1;
        self.rereads = if self.is_reread && is_unused { enough.min(self.rereads + 1) } else { 0 };
        let mut kind = ArrivalKind::New;
        if let Some(at) = self.arrivals.iter().position(|known| known.place == place) {
            // Those before were not executed since: they are not in the loop.
            if let Some(known) = self.arrivals.drain(..=at).next_back() {
                arrival.before = known.before;
                if known.state != state && !arrival.before.contains(&known.state) {
                    arrival.before.push(known.state);
                }
                if known.state == state && !self.has_read_clock {
                    kind = ArrivalKind::Same;
                } else if known.state == state || arrival.rounds() > rounds {
                    kind = ArrivalKind::InVain;
                }
            }
        }
        if self.rereads > REREADS + rounds && kind == ArrivalKind::New {
            kind = ArrivalKind::InVain;
        }
        self.arrivals.push(arrival);
        kind
    }

    /// Whether the thread has been at an instruction since it has done something that others can notice.
    pub fn has_arrived_at(&self, place: CodePlace) -> bool {
        self.arrivals.iter().any(|arrival| arrival.place == place)
    }

    /// How often in a row the thread has seen nothing new.
    pub fn rereads(&self) -> u32 {
        self.rereads
    }

    /// The rounds of each read that was repeated in vain.
    pub fn rounds(&self) -> impl Iterator<Item = (CodePlace, u32)> {
        self.arrivals.iter().filter(|arrival| arrival.rounds() > 0).map(|arrival| (arrival.place, arrival.rounds()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn place(instruction: u32) -> CodePlace {
        CodePlace { function: 0, instruction }
    }

    #[test]
    fn a_loop_comes_back_to_the_same_state_or_counts() {
        let mut watch = WaitWatch::default();
        assert_eq!(watch.arrive(place(1), 7, 1), ArrivalKind::New);
        assert_eq!(watch.arrive(place(1), 7, 1), ArrivalKind::Same);
        assert_eq!(watch.arrive(place(1), 8, 1), ArrivalKind::New);
        assert_eq!(watch.arrive(place(1), 9, 1), ArrivalKind::InVain);
    }

    #[test]
    fn a_loop_may_have_several_reads() {
        let mut watch = WaitWatch::default();
        let mut arrive = |at, state| watch.arrive(place(at), state, 0);
        assert_eq!(
            [arrive(1, 0), arrive(2, 0), arrive(1, 1)],
            [ArrivalKind::New, ArrivalKind::New, ArrivalKind::InVain]
        );
        assert_eq!(arrive(2, 0), ArrivalKind::Same);
        // It has left the loop for another one.
        assert_eq!([arrive(3, 0), arrive(3, 0)], [ArrivalKind::New, ArrivalKind::Same]);
        watch.has_read_clock = true;
        assert_eq!(watch.arrive(place(3), 0, 9), ArrivalKind::InVain);
    }
}
