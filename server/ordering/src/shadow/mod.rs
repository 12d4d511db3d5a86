//! Shadow memory: the accesses to each word that a later one can race with.

pub mod coalesced_rows;
pub mod commutative_words;
mod read_log;
pub mod row;
pub mod shadow_access;
pub mod shadow_memory;
pub mod touched;
pub mod warp_reads;
pub(crate) mod word;
