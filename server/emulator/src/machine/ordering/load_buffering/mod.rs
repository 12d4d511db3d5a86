//! Which writes depend on which reads of an execution: what load buffering would need.

pub(in crate::machine::ordering) mod buffering;
pub(in crate::machine::ordering) mod dependent_values;
pub(in crate::machine::ordering) mod earlier_reads;
pub(in crate::machine::ordering) mod load_cycles;
pub(in crate::machine::ordering) mod passed_reads;
pub(in crate::machine::ordering) mod read_logs;
pub(in crate::machine::ordering) mod read_values;
pub(in crate::machine::ordering) mod value_dependent_branches;
pub(in crate::machine::ordering) mod value_dependent_orders;
pub(in crate::machine::ordering) mod value_dependent_writes;
pub(in crate::machine::ordering) mod waits_between_warps;
