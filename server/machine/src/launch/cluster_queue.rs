//! The clusters of a grid that have not begun.

use crate::launch::residency::Residency;
use ordering::Agent;
use program::launch::kernel_launch::{GridSizes, Launch};
use std::collections::BTreeSet;

/// Which clusters have begun, and which ones threads have cancelled.
#[derive(Clone, Debug)]
pub struct ClusterQueue {
    /// The number of the next cluster to begin.
    pub next: u64,
    /// The number of the cluster before which this machine ends.
    pub end: u64,
    /// The clusters that were cancelled before they began, in ascending order.
    pub cancelled: Vec<u64>,
    /// The threads that know of an attempt to cancel a cluster which has failed.
    pub refused: BTreeSet<Agent>,
    /// How many clusters are resident.
    pub residency: Residency,
    /// The warps of one cluster, which always fit.
    pub warps_of_cluster: usize,
    /// The first cluster of each grid, counted through all grids.
    pub first_of_grids: Vec<u64>,
}

impl ClusterQueue {
    /// None of the clusters of a launch has begun.
    pub fn new(launch: &Launch, residency: Residency) -> Self {
        let mut end = 0_u64;
        let mut first_of_grids = Vec::new();
        for GridSizes { grid, cluster, .. } in launch.all_sizes() {
            first_of_grids.push(end);
            end = end.saturating_add(grid.count() / cluster.count());
        }
        Self {
            next: 0,
            end,
            cancelled: Vec::new(),
            refused: BTreeSet::new(),
            residency,
            warps_of_cluster: (u64::from(launch.warps_of_cta()) * launch.cluster.count()) as usize,
            first_of_grids,
        }
    }

    /// The grid of a cluster, counted through all grids, and its number in that grid.
    pub fn grid_of(&self, cluster: u64) -> (usize, u64) {
        // A grid without a cluster begins where the next one does.
        let grid = self.first_of_grids.partition_point(|first| *first <= cluster) - 1;
        (grid, cluster - self.first_of_grids[grid])
    }
}
