//! CTAs and clusters in progress.

use crate::memory::region::MemoryBytes;
use crate::tensor::tensor_memory::CtaTensorMemory;
use crate::waiting::barrier::Barrier;
use crate::waiting::mbarrier::Mbarrier;
use ordering::Clock;
use std::collections::BTreeMap;

/// The number of barriers of a CTA.
pub const BARRIERS: usize = 16;

/// A CTA in progress.
#[derive(Clone, Debug)]
pub struct Cta {
    /// The grid.
    pub grid: usize,
    /// Its number in the grid; those of kernels that run at the same time are counted on.
    pub number: u32,
    /// Its position in the grid.
    pub position: [u32; 3],
    /// The index of its cluster.
    pub cluster: usize,
    /// Its rank in the cluster.
    pub rank: u32,
    /// Its position in the cluster.
    pub position_in_cluster: [u32; 3],
    /// Its shared memory.
    pub shared: MemoryBytes,
    /// Its barriers.
    pub barriers: Vec<Barrier>,
    /// The mbarriers in its shared memory, by their offset.
    pub mbarriers: BTreeMap<u32, Mbarrier>,
    /// Its tensor memory.
    pub tensors: CtaTensorMemory,
    /// The groups of products that each of its warps has committed, if it has.
    pub products: BTreeMap<u32, u64>,
    /// The threads that have not ended.
    pub live: u32,
    /// What the threads that have ended have done before, if the cluster has other CTAs.
    pub exit_clock: Clock,
}

impl Cta {
    /// Lets barriers end their phase that wait for all threads, after some threads have ended.
    pub fn end_phases(&mut self) {
        for barrier in &mut self.barriers {
            barrier.end_phase(self.live);
        }
    }
}

/// A cluster in progress.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The slots of its CTAs, by rank.
    pub ctas: Vec<usize>,
    /// The threads that have not ended.
    pub live: u32,
    /// The threads that have arrived at its barrier in this phase.
    pub arrived: u32,
    /// The number of the current phase.
    pub phase: u64,
    /// What the threads that have arrived in this phase have done before.
    pub clock: Clock,
    /// The same of the phase before.
    pub ended_clock: Clock,
    /// By rank, what fences of the CTA alone have released before relaxed arrivals of its threads in this phase.
    pub of_ctas: Vec<Clock>,
    /// The same of the phase before.
    pub ended_of_ctas: Vec<Clock>,
    /// What was executed before the arrivals of this phase that are relaxed: they order no memory, but no CTA that waits ends before them.
    pub executed: Clock,
    /// The same of the phases before.
    pub ended_executed: Clock,
}

impl Cluster {
    /// What those who leave the barrier get to know, in a CTA with a rank.
    pub fn ended_clocks(&self, rank: usize) -> impl Iterator<Item = &Clock> {
        std::iter::once(&self.ended_clock).chain(self.ended_of_ctas.get(rank))
    }

    /// Ends the phase of the barrier if all threads have arrived.
    pub fn end_phase(&mut self) {
        if self.arrived > 0 && self.arrived >= self.live {
            self.arrived = 0;
            self.phase += 1;
            self.ended_clock = std::mem::take(&mut self.clock);
            self.ended_of_ctas = std::mem::take(&mut self.of_ctas);
            self.ended_executed.join(&std::mem::take(&mut self.executed));
        }
    }
}
