//! Memory: allocations, addresses, and the loads, stores and atomics that access them.

mod access;
mod coalesced;
pub(crate) mod fill;
pub mod global;
pub(crate) mod image_access;
pub mod locate;
pub(crate) mod region;
mod scattered;
pub(crate) mod unknown_memory;
pub(crate) mod unknown_results;
