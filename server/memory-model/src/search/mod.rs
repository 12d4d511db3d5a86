//! Searches: for all outcomes, for executions without end, for counterexamples and repairs.

pub(crate) mod branch;
pub mod condition;
pub(crate) mod counterexample;
pub(crate) mod endless;
pub(crate) mod endless_wait;
pub(crate) mod explore;
pub(crate) mod finish;
pub(crate) mod outcomes;
pub mod repair;
pub(crate) mod rows;
pub(crate) mod termination;
