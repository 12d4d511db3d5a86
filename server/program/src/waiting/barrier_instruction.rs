//! Instructions on barriers of CTAs, clusters and warps.

use crate::operand::{Destination, Source};
use isa::types::Sem;

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
