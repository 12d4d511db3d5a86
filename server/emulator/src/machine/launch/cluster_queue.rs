//! The clusters of a grid that have not begun.

use crate::machine::launch::residency::Residency;
use crate::machine::ordering::Agent;
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
}

impl ClusterQueue {
    /// None of so many clusters has begun.
    pub const fn new(clusters: u64, residency: Residency) -> Self {
        Self { next: 0, end: clusters, cancelled: Vec::new(), refused: BTreeSet::new(), residency }
    }
}
