//! Messages: the writes of a location that reads may still see.

pub(in crate::machine::ordering) mod history;
pub(in crate::machine::ordering) mod history_pruning;
pub(in crate::machine::ordering) mod observed_writes;
pub(in crate::machine::ordering) mod strong_accesses;
