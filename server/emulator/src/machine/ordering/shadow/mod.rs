//! Shadow memory: the accesses to each word that a later one can race with.

pub(in crate::machine) mod coalesced_rows;
pub(in crate::machine) mod commutative_words;
pub(in crate::machine) mod read_log;
pub(in crate::machine) mod row;
pub(in crate::machine) mod shadow_access;
pub(in crate::machine) mod shadow_memory;
pub(in crate::machine) mod touched;
pub(in crate::machine) mod warp_reads;
pub(in crate::machine) mod word;
