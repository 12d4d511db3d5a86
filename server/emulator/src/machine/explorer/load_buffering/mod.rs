//! Load buffering: reads of what is written after them, which no explored execution has.

pub(in crate::machine::explorer) mod buffered_reads;
pub(in crate::machine::explorer) mod dependent_order_analysis;
pub(in crate::machine::explorer) mod dependent_write_analysis;
pub(in crate::machine::explorer) mod unconstrained_searches;
pub(in crate::machine::explorer) mod value_dependent_addresses;
pub(in crate::machine::explorer) mod value_dependent_arrivals;
