//! Barriers of CTAs and clusters.

use super::operand::{Destination, Source};
use std::collections::VecDeque;

/// A barrier instruction.
#[derive(Debug)]
pub enum BarrierInstruction {
    /// `bar` and `barrier`.
    Cta(CtaBarrierInstruction),
    /// `barrier.cluster.arrive`
    ClusterArrive(Convergence),
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

/// How many finished reductions are kept for threads that have not read theirs yet.
const KEPT_RESULTS: usize = 4;

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
    results: VecDeque<(u64, u32, u32)>,
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
            self.results.push_back((self.phase, self.holding, self.arrived));
            if self.results.len() > KEPT_RESULTS {
                self.results.pop_front();
            }
            *self = Self { phase: self.phase + 1, results: std::mem::take(&mut self.results), ..Self::default() };
        }
        done
    }

    /// The reduction of a phase that has ended.
    pub fn result(&self, phase: u64, reduction: BarrierReduction) -> u64 {
        let known = self.results.iter().find(|(number, ..)| *number == phase);
        let (holding, arrived) = known.map_or((0, 0), |(_, holding, arrived)| (*holding, *arrived));
        match reduction {
            BarrierReduction::Count => holding.into(),
            BarrierReduction::All => (holding == arrived).into(),
            BarrierReduction::Any => (holding > 0).into(),
        }
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
