//! Messages: the writes of a location that reads may still see.

pub mod history;
pub mod history_pruning;
pub(crate) mod observed_writes;
pub mod strong_accesses;
