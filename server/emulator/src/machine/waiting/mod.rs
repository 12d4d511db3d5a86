//! What threads wait for: barriers, mbarriers, and changes of memory.

pub(in crate::machine) mod barrier;
pub(in crate::machine) mod barrier_instruction;
pub(in crate::machine) mod barrier_ordering;
pub(in crate::machine) mod barrier_waits;
pub(in crate::machine) mod deadlock;
pub(in crate::machine) mod loop_rounds;
pub(in crate::machine) mod mbarrier;
pub(in crate::machine) mod mbarrier_access;
pub(in crate::machine) mod mbarrier_instruction;
pub(in crate::machine) mod polled_loop;
pub(in crate::machine) mod polling;
pub(in crate::machine) mod skipped;
pub(in crate::machine) mod spin;
pub(in crate::machine) mod synchronize;
pub(in crate::machine) mod wait_cycles;
pub(in crate::machine) mod wait_reason;
