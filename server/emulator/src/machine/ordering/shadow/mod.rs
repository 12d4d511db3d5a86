//! Shadow memory: the accesses to each word that a later one can race with.

pub(in crate::machine::ordering) mod coalesced_rows;
pub(in crate::machine::ordering) mod commutative_words;
pub(in crate::machine::ordering) mod read_log;
pub(in crate::machine::ordering) mod row;
pub(in crate::machine::ordering) mod shadow_access;
pub(in crate::machine::ordering) mod shadow_memory;
pub(in crate::machine::ordering) mod touched;
pub(in crate::machine::ordering) mod warp_reads;
pub(in crate::machine::ordering) mod word;
