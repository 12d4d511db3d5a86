//! What an exploration of all executions adds to a run: the choices that were made for the next step, and what threads wait for.

pub mod chosen_reductions;
pub mod exploration_state;
pub mod unconstrained_reads;
pub mod withheld_clusters;
