//! Launches: what is asked for, which clusters and CTAs are resident, and whose turn is next.

pub(in crate::machine) mod address_size;
pub(in crate::machine) mod begin;
pub(in crate::machine) mod cluster_queue;
pub(in crate::machine) mod cores;
pub(in crate::machine) mod cta;
pub(in crate::machine) mod kernel_launch;
pub(in crate::machine) mod launch_control;
pub(in crate::machine) mod launch_error;
pub(in crate::machine) mod paused_round;
pub(in crate::machine) mod random;
pub(in crate::machine) mod remains;
pub(in crate::machine) mod residency;
pub(in crate::machine) mod run;
pub(in crate::machine) mod schedule;
pub(in crate::machine) mod slots;
