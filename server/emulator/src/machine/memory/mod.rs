//! Memory: allocations, addresses, and the loads, stores and atomics that access them.

pub(in crate::machine) mod access;
pub(in crate::machine) mod coalesced;
pub(in crate::machine) mod commutative_update;
pub(in crate::machine) mod fill;
pub(in crate::machine) mod global;
pub(in crate::machine) mod image;
pub(in crate::machine) mod image_access;
pub(in crate::machine) mod locate;
pub(in crate::machine) mod nearest;
pub(in crate::machine) mod region;
pub(in crate::machine) mod scattered;
pub(in crate::machine) mod unknown_memory;
pub(in crate::machine) mod unknown_results;
