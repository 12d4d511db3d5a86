//! Messages: the writes of a location that reads may still see.

pub(in crate::machine) mod history;
pub(in crate::machine) mod history_pruning;
pub(in crate::machine) mod observed_writes;
pub(in crate::machine) mod strong_accesses;
