//! How clusters begin.

use crate::copies::copy_progress;
use crate::launch::cta::{BARRIERS, Cluster, Cta};
use crate::launch::random::ScheduleChoices;
use crate::launch::residency::{LONG_CLUSTER, Residency};
use crate::memory::region::MemoryBytes;
use crate::state::Machine;
use crate::tensor::tensor_memory::CtaTensorMemory;
use crate::threads::warp::Warp;
use crate::waiting::barrier::Barrier;
use ordering::Clock;
use program::lanes::WARP_SIZE;
use program::launch::kernel_launch::{GridSizes, ThreadId};
use program::problem::{CodePlace, ProblemKind};
use std::collections::BTreeMap;

/// The warps that can be resident at a time: as many as an H100 holds.
const RESIDENT_WARPS: usize = 132 * 64;

impl Machine<'_> {
    /// Begins clusters as long as there is room, in place of those that have ended.
    pub fn begin_ctas(&mut self) {
        if self.runs_clusters_apart() && self.warps.is_empty() {
            copy_progress::end_copies(self);
        }
        self.drop_ended_clusters();
        while self.has_room() {
            if self.runs_clusters_apart() && self.warps.is_empty() {
                self.choices = ScheduleChoices::of_cluster(self.launch.seed, self.queue.next);
            }
            self.begin_next();
        }
    }

    /// Whether clusters run one after another.
    pub const fn runs_clusters_apart(&self) -> bool {
        matches!(self.queue.residency, Residency::One { .. })
    }

    /// Whether the next cluster begins now.
    pub fn has_room(&self) -> bool {
        let is_next = match self.queue.residency {
            Residency::All => true,
            Residency::One { begun_at } => self.warps.is_empty() || self.executed - begun_at > LONG_CLUSTER,
        };
        is_next && self.can_begin()
    }

    /// Whether there is another cluster, and it fits.
    pub fn can_begin(&self) -> bool {
        !self.stopped
            && self.queue.next < self.queue.end
            && self.warps.len() + self.queue.warps_of_cluster <= RESIDENT_WARPS.max(self.queue.warps_of_cluster)
    }

    /// Begins another cluster beside one whose threads wait, possibly for this one. Returns whether there was one.
    pub fn begin_another(&mut self) -> bool {
        let begins = self.copies.is_empty() && self.can_begin();
        if begins {
            self.begin_next();
        }
        begins
    }

    /// Begins the next cluster of the queue.
    pub fn begin_next(&mut self) {
        self.begin_cluster(self.queue.next);
        self.queue.next += 1;
        if let Residency::One { begun_at } = &mut self.queue.residency {
            *begun_at = self.executed;
        }
        if !self.races.has_numbers_for(self.ctas.next()) {
            let first = (self.ctas.next() as u64).saturating_sub(self.launch.cluster.count()) as usize;
            let thread = ThreadId { cta: self.cta_number(first), thread: 0 };
            let place = CodePlace { function: self.launch.kernel as u32, instruction: 0 };
            self.report(ProblemKind::InstructionLimit { limit: self.executed }, thread, place);
            self.stopped = true;
        }
    }

    /// Drops clusters that have ended, in the order in which they began. Copies to them may still be under way.
    pub fn drop_ended_clusters(&mut self) {
        while self.copies.is_empty() && self.clusters.first().is_some_and(|cluster| cluster.live == 0) {
            self.clusters.drop_first();
            (0..self.launch.cluster.count()).for_each(|_| self.ctas.drop_first());
        }
    }

    /// The position of the first CTA of a cluster of the first kernel.
    pub fn first_position(&self, cluster: u64) -> [u32; 3] {
        self.position(0, cluster, 0)
    }

    /// Cancels the launch of the next cluster, if the schedule chooses so; returns the position of its first CTA.
    pub fn cancel_next_cluster(&mut self) -> Option<[u32; 3]> {
        /// In one of so many attempts, the cluster begins instead.
        const FAILURE: u64 = 4;
        if self.queue.next >= self.queue.end || self.choices.below(FAILURE) == 0 {
            return None;
        }
        let first = self.first_position(self.queue.next);
        self.queue.cancelled.push(self.queue.next);
        self.queue.next += 1;
        Some(first)
    }

    /// Begins a cluster.
    pub fn begin_cluster(&mut self, number: u64) {
        let (grid, number) = self.queue.grid_of(number);
        let GridSizes { cluster, block, .. } = self.launch.sizes(grid);
        let live = (block.count() * cluster.count()) as u32;
        let index = self.clusters.next();
        let mut slots = Vec::new();
        for rank in 0..cluster.count() {
            let (inner, position) = (cluster.position(rank), self.position(grid, number, rank));
            slots.push(self.begin_cta(index, (grid, rank as u32), inner, position));
        }
        self.clusters.push(Cluster {
            ctas: slots,
            live,
            arrived: 0,
            phase: 0,
            clock: Clock::default(),
            ended_clock: Clock::default(),
            executed: Clock::default(),
            ended_executed: Clock::default(),
            of_ctas: Vec::new(),
            ended_of_ctas: Vec::new(),
        });
    }

    /// Begins a CTA of a cluster: its grid, its rank and its position in the cluster.
    pub fn begin_cta(
        &mut self,
        cluster: usize,
        (grid, rank): (usize, u32),
        inner: [u32; 3],
        position: [u32; 3],
    ) -> usize {
        let slot = self.ctas.next();
        let sizes = self.launch.sizes(grid);
        let threads = sizes.block.count() as u32;
        let kernel = &self.program.functions[sizes.kernel];
        let shared = kernel.shared.static_bytes + sizes.dynamic_shared;
        let number = if grid == 0 { sizes.grid.linear(position) as u32 } else { slot as u32 };
        self.ctas.push(Cta {
            grid,
            number,
            position,
            cluster,
            rank,
            position_in_cluster: inner,
            shared: MemoryBytes::undefined(shared as usize),
            barriers: vec![Barrier::default(); BARRIERS],
            mbarriers: BTreeMap::new(),
            tensors: CtaTensorMemory::default(),
            products: BTreeMap::new(),
            live: threads,
            exit_clock: Clock::default(),
        });
        for number in 0..threads.div_ceil(WARP_SIZE) {
            let lanes = threads - number * WARP_SIZE;
            let index = sizes.kernel as u32;
            let warp = Warp::new(slot, number, lanes.min(WARP_SIZE), index, kernel.registers, kernel.frame_bytes);
            self.warps.push(Some(Box::new(warp)));
        }
        slot
    }
}
