//! Which writes depend on which reads of an execution: what load buffering would need.

pub mod buffering;
mod deciders;
pub mod dependent_values;
pub mod earlier_reads;
pub mod load_cycles;
pub(crate) mod passed_reads;
pub(crate) mod read_logs;
pub mod read_values;
pub mod value_dependent_branches;
pub mod value_dependent_orders;
pub mod value_dependent_writes;
pub(crate) mod waits_between_warps;
