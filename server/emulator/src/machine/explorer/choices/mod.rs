//! What can happen next in a state: steps of threads, messages that reads choose, ends of copies.

pub(in crate::machine) mod active_lanes;
pub(in crate::machine) mod cluster_launches;
pub(in crate::machine) mod commutative_updates;
pub(in crate::machine) mod early_ends;
pub(in crate::machine) mod independent_threads;
pub(in crate::machine) mod mbarrier_steps;
pub(in crate::machine) mod message_choices;
pub(in crate::machine) mod reductions;
pub(in crate::machine) mod sharing;
pub(in crate::machine) mod steps;
pub(in crate::machine) mod transition;
pub(in crate::machine) mod unread_updates;
pub(in crate::machine) mod waits;
