//! Load buffering: reads of what is written after them, which no explored execution has.

pub(crate) mod buffered_reads;
mod dependent_order_analysis;
pub(crate) mod dependent_write_analysis;
pub(crate) mod unconstrained_searches;
mod value_dependent_addresses;
mod value_dependent_arrivals;
