//! Events, the relations between them, and executions, from candidates to complete ones.

pub(crate) mod barrier;
pub(crate) mod candidate_execution;
pub(crate) mod complete_execution;
pub(crate) mod event;
pub(crate) mod event_set;
pub mod execution;
pub(crate) mod partial_execution;
pub(crate) mod reads_from;
pub mod relation;
pub(crate) mod synchronization;
pub(crate) mod undefined_execution;
