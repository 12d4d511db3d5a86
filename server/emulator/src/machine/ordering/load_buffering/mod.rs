//! Which writes depend on which reads of an execution: what load buffering would need.

pub(in crate::machine) mod buffering;
pub(in crate::machine) mod deciders;
pub(in crate::machine) mod dependent_values;
pub(in crate::machine) mod earlier_reads;
pub(in crate::machine) mod load_cycles;
pub(in crate::machine) mod passed_reads;
pub(in crate::machine) mod read_logs;
pub(in crate::machine) mod read_values;
pub(in crate::machine) mod value_dependent_branches;
pub(in crate::machine) mod value_dependent_orders;
pub(in crate::machine) mod value_dependent_writes;
pub(in crate::machine) mod waits_between_warps;
