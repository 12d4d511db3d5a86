//! Barriers of CTAs and clusters.

use super::operand::{Destination, Source};
use super::races::Clock;
use isa::types::Sem;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// A barrier instruction.
#[derive(Debug)]
pub enum BarrierInstruction {
    /// `bar` and `barrier`.
    Cta(CtaBarrierInstruction),
    /// `barrier.cluster.arrive`, with its order: release or relaxed
    ClusterArrive(Convergence, Sem),
    /// `barrier.cluster.wait`
    ClusterWait(Convergence),
    /// `bar.warp.sync`, with the mask of its lanes.
    Warp(Source),
}

/// An instruction on a barrier of the CTA.
#[derive(Debug)]
pub struct CtaBarrierInstruction {
    /// The number of the barrier.
    pub barrier: Source,
    /// The number of threads; all of the CTA if there is none.
    pub threads: Option<Source>,
    /// What it does.
    pub mode: BarrierAction,
    /// Whether all lanes of a warp have to execute it together.
    pub convergence: Convergence,
}

/// What a thread does at a barrier.
#[derive(Clone, Copy, Debug)]
pub enum BarrierAction {
    /// It arrives and waits.
    Wait,
    /// It arrives.
    Arrive,
    /// It arrives with a predicate, and waits for a reduction of all predicates.
    Reduce(BarrierReduction, Source, Destination),
}

/// A reduction of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierReduction {
    /// The number of threads in which it holds.
    Count,
    /// Whether it holds in all.
    All,
    /// Whether it holds in one.
    Any,
}

/// Whether all lanes of a warp have to execute an instruction together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convergence {
    /// `.aligned`
    Required,
    /// Any lanes may execute it.
    NotRequired,
}

/// How many threads a barrier waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    expected: Option<ExpectedThreads>,
    holding: u32,
    phase: u64,
    /// What the threads that have arrived have done before.
    pub clock: Clock,
    ended: VecDeque<EndedPhase>,
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

    /// Threads arrive: their number, and that of the warp's threads if they are all of it.
    pub fn arrive(&mut self, threads: u32, in_warps: u32, expected: ExpectedThreads, holding: u32) {
        self.arrived += threads;
        self.arrived_in_warps += in_warps;
        self.holding += holding;
        self.expected = Some(expected);
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

    /// Adds who has arrived to a hash.
    pub fn hash_arrivals(&self, hash: &mut impl Hasher) {
        (self.arrived, self.arrived_in_warps, self.holding).hash(hash);
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
        barrier.arrive(32, 32, ExpectedThreads::All, 3);
        assert!(!barrier.end_phase(48));
        assert_eq!(barrier.missing(48), "16 more threads of the CTA");
        barrier.arrive(16, 32, ExpectedThreads::All, 16);
        assert!(barrier.end_phase(48) && barrier.phase() == 1);
        let results =
            [BarrierReduction::Count, BarrierReduction::All, BarrierReduction::Any].map(|one| barrier.result(0, one));
        assert_eq!(results, [19, 0, 1]);
        barrier.arrive(16, 32, ExpectedThreads::Threads(64), 0);
        assert!(!barrier.end_phase(16), "one warp of two");
    }
}
