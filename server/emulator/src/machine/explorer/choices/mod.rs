//! What can happen next in a state: steps of threads, messages that reads choose, ends of copies.

pub(in crate::machine::explorer) mod active_lanes;
pub(in crate::machine::explorer) mod cluster_launches;
pub(in crate::machine::explorer) mod commutative_updates;
pub(in crate::machine::explorer) mod early_ends;
pub(in crate::machine::explorer) mod independent_threads;
pub(in crate::machine::explorer) mod mbarrier_steps;
pub(in crate::machine::explorer) mod message_choices;
pub(in crate::machine::explorer) mod reductions;
pub(in crate::machine::explorer) mod sharing;
pub(in crate::machine::explorer) mod steps;
pub(in crate::machine::explorer) mod transition;
pub(in crate::machine::explorer) mod unread_updates;
pub(in crate::machine::explorer) mod waits;
