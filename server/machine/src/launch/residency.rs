//! How many clusters are resident.

/// The instructions after which a cluster does not run alone any more: it may wait for another one in a way that nothing defines.
pub const LONG_CLUSTER: u64 = 1 << 27;

/// How many clusters are resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residency {
    /// As many as fit.
    All,
    /// One as long as threads can run, because clusters are independent: it has its caches, and choices of its own, to itself.
    One {
        /// The instructions that were executed when the last one began.
        begun_at: u64,
    },
}
