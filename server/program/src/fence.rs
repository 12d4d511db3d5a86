//! What a fence orders.

use isa::types::Scope;

/// A fence between generic accesses of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FenceSemantics {
    /// Whether accesses before it are released.
    pub releases: bool,
    /// Whether accesses after it are acquired.
    pub acquires: bool,
    /// The scope.
    pub scope: Scope,
    /// Whether it takes part in Fence-SC order.
    pub is_sequential: bool,
    /// The memory whose accesses it orders.
    pub memory: OrderedMemory,
}

/// The memory whose accesses a fence orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrderedMemory {
    /// All memory.
    #[default]
    All,
    /// Shared memory of the cluster: a fence with `.sync_restrict`.
    Shared,
    /// The initialization of mbarriers by the thread: `fence.mbarrier_init`.
    Mbarriers,
}
