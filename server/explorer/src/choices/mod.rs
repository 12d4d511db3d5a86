//! What can happen next in a state: steps of threads, messages that reads choose, ends of copies.

mod active_lanes;
pub(crate) mod cluster_launches;
pub(crate) mod commutative_updates;
mod early_ends;
mod independent_threads;
mod mbarrier_steps;
pub(crate) mod message_choices;
mod reductions;
pub(crate) mod sharing;
pub(crate) mod steps;
pub(crate) mod transition;
mod unread_updates;
pub(crate) mod waits;
