//! Launches: what is asked for, which clusters and CTAs are resident, and whose turn is next.

mod attempts;
mod begin;
pub mod cluster_queue;
mod cores;
pub mod cta;
pub(crate) mod launch_control;
pub mod launch_error;
pub(crate) mod paused_round;
pub(crate) mod random;
pub(crate) mod remains;
pub mod residency;
pub(crate) mod run;
pub(crate) mod schedule;
pub mod slots;
mod sufficiency;
