//! Barriers of CTAs and clusters.

use ordering::Clock;
use program::lanes::WARP_SIZE;
use program::waiting::barrier_instruction::BarrierReduction;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// How many threads a barrier waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExpectedThreads {
    /// All threads of the CTA that have not ended.
    All,
    /// A number of threads, in whole warps.
    Threads(u32),
}

/// How many finished phases are kept for threads that have not gone on yet.
const KEPT_PHASES: usize = 16;

/// A barrier.
#[derive(Clone, Debug, Default)]
pub struct Barrier {
    /// Threads that have arrived in this phase.
    arrived: u32,
    /// The same in whole warps.
    arrived_in_warps: u32,
    /// The lanes that have arrived of warps of which others have not.
    partial: Vec<PartialWarp>,
    expected: Option<ExpectedThreads>,
    holding: u32,
    phase: u64,
    /// What the threads that have arrived have done before.
    pub clock: Clock,
    ended: VecDeque<EndedPhase>,
}

/// A warp of which some lanes have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PartialWarp {
    warp: u32,
    lanes: u32,
}

/// Lanes of a warp that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpArrival {
    /// The warp, by its number in the CTA.
    pub warp: u32,
    /// The lanes.
    pub lanes: u32,
    /// The lanes of the warp that have not ended.
    pub live: u32,
    /// Those whose predicate holds.
    pub holding: u32,
}

/// A phase of a barrier that has ended.
#[derive(Clone, Debug)]
struct EndedPhase {
    number: u64,
    holding: u32,
    arrived: u32,
    clock: Clock,
}

impl Barrier {
    /// The number of the current phase.
    pub const fn phase(&self) -> u64 {
        self.phase
    }

    /// Lanes of a warp arrive.
    pub fn arrive(&mut self, arrival: WarpArrival, expected: ExpectedThreads) {
        self.arrived += arrival.lanes.count_ones();
        self.arrived_in_warps += self.in_warps(arrival);
        self.holding += arrival.holding;
        self.expected = Some(expected);
    }

    /// What an arrival counts if a warp counts as a whole one as soon as all of its lanes have arrived that have not ended.
    fn in_warps(&mut self, WarpArrival { warp, lanes, live, .. }: WarpArrival) -> u32 {
        let at = self.partial.iter().position(|known| known.warp == warp);
        let before = at.map_or(0, |at| self.partial.swap_remove(at).lanes);
        if live & !(before | lanes) == 0 {
            return WARP_SIZE.saturating_sub(before.count_ones());
        }
        self.partial.push(PartialWarp { warp, lanes: before | lanes });
        self.partial.sort_unstable_by_key(|known| known.warp);
        lanes.count_ones()
    }

    /// Ends the phase if all have arrived; `live` is the number of threads that have not ended. Returns whether it did.
    pub fn end_phase(&mut self, live: u32) -> bool {
        let done = match self.expected {
            None => false,
            Some(ExpectedThreads::All) => self.arrived >= live,
            Some(ExpectedThreads::Threads(threads)) => self.arrived_in_warps >= threads,
        };
        if done {
            let Self { phase: number, holding, arrived, .. } = *self;
            let mut ended = std::mem::take(&mut self.ended);
            ended.push_back(EndedPhase { number, holding, arrived, clock: std::mem::take(&mut self.clock) });
            if ended.len() > KEPT_PHASES {
                ended.pop_front();
            }
            *self = Self { phase: number + 1, ended, ..Self::default() };
        }
        done
    }

    /// The reduction of a phase that has ended.
    pub fn result(&self, phase: u64, reduction: BarrierReduction) -> u64 {
        let (holding, arrived) = self.ended(phase).map_or((0, 0), |ended| (ended.holding, ended.arrived));
        match reduction {
            BarrierReduction::Count => holding.into(),
            BarrierReduction::All => (holding == arrived).into(),
            BarrierReduction::Any => (holding > 0).into(),
        }
    }

    fn ended(&self, phase: u64) -> Option<&EndedPhase> {
        self.ended.iter().find(|ended| ended.number == phase)
    }

    /// What the threads of a phase that has ended had done before.
    pub fn ended_clock(&self, phase: u64) -> Clock {
        self.ended(phase).map_or_else(Clock::default, |ended| ended.clock.clone())
    }

    /// Whether some lanes of a warp have arrived, and others have not.
    pub const fn parts_warps(&self) -> bool {
        !self.partial.is_empty()
    }

    /// Adds who has arrived, and how many have to, to a hash.
    pub fn hash_arrivals(&self, hash: &mut impl Hasher) {
        // Threads that have yet to leave an ended phase go on before another step is taken.
        let Self { arrived, arrived_in_warps, partial, expected, holding, phase: _, clock: _, ended: _ } = self;
        (arrived, arrived_in_warps, holding, partial, expected).hash(hash);
    }

    /// What the current phase still waits for.
    pub fn missing(&self, live: u32) -> String {
        match self.expected {
            Some(ExpectedThreads::Threads(threads)) => {
                format!("{} more of {threads} threads", threads.saturating_sub(self.arrived_in_warps))
            }
            _ => format!("{} more threads of the CTA", live.saturating_sub(self.arrived)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_end_when_all_have_arrived() {
        let mut barrier = Barrier::default();
        let arrival = |warp, lanes, holding| WarpArrival {
            warp,
            lanes,
            live: if warp == 0 { u32::MAX } else { 0xffff },
            holding,
        };
        barrier.arrive(arrival(0, u32::MAX, 3), ExpectedThreads::All);
        assert!(!barrier.end_phase(48));
        assert_eq!(barrier.missing(48), "16 more threads of the CTA");
        barrier.arrive(arrival(1, 0xffff, 16), ExpectedThreads::All);
        assert!(barrier.end_phase(48) && barrier.phase() == 1);
        let results =
            [BarrierReduction::Count, BarrierReduction::All, BarrierReduction::Any].map(|one| barrier.result(0, one));
        assert_eq!(results, [19, 0, 1]);
        barrier.arrive(arrival(1, 0xffff, 0), ExpectedThreads::Threads(64));
        assert!(!barrier.end_phase(16), "one warp of two");
    }

    #[test]
    fn a_warp_whose_lanes_arrive_one_by_one_counts_once() {
        let mut barrier = Barrier::default();
        // Each lane ends after its arrival.
        for lane in 0..32 {
            let arrival = WarpArrival { warp: 0, lanes: 1 << lane, live: u32::MAX << lane, holding: 0 };
            barrier.arrive(arrival, ExpectedThreads::Threads(64));
        }
        barrier.arrive(WarpArrival { warp: 1, lanes: 1, live: u32::MAX, holding: 0 }, ExpectedThreads::Threads(64));
        assert!(!barrier.end_phase(32));
        assert_eq!(barrier.missing(32), "31 more of 64 threads");
        // A warp of 16 threads is a whole one.
        let mut barrier = Barrier::default();
        for lane in 0..16 {
            let arrival = WarpArrival { warp: 0, lanes: 1 << lane, live: 0xffff, holding: 0 };
            barrier.arrive(arrival, ExpectedThreads::Threads(32));
        }
        assert!(barrier.end_phase(16));
    }
}
