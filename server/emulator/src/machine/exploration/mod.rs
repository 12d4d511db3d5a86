//! What an exploration of all executions adds to a run: the choices that were made for the next step, and what threads wait for.

pub(in crate::machine) mod chosen_reductions;
pub(in crate::machine) mod exploration_state;
pub(in crate::machine) mod unconstrained_reads;
pub(in crate::machine) mod withheld_clusters;
