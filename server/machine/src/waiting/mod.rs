//! What threads wait for: barriers, mbarriers, and changes of memory.

pub(crate) mod barrier;
pub(crate) mod barrier_ordering;
mod barrier_waits;
pub mod deadlock;
pub(crate) mod loop_rounds;
pub(crate) mod mbarrier;
pub mod mbarrier_access;
pub(crate) mod polled_loop;
pub(crate) mod polling;
pub(crate) mod skipped;
pub(crate) mod spin;
pub(crate) mod synchronize;
pub(crate) mod wait_cycles;
pub(crate) mod wait_reason;
