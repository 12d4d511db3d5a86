//! Runs: threads that execute with symbolic values, and add their events.

pub(crate) mod access;
pub(crate) mod asynchronous;
pub mod mbarrier;
pub(crate) mod node;
pub(crate) mod run;
pub(crate) mod step;
pub(crate) mod values;
